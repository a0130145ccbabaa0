// SPDX-License-Identifier: BSD-3-Clause
// Shared by the packed applies for scalar and block factors.
#include "lib/trisolve/packed_state.h"

#include "host/alloc.h"
#include "host/launch.h"
#include "lib/factor/store.h"

enum lcl_status lcl_packed_launch(const struct lcl_packed *K,
                                  lcl_kernel *kernel,
                                  const struct lcl_factor *F,
                                  const struct lcl_operands *v,
                                  const lcl_buffer *aggregate)
{
    return LCL_LAUNCH(
        kernel, F->parts, lcl_arg_buffer(F->part), lcl_arg_buffer(K->table),
        lcl_arg_buffer(F->col), lcl_arg_buffer(lcl_store_values(F)),
        lcl_arg_buffer(v->x), lcl_arg_buffer(v->y), lcl_arg_buffer(v->stop),
        lcl_arg_int(v->at), lcl_arg_buffer(v->w), lcl_arg_buffer(aggregate));
}

enum lcl_status lcl_packed_apply(const struct lcl_trisolve_method *T,
                                 const struct lcl_operands *v)
{
    const struct lcl_packed *K = T->state;
    return lcl_packed_launch(K, K->kernel, T->factor, v, NULL);
}

enum lcl_status lcl_packed_apply_add(const struct lcl_trisolve_method *T,
                                     const struct lcl_operands *v)
{
    const struct lcl_packed *K = T->state;
    return lcl_packed_launch(K, K->adding, T->factor, v, K->aggregate);
}

enum lcl_status lcl_packed_prolong(struct lcl_packed *K, lcl_context *ctx,
                                   struct lcl_spec spec,
                                   const lcl_buffer *aggregate)
{
    lcl_spec_set(&spec, "ADD_COARSE", 1);
    K->aggregate = aggregate;
    return lcl_kernel_get(&K->adding, ctx, &spec);
}

void lcl_packed_destroy(struct lcl_trisolve_method *T)
{
    struct lcl_packed *K = T->state;
    if (!K)
        return;
    lcl_buffer_destroy(&K->planes);
    lcl_free(K);
}
