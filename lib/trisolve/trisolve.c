// SPDX-License-Identifier: BSD-3-Clause
// How the factors are applied: the table of methods.
#include "lib/trisolve/trisolve.h"

static const struct lcl_trisolve_ops *const methods[LCL_TRISOLVE_COUNT] = {
    [LCL_TRISOLVE_DEFAULT] = &lcl_trisolve_packed,
    [LCL_TRISOLVE_PACKED] = &lcl_trisolve_packed,
    [LCL_TRISOLVE_DAG_VC_ILDU0_FUSED] = &lcl_trisolve_dag_vc_ILDU0_fused,
};

enum lcl_status lcl_trisolve_init(struct lcl_trisolve_method *T,
                                  enum lcl_trisolve name, lcl_context *ctx,
                                  const struct lcl_factor *factor,
                                  const struct lcl_layout *layout,
                                  const int32_t *level)
{
    *T = (struct lcl_trisolve_method){.ops = methods[name], .factor = factor};
    return T->ops->create(T, ctx, layout, level);
}

void lcl_trisolve_finish(struct lcl_trisolve_method *T)
{
    if (T->ops)
        T->ops->destroy(T);
    *T = (struct lcl_trisolve_method){.ops = NULL};
}

// One item a group goes through the rows of packed levels as they are.
bool lcl_trisolve_sorted(enum lcl_trisolve name, const struct lcl_caps *caps)
{
    return caps->width > 1 || methods[name] != &lcl_trisolve_packed;
}

bool lcl_trisolve_reads_layout(enum lcl_trisolve name)
{
    return methods[name] != &lcl_trisolve_packed;
}

enum lcl_status lcl_trisolve_update(struct lcl_trisolve_method *T)
{
    return T->ops->update ? T->ops->update(T) : LCL_OK;
}

enum lcl_status lcl_trisolve_apply(const struct lcl_trisolve_method *T,
                                   const lcl_buffer *b, lcl_buffer *x,
                                   const lcl_buffer *stop, int at)
{
    return T->ops->apply(T, b, x, stop, at);
}
