// SPDX-License-Identifier: BSD-3-Clause
// Application of the factors: the table of methods.
#include "lib/trisolve/trisolve.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"

#include <levelcl/published.h>

static const struct lcl_trisolve_ops *const methods[LCL_TRISOLVE_COUNT] = {
    [LCL_TRISOLVE_DEFAULT] = &lcl_trisolve_packed,
    [LCL_TRISOLVE_PACKED] = &lcl_trisolve_packed,
    [LCL_TRISOLVE_SPIN_LOOP_LDS] = &lcl_trisolve_spin_loop_lds,
    [LCL_TRISOLVE_DAG_EC_NO_LDS] = &lcl_trisolve_dag_ec,
    [LCL_TRISOLVE_DAG_EC_LDS] = &lcl_trisolve_dag_ec,
    [LCL_TRISOLVE_DAG_EC_LDS_UD] = &lcl_trisolve_dag_ec,
    [LCL_TRISOLVE_DAG_EC_ILD_U0] = &lcl_trisolve_dag_ec,
    [LCL_TRISOLVE_DAG_EC_ILDU0_FUSED] = &lcl_trisolve_dag_ec_fused,
    [LCL_TRISOLVE_DAG_VC_ILDU0_FUSED] = &lcl_trisolve_dag_vc_ILDU0_fused,
    [LCL_TRISOLVE_HEC_LEVEL] = &lcl_trisolve_hec_level,
    [LCL_TRISOLVE_HEC_WAIT] = &lcl_trisolve_hec_level,
};

// The packed apply has a separate kernel for blocks.
static const struct lcl_trisolve_ops *method_for(enum lcl_trisolve name,
                                                 int block)
{
    return block > 1 && methods[name] == &lcl_trisolve_packed
               ? &lcl_trisolve_packed_block
               : methods[name];
}

int64_t lcl_trisolve_rows_most(enum lcl_trisolve name,
                               const struct lcl_caps *caps, int block)
{
    return method_for(name, block)->rows_most(name, caps, block);
}

static enum lcl_status check(const struct lcl_factor *F, enum lcl_trisolve name,
                             const struct lcl_log *log)
{
    if (name > LCL_TRISOLVE_PACKED && F->storage != LCL_FACTOR_STORAGE_FP64)
        return lcl_fail(
            log, LCL_EUNSUPPORTED, "%s requires fp64 factors, not %s",
            lcl_trisolve_name(name), lcl_factor_storage_name(F->storage));
    return LCL_OK;
}

static enum lcl_status apply(lcl_operator *A, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    const struct lcl_trisolve_method *T = A->state;
    if (!T->ops)
        return lcl_fail(
            lcl_context_log(A->range.ctx), LCL_EINVAL,
            "the preconditioner has no values, because its last update failed");
    return mode == LCL_APPLY_ADD ? T->ops->apply_add(T, v)
                                 : T->ops->apply(T, v);
}

static enum lcl_status interleave(lcl_operator *out, lcl_operator *A,
                                  int columns)
{
    const struct lcl_trisolve_method *T = A->state;
    return T->ops && T->ops->interleave ? T->ops->interleave(out, T, columns)
                                        : LCL_EUNSUPPORTED;
}

static const struct lcl_operator_ops operator_ops = {
    .apply = apply,
    .interleave = interleave,
};

enum lcl_status lcl_trisolve_init(struct lcl_trisolve_method *T,
                                  enum lcl_trisolve name, lcl_context *ctx,
                                  const struct lcl_factor *factor,
                                  const struct lcl_host_factor *host)
{
    const enum lcl_status st = check(factor, name, lcl_context_log(ctx));
    *T = (struct lcl_trisolve_method){
        .name = name, .factor = factor, .group = factor->group, .form = ""};
    if (st < 0)
        return st;
    const struct lcl_space V = lcl_space_of(ctx, factor->n * factor->block);
    lcl_operator_init(&T->op, &operator_ops, V, V);
    T->op.state = T;
    T->ops = method_for(name, factor->block);
    return T->ops->create(T, ctx, host);
}

void lcl_trisolve_finish(struct lcl_trisolve_method *T)
{
    if (T->ops)
        T->ops->destroy(T);
    T->ops = NULL;
    T->state = NULL;
}

enum lcl_status lcl_trisolve_prolong(struct lcl_trisolve_method *T,
                                     const lcl_buffer *aggregate)
{
    if (!T->ops->prolong)
        return LCL_EUNSUPPORTED;
    T->op.modes |= LCL_MODE_BIT(LCL_APPLY_ADD);
    return T->ops->prolong(T, T->op.range.ctx, aggregate);
}

void lcl_host_factor_finish(struct lcl_host_factor *host)
{
    lcl_host_schedule_finish(&host->schedule);
    lcl_free(host->row);
    lcl_host_pattern_finish(&host->pattern);
    *host = (struct lcl_host_factor){.hec_width = 0};
}

bool lcl_trisolve_supports_levels(enum lcl_trisolve name)
{
    return methods[name] == &lcl_trisolve_hec_level;
}

bool lcl_trisolve_reads_schedule(enum lcl_trisolve name)
{
    return methods[name] != &lcl_trisolve_packed &&
           !lcl_trisolve_supports_levels(name);
}

bool lcl_trisolve_reads_order(enum lcl_trisolve name)
{
    return methods[name] == &lcl_trisolve_spin_loop_lds;
}

enum lcl_status lcl_trisolve_update(struct lcl_trisolve_method *T)
{
    return T->ops->update ? T->ops->update(T) : LCL_OK;
}
