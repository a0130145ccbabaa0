// SPDX-License-Identifier: BSD-3-Clause
// Reference of the look at a matrix, row by row.
#include "lib/ref/look.h"

#include "cl/operator/look.cl.h"

#include <math.h>

void lcl_ref_look(const struct lcl_csr *A, double *sums)
{
    for (int q = 0; q < LOOK_SUMS; ++q)
        sums[q] = 0;
    for (int64_t i = 0; i < A->rows; ++i) {
        double diagonal = 0, above = 0, below = 0;
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
            const double a = A->val[k];
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
    }
}
