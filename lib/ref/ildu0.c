// SPDX-License-Identifier: BSD-3-Clause
// Reference of the factorisation in CSR: row by row, entry by entry.
#include "lib/ref/ildu0.h"

#include "host/alloc.h"
#include "lib/ref/range.h"

#include <math.h>
#include <string.h>

// max_j |b_ij| over the range.
static double largest_of(const struct lcl_csr *B,
                         const struct lcl_ref_range *range, int64_t i)
{
    double largest = 0;
    for (int64_t k = B->row_ptr[i]; k < B->row_ptr[i + 1]; ++k)
        if (lcl_ref_is_inside(range, B->col_ind[k]))
            largest = fmax(largest, fabs(B->val[k]));
    return largest;
}

// Row i -= l_ij (row j of D U) on the pattern of row i; F->val[k] is a = l_ij
// d_j on entry, l_ij on return. Returns the amount subtracted from d_i.
static double eliminate(struct lcl_ref_ildu0 *F,
                        const struct lcl_ref_range *range, int64_t i, int64_t k)
{
    const struct lcl_csr *B = F->B;
    const int64_t j = B->col_ind[k];
    const double a = F->val[k], l = a * F->inv_d[j];
    double from_diagonal = 0, dropped = 0;
    F->val[k] = l;
    for (int64_t m = B->row_ptr[j]; m < B->row_ptr[j + 1]; ++m) {
        const int64_t c = B->col_ind[m];
        const double update = a * F->val[m];
        if (c <= j || !lcl_ref_is_inside(range, c))
            continue;
        const int64_t at = lcl_ref_find(B, i, c);
        if (c == i)
            from_diagonal += update;
        else if (at >= 0)
            F->val[at] -= update;
        else
            dropped += update;
    }
    return F->relax > 0 ? from_diagonal + F->relax * dropped : from_diagonal;
}

// Without relaxation:
// l_ij = (a_ij - sum_k l_ik d_k u_kj) / d_j    for j < i,
// d_i  =  a_ii - sum_k l_ik d_k u_ki,
// u_ij = (a_ij - sum_k l_ik d_k u_kj) / d_i    for j > i,
// for stored entries. Returns whether the pivot was small.
static bool factor_row(void *user, const struct lcl_ref_range *range, int64_t i)
{
    struct lcl_ref_ildu0 *F = user;
    const struct lcl_csr *B = F->B;
    const int64_t from = B->row_ptr[i], to = B->row_ptr[i + 1];
    const int64_t diagonal = lcl_ref_find(B, i, i);
    const double given = diagonal < 0 ? 0 : B->val[diagonal];
    const double scale = lcl_ref_scale(range, given, largest_of(B, range, i));
    bool small;
    memcpy(F->val + from, B->val + from, (size_t)(to - from) * sizeof *F->val);
    double d = given + copysign(range->shift * scale, given);
    for (int64_t k = from; k < to && B->col_ind[k] < i; ++k)
        if (lcl_ref_is_inside(range, B->col_ind[k]))
            d -= eliminate(F, range, i, k);
    F->inv_d[i] = 1 / lcl_ref_repair(range, d, given, scale, &small);
    for (int64_t k = from; k < to; ++k)
        if (B->col_ind[k] > i)
            F->val[k] *= F->inv_d[i];
    return small;
}

enum lcl_status lcl_ref_ildu0_init(struct lcl_ref_ildu0 *F,
                                   const struct lcl_csr *B,
                                   const int64_t *part_ptr, int64_t parts,
                                   const struct lcl_precond_params *params)
{
    *F = (struct lcl_ref_ildu0){
        .B = B,
        .part_ptr = part_ptr,
        .parts = parts,
        .relax = params->relax,
        .val = lcl_calloc((size_t)B->nnz, sizeof *F->val),
        .inv_d = lcl_calloc((size_t)B->rows, sizeof *F->inv_d),
        .bad = lcl_calloc((size_t)B->rows, 1),
    };
    if (!F->val || !F->inv_d || !F->bad) {
        lcl_ref_ildu0_finish(F);
        return LCL_ENOMEM;
    }
    F->repaired =
        lcl_ref_factor(factor_row, F, part_ptr, parts, params, F->bad);
    return LCL_OK;
}

void lcl_ref_ildu0_finish(struct lcl_ref_ildu0 *F)
{
    lcl_free(F->val);
    lcl_free(F->inv_d);
    lcl_free(F->bad);
    *F = (struct lcl_ref_ildu0){0};
}
