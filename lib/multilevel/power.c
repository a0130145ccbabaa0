// SPDX-License-Identifier: BSD-3-Clause
// Estimates of largest eigenvalues by power iterations.
#include "lib/multilevel/power.h"

#include "host/geometry.h"
#include "host/launch.h"
#include "host/runtime.h"

enum { STEPS = 5 };

enum lcl_status lcl_power_init(struct lcl_power *P, lcl_context *ctx)
{
    const struct lcl_kernel_plan all[] = {
        {&P->start, "power_start"},
        {&P->growth, "power_growth"},
        {&P->lambda, "power_lambda"},
        {&P->damping, "power_damping"},
    };
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    const struct lcl_spec spec = {.source = "power.cl",
                                  .group = lcl_vector_group(caps)};
    *P = (struct lcl_power){.groups = lcl_vector_groups(caps)};
    const enum lcl_status st =
        lcl_kernels_get(ctx, &spec, all, sizeof all / sizeof *all);
    return st < 0 ? st
                  : lcl_buffer_create(&P->sums, ctx, 2 * P->groups,
                                      sizeof(double), "partial sums");
}

void lcl_power_finish(struct lcl_power *P)
{
    lcl_buffer_destroy(&P->sums);
}

enum lcl_status lcl_power_run(const struct lcl_power *P,
                              const struct lcl_space *V, int64_t n,
                              lcl_buffer *x, lcl_buffer *y,
                              lcl_power_fn *multiply, const void *user)
{
    enum lcl_status st =
        LCL_LAUNCH(P->start, P->groups, lcl_arg_long(n), lcl_arg_buffer(x));
    for (int k = 0; k < STEPS && st == LCL_OK; ++k) {
        lcl_buffer *const before = x;
        st = multiply(user, x, y);
        x = y;
        y = before;
    }
    if (st == LCL_OK)
        st =
            LCL_LAUNCH(P->growth, P->groups, lcl_arg_long(n), lcl_arg_buffer(y),
                       lcl_arg_buffer(x), lcl_arg_buffer(P->sums));
    return st < 0 || !V ? st : lcl_space_reduce(V, P->sums, 0, 2, P->groups);
}

enum lcl_status lcl_power_lambda(const struct lcl_power *P,
                                 const lcl_buffer *lambda)
{
    return LCL_LAUNCH(P->lambda, 1, lcl_arg_int(P->groups),
                      lcl_arg_buffer(P->sums), lcl_arg_buffer(lambda));
}

enum lcl_status lcl_power_damping(const struct lcl_power *P,
                                  const lcl_buffer *d)
{
    return LCL_LAUNCH(P->damping, 1, lcl_arg_int(P->groups),
                      lcl_arg_buffer(P->sums), lcl_arg_buffer(d));
}
