// SPDX-License-Identifier: BSD-3-Clause
// The published fused apply dag_vc_ILDU0_fused.
#include "lib/trisolve/trisolve.h"

#include "host/alloc.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/trisolve/published/csr_factors.h"

struct dag_vc {
    struct lcl_csr_factors factors;
    lcl_kernel *kernel;
};

static int64_t rows_most(enum lcl_trisolve name, const struct lcl_caps *caps,
                         int block)
{
    (void)name;
    return lcl_csr_factors_rows_most(caps, block);
}

static enum lcl_status create(struct lcl_trisolve_method *T, lcl_context *ctx,
                              const struct lcl_host_factor *host)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    struct lcl_spec spec = lcl_csr_factors_spec(
        caps, T->factor, "dag_vc_ILDU0_fused.cl", "dag_vc_ILDU0_fused");
    struct dag_vc *D = T->state = lcl_calloc(1, sizeof *D);
    if (!D)
        return lcl_fail_memory(lcl_context_log(ctx), "a triangular solve");
    const enum lcl_status st = lcl_csr_factors_init(
        &D->factors, ctx, T->factor, &host->schedule, true, LCL_SPLIT_L_D_U);
    T->op.launches = 1;
    T->group = spec.group;
    if (caps->width == 1)
        lcl_spec_set(&spec, "SUBDOMAIN_ROWS", 0); // x holds the vector
    else
        T->barriers =
            2 + D->factors.lower.levels_max + D->factors.upper.levels_max;
    lcl_csr_factors_describe(T, &D->factors);
    return st < 0 ? st : lcl_kernel_get(&D->kernel, ctx, &spec);
}

static void destroy(struct lcl_trisolve_method *T)
{
    struct dag_vc *D = T->state;
    if (!D)
        return;
    lcl_csr_factors_finish(&D->factors);
    lcl_free(D);
}

static enum lcl_status update(struct lcl_trisolve_method *T)
{
    const struct dag_vc *D = T->state;
    return lcl_csr_factors_update(&D->factors);
}

static enum lcl_status apply(const struct lcl_trisolve_method *T,
                             const struct lcl_operands *v)
{
    const struct dag_vc *D = T->state;
    const struct lcl_csr_factors *C = &D->factors;
    const struct lcl_csr_triangle *L = &C->lower, *U = &C->upper;
    return LCL_LAUNCH(D->kernel, T->factor->parts, lcl_arg_buffer(C->part_ptr),
                      lcl_arg_buffer(L->first_level),
                      lcl_arg_buffer(L->level_ptr), lcl_arg_buffer(L->order),
                      lcl_arg_buffer(L->row_ptr), lcl_arg_buffer(L->col),
                      lcl_arg_buffer(L->val), lcl_arg_buffer(U->first_level),
                      lcl_arg_buffer(U->level_ptr), lcl_arg_buffer(U->order),
                      lcl_arg_buffer(U->row_ptr), lcl_arg_buffer(U->col),
                      lcl_arg_buffer(U->val), lcl_arg_buffer(C->inv_d),
                      lcl_arg_buffer(v->x), lcl_arg_buffer(v->y),
                      lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}

const struct lcl_trisolve_ops lcl_trisolve_dag_vc_ILDU0_fused = {
    .rows_most = rows_most,
    .create = create,
    .update = update,
    .apply = apply,
    .destroy = destroy,
};
