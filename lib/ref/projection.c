// SPDX-License-Identifier: BSD-3-Clause
// Reference of the projection along a null space.
#include "lib/ref/projection.h"

#include "lib/ref/vector.h"

void lcl_ref_projection(int64_t n, int count, const double *N,
                        const double *wanted, double *z, double *c)
{
    for (int k = 0; k < count; ++k)
        c[k] = lcl_ref_dot(n, N + k * n, z);
    for (int k = 0; k < count; ++k)
        lcl_ref_axpy(n, wanted[k] - c[k], N + k * n, z);
}
