// SPDX-License-Identifier: BSD-3-Clause
// What a matrix in host memory looks like, row by row.
#include "lib/operator/look.h"

#include "lib/operator/symmetry.h"

#include "cl/operator/look.cl.h"

#include <math.h>

void lcl_look_host_sums(double *sums, const struct lcl_csr *A)
{
    for (int q = 0; q < LOOK_SUMS; ++q)
        sums[q] = 0;
    for (int64_t i = 0; i < A->rows; ++i) {
        double diagonal = 0, above = 0, below = 0, couplings = 0;
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
            const double a = A->val[k];
            couplings += A->col_ind[k] != i && a != 0;
            if (A->col_ind[k] == i)
                diagonal += a;
            else if (a > 0)
                above += a;
            else
                below -= a;
        }
        sums[0] += diagonal > 0;
        sums[1] += diagonal < 0;
        sums[2] += above + below > LOOK_CLOSE * fabs(diagonal);
        sums[3] += above + below > LOOK_LOOSE * fabs(diagonal);
        sums[4] += diagonal < 0 ? above : below;
        sums[5] += above + below;
        sums[6] += couplings;
        sums[7] += couplings * couplings;
    }
}

static bool is_symmetric(const struct lcl_csr *A)
{
    double sum[2] = {0};
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            lcl_symmetry_add(sum, i, A->col_ind[k], A->val[k]);
    return fabs(sum[0]) <= LCL_SYMMETRY_TOLERANCE * sum[1];
}

void lcl_look_host(struct lcl_look *look, const struct lcl_csr *A)
{
    double sum[LOOK_SUMS];
    lcl_look_host_sums(sum, A);
    lcl_look_take(look, sum);
    look->symmetric = is_symmetric(A);
}
