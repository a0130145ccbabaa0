// SPDX-License-Identifier: BSD-3-Clause
// Bound on the entries of the levels of smoothed aggregation.
#include "lib/multilevel/growth.h"

#include "lib/multilevel/prolongator.h"

#include <math.h>

#define GROWTH         2   // of the entries from a level to the next one
#define OVERCORRECTION 1.5 // of corrections by plain aggregation

int64_t lcl_growth_most(int64_t entries, int64_t rows)
{
    return GROWTH * (entries + rows);
}

enum lcl_status lcl_growth_plain(lcl_buffer **lambda, lcl_context *ctx,
                                 const struct lcl_strength *S)
{
    static const double infinity = INFINITY; // no damping, no smoothing
    const enum lcl_status st = lcl_buffer_create_from(
        lambda, ctx, &infinity, 1, sizeof infinity, "an eigenvalue");
    return st < 0 ? st : lcl_buffer_fill(S->strong, 0);
}

enum lcl_status lcl_growth_scale(lcl_context *ctx,
                                 const struct lcl_device_matrix *next)
{
    return lcl_scale_matrix(ctx, next, 1 / OVERCORRECTION);
}
