// SPDX-License-Identifier: BSD-3-Clause
// The product of a matrix with interleaved columns.
#include "lib/spmv/csr_columns.h"

#include "host/alloc.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/vector/interleaved.h"

struct product {
    const struct lcl_device_matrix *A;
    lcl_kernel *dot, *residual;
};

static enum lcl_status apply(lcl_operator *A, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    const struct product *P = A->state;
    const struct lcl_device_matrix *D = P->A;
    return LCL_LAUNCH(
        mode == LCL_RESIDUAL ? P->residual : P->dot, A->range.groups,
        lcl_arg_long(D->n), lcl_arg_buffer(D->row_ptr), lcl_arg_buffer(D->col),
        lcl_arg_buffer(D->val), lcl_arg_buffer(v->x), lcl_arg_buffer(v->w),
        lcl_arg_buffer(v->y), lcl_arg_buffer(v->sums), lcl_arg_buffer(v->stop),
        lcl_arg_int(v->at));
}

static void destroy(lcl_operator *A)
{
    lcl_free(A->state);
}

static const struct lcl_operator_ops ops = {
    .apply = apply,
    .destroy = destroy,
};

enum lcl_status lcl_csr_columns_init(lcl_operator *out,
                                     const struct lcl_device_matrix *A,
                                     int columns)
{
    lcl_context *ctx = out->range.ctx;
    struct lcl_spec spec = {.source = "csr_columns.cl", .wide = A->wide};
    if (A->block > 1 ||
        !lcl_interleaved_spec(&spec, lcl_context_caps(ctx), columns))
        return LCL_EUNSUPPORTED;
    struct product *P = lcl_calloc(1, sizeof *P);
    if (!P)
        return lcl_fail_memory(lcl_context_log(ctx), "a product");
    P->A = A;
    out->ops = &ops;
    out->state = P;
    out->modes = LCL_MODE_BIT(LCL_APPLY_DOT) | LCL_MODE_BIT(LCL_RESIDUAL);
    const struct lcl_kernel_plan all[] = {
        {&P->dot, "csr_columns_dot"}, {&P->residual, "csr_columns_residual"}};
    return lcl_kernels_get(ctx, &spec, all, 2);
}
