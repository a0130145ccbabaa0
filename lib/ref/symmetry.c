// SPDX-License-Identifier: BSD-3-Clause
// Reference of the asymmetry: two products, by the definition.
#include "lib/ref/symmetry.h"

#include "cl/storage/properties.cl.h"

#include <math.h>

void lcl_ref_symmetry(const struct lcl_csr *A, double *difference,
                      double *scale)
{
    double uAw = 0, wAu = 0;
    *scale = 0;
    for (int64_t i = 0; i < A->rows; ++i) {
        double Aw = 0, Au = 0;
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
            const int64_t j = A->col_ind[k];
            const uint32_t hash = properties_hash((uint64_t)j);
            Aw += A->val[k] * properties_w(hash);
            Au += A->val[k] * properties_u(hash);
            *scale += fabs(A->val[k]);
        }
        const uint32_t hash = properties_hash((uint64_t)i);
        uAw += properties_u(hash) * Aw;
        wAu += properties_w(hash) * Au;
    }
    *difference = uAw - wAu;
}
