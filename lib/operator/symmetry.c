// SPDX-License-Identifier: BSD-3-Clause
// Symmetry test of a matrix on the device.
#include "lib/operator/symmetry.h"

#include "lib/operator/row_sums.h"

#include <math.h>

enum lcl_status lcl_symmetry_measure(double *difference, lcl_context *ctx,
                                     const struct lcl_device_matrix *D)
{
    const struct lcl_spec spec = {.source = "symmetry.cl",
                                  .kernel = "symmetry"};
    double sum[2]; // of the differences, and of their scales
    const enum lcl_status st =
        lcl_row_sums(sum, 2, ctx, D, spec, lcl_row_values(D) * D->block);
    *difference = sum[1] > 0 ? fabs(sum[0]) / sum[1] : 0;
    return st;
}
