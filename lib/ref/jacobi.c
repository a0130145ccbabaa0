// SPDX-License-Identifier: BSD-3-Clause
// Reference of the diagonal preconditioner.
#include "lib/ref/jacobi.h"

#include <math.h>

// a_ii, or 0 if it is not stored.
static double diagonal_of(const struct lcl_csr *A, int64_t i)
{
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
        if (A->col_ind[k] == i)
            return A->val[k];
    return 0;
}

int64_t lcl_ref_jacobi(const struct lcl_csr *A, double *inv_d,
                       unsigned char *bad)
{
    int64_t count = 0;
    for (int64_t i = 0; i < A->rows; ++i) {
        const double d = diagonal_of(A, i);
        bad[i] = !isnormal(d);
        inv_d[i] = bad[i] ? 1 : 1 / d;
        count += bad[i];
    }
    return count;
}

void lcl_ref_jacobi_absolute(const struct lcl_csr *A, double *inv_d)
{
    for (int64_t i = 0; i < A->rows; ++i) {
        double d = fabs(diagonal_of(A, i)), sum = 0, largest = 0;
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
            const int64_t j = A->col_ind[k];
            const double a = fabs(A->val[k]), other = fabs(diagonal_of(A, j));
            largest = fmax(largest, a);
            if (j != i && a > 0 && other >= 0.01 * a)
                sum += a * (a / other);
        }
        if (d < 0.01 * largest)
            d = fmax(d, sum);
        inv_d[i] = isnormal(d) ? 1 / d : 1;
    }
}
