// SPDX-License-Identifier: BSD-3-Clause
// Symmetry test of a matrix on the device.
#include "lib/operator/symmetry.h"

#include "lib/operator/row_sums.h"

#include <math.h>

enum lcl_status lcl_symmetry_sums(double sum[2], lcl_context *ctx,
                                  const struct lcl_device_matrix *D)
{
    const struct lcl_spec spec = {.source = "symmetry.cl",
                                  .kernel = "symmetry"};
    return lcl_row_sums(sum, 2, ctx, D, spec, lcl_row_values(D) * D->block);
}

// As in symmetry.cl.
static double random_at(int64_t i, uint32_t salt)
{
    uint32_t h = (uint32_t)i * 0x9e3779b1u + salt;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return (double)(int32_t)(h ^ (h >> 16)) * 0x1p-31;
}

void lcl_symmetry_add(double sum[2], int64_t i, int64_t j, double a)
{
    const uint32_t u = 0x51ed270bu, w = 0xb5297a4du;
    const double uw = random_at(i, u) * random_at(j, w);
    const double wu = random_at(i, w) * random_at(j, u);
    sum[0] += a * (uw - wu);
    sum[1] += fabs(a) * (fabs(uw) + fabs(wu));
}
