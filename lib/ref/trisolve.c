// SPDX-License-Identifier: BSD-3-Clause
// Reference of the triangular solves: sweeps, row by row.
#include "lib/ref/trisolve.h"

// sum_j f_ij x_j over columns from .. to-1 of row i.
static double row_dot(const struct lcl_ref_ildu0 *F, int64_t i, int64_t from,
                      int64_t to, const double *x)
{
    const struct lcl_csr *B = F->B;
    double sum = 0;
    for (int64_t k = B->row_ptr[i]; k < B->row_ptr[i + 1]; ++k)
        if (B->col_ind[k] >= from && B->col_ind[k] < to)
            sum += F->val[k] * x[B->col_ind[k]];
    return sum;
}

void lcl_ref_lower(const struct lcl_ref_ildu0 *F, bool with_d, const double *b,
                   double *x)
{
    for (int64_t p = 0; p < F->parts; ++p) {
        const int64_t first = F->part_ptr[p], last = F->part_ptr[p + 1];
        for (int64_t i = first; i < last; ++i)
            x[i] = b[i] - row_dot(F, i, first, i, x);
        for (int64_t i = first; i < last && with_d; ++i)
            x[i] *= F->inv_d[i];
    }
}

// L y = b with unit L, then
//     x_i = y_i / d_i - sum_{j>i} u_ij x_j
static void solve_range(const struct lcl_ref_ildu0 *F, int64_t first,
                        int64_t last, const double *b, double *x)
{
    for (int64_t i = first; i < last; ++i)
        x[i] = b[i] - row_dot(F, i, first, i, x);
    for (int64_t i = last; i-- > first;)
        x[i] = x[i] * F->inv_d[i] - row_dot(F, i, i + 1, last, x);
}

void lcl_ref_trisolve(const struct lcl_ref_ildu0 *F, const double *b, double *x)
{
    for (int64_t p = 0; p < F->parts; ++p)
        solve_range(F, F->part_ptr[p], F->part_ptr[p + 1], b, x);
}
