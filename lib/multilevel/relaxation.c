// SPDX-License-Identifier: BSD-3-Clause
// A level of a V-cycle smoothed by incomplete factors.
#include "lib/multilevel/relaxation.h"

#include "host/geometry.h"
#include "host/launch.h"
#include "host/runtime.h"

static enum lcl_status get_kernels(struct lcl_relaxation *R, lcl_context *ctx)
{
    const struct lcl_kernel_plan all[] = {
        {&R->enter, "relaxation_enter"},
        {&R->leave, "relaxation_leave"},
    };
    const struct lcl_spec spec = {
        .source = "relaxation.cl",
        .group = lcl_vector_group(lcl_context_caps(ctx)),
    };
    return lcl_kernels_get(ctx, &spec, all, sizeof all / sizeof *all);
}

enum lcl_status lcl_relaxation_init(struct lcl_relaxation *R, lcl_operator *M,
                                    double traffic)
{
    lcl_context *ctx = M->range.ctx;
    const int64_t n = M->range.n;
    *R = (struct lcl_relaxation){
        .M = M,
        .n = n,
        .groups = lcl_vector_groups(lcl_context_caps(ctx)),
        .traffic = traffic,
    };
    const struct lcl_buffer_plan all[] = {
        {&R->in, n, sizeof(double), "a vector of a level"},
        {&R->out, n, sizeof(double), "a vector of a level"},
        {&R->damping, 1, sizeof(double), "a damping"},
    };
    enum lcl_status st;
    if ((st = get_kernels(R, ctx)) < 0 ||
        (st = lcl_buffers_create(ctx, all, sizeof all / sizeof *all)) < 0)
        return st;
    return lcl_operator_prepare(M, LCL_APPLY);
}

void lcl_relaxation_finish(struct lcl_relaxation *R)
{
    lcl_buffer_destroy(&R->in);
    lcl_buffer_destroy(&R->out);
    lcl_buffer_destroy(&R->damping);
    R->M = NULL;
}

uint64_t lcl_relaxation_bytes(const struct lcl_relaxation *R)
{
    return lcl_buffer_bytes(R->in) + lcl_buffer_bytes(R->out);
}

// ------------------------------------------------------------------- sweep

static const lcl_buffer *order_of(const struct lcl_relaxation *R)
{
    return R->M->numbering ? R->M->numbering->perm : NULL;
}

enum lcl_status lcl_relax(const struct lcl_relaxation *R, const lcl_buffer *t,
                          const lcl_buffer *b, bool add, lcl_buffer *x,
                          const struct lcl_operands *v)
{
    const struct lcl_operands own = {
        .x = R->in, .y = R->out, .stop = v->stop, .at = v->at};
    const struct lcl_arg n = lcl_arg_long(R->n);
    const struct lcl_arg perm = lcl_arg_buffer(order_of(R));
    const struct lcl_arg stop = lcl_arg_buffer(v->stop);
    const struct lcl_arg at = lcl_arg_int(v->at);
    enum lcl_status st;
    if ((st = LCL_LAUNCH(R->enter, R->groups, n, perm, lcl_arg_buffer(t),
                         lcl_arg_buffer(b), lcl_arg_buffer(R->in), stop, at)) <
            0 ||
        (st = lcl_apply(R->M, LCL_APPLY, &own)) < 0)
        return st;
    return LCL_LAUNCH(R->leave, R->groups, n, perm, lcl_arg_buffer(t),
                      lcl_arg_buffer(R->damping), lcl_arg_buffer(R->out),
                      lcl_arg_int(add), lcl_arg_buffer(x), stop, at);
}

int lcl_relaxation_launches(const struct lcl_relaxation *R)
{
    return 2 + lcl_operator_launches(R->M, LCL_APPLY);
}

// t, b, `in` and the order before M; `in` and `out` in it; t, `out`, x and the
// order after it.
double lcl_relaxation_traffic(const struct lcl_relaxation *R)
{
    return R->traffic + (24.0 + 16.0 + 24.0) * (double)R->n;
}
