// SPDX-License-Identifier: BSD-3-Clause
// The residual of a verdict.
#include "lib/operator/judge.h"

#include "host/geometry.h"
#include "host/launch.h"
#include "host/runtime.h"

static struct lcl_spec spec_of(lcl_context *ctx, int64_t mean)
{
    struct lcl_spec spec = {.source = "judge.cl",
                            .kernel = "judge",
                            .group = lcl_vector_group(lcl_context_caps(ctx))};
    lcl_spec_set(&spec, "LANES_PER_ROW", 1 << lcl_row_shift(ctx, mean));
    return spec;
}

static enum lcl_status get_kernel(lcl_kernel **out, lcl_context *ctx,
                                  const struct lcl_device_matrix *D)
{
    struct lcl_spec spec = spec_of(ctx, lcl_row_values(D));
    spec.block = D->block > 1 ? D->block : 0;
    spec.wide = D->wide;
    return lcl_kernel_get(out, ctx, &spec);
}

static enum lcl_status get_boundary_kernel(lcl_kernel **out,
                                           const struct lcl_halo *H)
{
    struct lcl_spec spec = spec_of(H->space.ctx, H->plan.mean);
    lcl_spec_set(&spec, "LISTED", 1);
    return lcl_kernel_get(out, H->space.ctx, &spec);
}

enum lcl_status lcl_judge_matrix(lcl_context *ctx,
                                 const struct lcl_device_matrix *D,
                                 const struct lcl_judged *v)
{
    const int groups = lcl_vector_groups(lcl_context_caps(ctx));
    lcl_kernel *kernel;
    const enum lcl_status st = get_kernel(&kernel, ctx, D);
    if (st < 0 || !v)
        return st;
    return LCL_LAUNCH(kernel, groups, lcl_arg_long(D->block_rows),
                      lcl_arg_buffer(D->col), lcl_arg_buffer(D->row_ptr),
                      lcl_arg_buffer(D->col), lcl_arg_buffer(D->val),
                      lcl_arg_long(D->n), lcl_arg_buffer(v->x),
                      lcl_arg_buffer(v->x), lcl_arg_int(v->columns),
                      lcl_arg_int(v->column), lcl_arg_buffer(v->b),
                      lcl_arg_buffer(v->r), lcl_arg_buffer(v->backward));
}

enum lcl_status lcl_judge_boundary(const struct lcl_halo *H,
                                   const struct lcl_judged *v)
{
    const struct lcl_halo_plan *P = &H->plan;
    lcl_kernel *kernel;
    const enum lcl_status st =
        P->boundary > 0 ? get_boundary_kernel(&kernel, H) : LCL_OK;
    if (st < 0 || !v || P->boundary == 0)
        return st;
    return LCL_LAUNCH(kernel, H->space.groups, lcl_arg_long(P->boundary),
                      lcl_arg_buffer(H->row), lcl_arg_buffer(H->row_ptr),
                      lcl_arg_buffer(H->col), lcl_arg_buffer(H->val),
                      lcl_arg_long(P->rows), lcl_arg_buffer(v->x),
                      lcl_arg_buffer(H->ghost), lcl_arg_int(1), lcl_arg_int(0),
                      lcl_arg_buffer(v->b), lcl_arg_buffer(v->r),
                      lcl_arg_buffer(v->backward));
}

static enum lcl_status judge_callback(lcl_operator *A,
                                      const struct lcl_judged *v)
{
    if (!v)
        return lcl_operator_prepare(A, LCL_RESIDUAL);
    const lcl_buffer *no_stop = lcl_context_no_stop(A->range.ctx);
    const struct lcl_operands plain = {
        .x = v->x, .w = v->b, .y = v->r, .sums = v->sums, .stop = no_stop};
    const enum lcl_status st = lcl_apply(A, LCL_RESIDUAL, &plain);
    return st < 0 ? st : lcl_buffer_fill(v->backward, 0);
}

enum lcl_status lcl_judge(lcl_operator *A, const struct lcl_judged *v)
{
    return A->ops->judge ? A->ops->judge(A, v) : judge_callback(A, v);
}
