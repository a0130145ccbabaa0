// SPDX-License-Identifier: BSD-3-Clause
// Reference of the asymmetry: two products, by the definition.
#include "lib/ref/symmetry.h"

#include <math.h>

// As in look.cl.h.
static uint32_t bits_at(int64_t i)
{
    uint32_t h = (uint32_t)i * 0x9e3779b1u + 0x51ed270bu;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return h ^ (h >> 16);
}

static double u_at(int64_t i)
{
    return ((double)(bits_at(i) % 0x10000) - 0x8000) / 0x8000;
}

static double w_at(int64_t i)
{
    return ((double)(bits_at(i) / 0x10000) - 0x8000) / 0x8000;
}

void lcl_ref_symmetry(const struct lcl_csr *A, double *difference,
                      double *scale)
{
    double uAw = 0, wAu = 0;
    *scale = 0;
    for (int64_t i = 0; i < A->rows; ++i) {
        double Aw = 0, Au = 0;
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
            const int64_t j = A->col_ind[k];
            Aw += A->val[k] * w_at(j);
            Au += A->val[k] * u_at(j);
            *scale += fabs(A->val[k]);
        }
        uAw += u_at(i) * Aw;
        wAu += w_at(i) * Au;
    }
    *difference = uAw - wAu;
}
