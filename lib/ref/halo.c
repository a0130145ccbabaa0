// SPDX-License-Identifier: BSD-3-Clause
// Reference of the boundary rows of a distributed operator.
#include "lib/ref/halo.h"

double lcl_ref_halo(const struct lcl_csr *A, const int32_t *row, int64_t n,
                    const double *x, const double *ghost, const double *w,
                    double *y)
{
    double sum = 0;
    for (int64_t r = 0; r < A->rows; ++r) {
        double dot = 0;
        for (int64_t k = A->row_ptr[r]; k < A->row_ptr[r + 1]; ++k) {
            const int64_t j = A->col_ind[k];
            dot += A->val[k] * (j < n ? x[j] : ghost[j - n]);
        }
        if (w)
            sum += w[row[r]] * (dot - y[row[r]]);
        y[row[r]] = dot;
    }
    return sum;
}
