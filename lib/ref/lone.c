// SPDX-License-Identifier: BSD-3-Clause
// Reference of lone rows, entry by entry.
#include "lib/ref/lone.h"

static double entry(const struct lcl_csr *A, int64_t i, int64_t j)
{
    double sum = 0;
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
        sum += A->col_ind[k] == j ? A->val[k] : 0;
    return sum;
}

bool lcl_ref_is_lone(const struct lcl_csr *A, int64_t i)
{
    int64_t others = 0;
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
        others += A->col_ind[k] != i && A->val[k] != 0;
    return others == 0 && entry(A, i, i) != 0;
}

void lcl_ref_set_aside(double *val, const struct lcl_csr *A)
{
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            val[k] = lcl_ref_is_lone(A, A->col_ind[k]) ? 0 : A->val[k];
}

void lcl_ref_solve_lone(double *x, const struct lcl_csr *A, const double *b)
{
    for (int64_t i = 0; i < A->rows; ++i)
        if (lcl_ref_is_lone(A, i))
            x[i] = b[i] / entry(A, i, i);
}
