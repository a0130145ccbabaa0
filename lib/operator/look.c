// SPDX-License-Identifier: BSD-3-Clause
// What a square matrix on the device looks like.
#include "lib/operator/look.h"

#include "host/log.h"
#include "host/runtime.h"
#include "lib/operator/row_sums.h"

#include "cl/operator/look.cl.h"

#include <math.h>

void lcl_look_take(struct lcl_look *look, const double *sum)
{
    look->positive = (int64_t)sum[0];
    look->negative = (int64_t)sum[1];
    look->close = (int64_t)sum[2];
    look->loose = (int64_t)sum[3];
    look->couplings = sum[6];
    look->squares = sum[7];
    look->opposite = sum[5] > 0 && isfinite(sum[5]) ? sum[4] / sum[5] : 0;
}

enum lcl_status lcl_look_measure(struct lcl_look *look,
                                 const struct lcl_space *V,
                                 const struct lcl_device_matrix *A)
{
    const struct lcl_spec spec = {.source = "look.cl", .kernel = "look"};
    lcl_context *ctx = V->ctx;
    double sum[LOOK_SUMS];
    enum lcl_status st =
        lcl_row_sums(sum, LOOK_SUMS, ctx, A, spec, lcl_row_values(A));
    *look = (struct lcl_look){.positive = 0};
    if (st < 0)
        return st;
    for (int q = 0; q < LOOK_COUNTS; ++q)
        if (!(sum[q] >= 0 && sum[q] <= (double)A->n))
            return lcl_fail(lcl_context_log(ctx), LCL_ESELFTEST,
                            "%s computes wrong results: %g of %lld rows",
                            lcl_context_caps(ctx)->name, sum[q],
                            (long long)A->n);
    if ((st = lcl_space_sum(V, sum, LOOK_SUMS)) < 0)
        return st;
    lcl_look_take(look, sum);
    return LCL_OK;
}
