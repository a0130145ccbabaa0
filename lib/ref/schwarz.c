// SPDX-License-Identifier: BSD-3-Clause
// Reference of schwarz.cl.
#include "lib/ref/schwarz.h"

void lcl_ref_schwarz_extend(double *extended, const double *x,
                            const struct lcl_subdomains *P,
                            const int32_t *order, int block)
{
    for (int64_t k = 0; k < lcl_subdomains_rows(P); ++k)
        for (int c = 0; c < block; ++c)
            extended[k * block + c] = x[P->row[order[k]] * block + c];
}

void lcl_ref_schwarz_collect(double *y, const double *extended,
                             const struct lcl_subdomains *P,
                             const int32_t *order, int block, bool restricted)
{
    for (int64_t k = 0; k < lcl_subdomains_rows(P); ++k)
        for (int c = 0; c < block; ++c)
            if (!restricted || !P->owned || P->owned[order[k]])
                y[P->row[order[k]] * block + c] += extended[k * block + c];
}
