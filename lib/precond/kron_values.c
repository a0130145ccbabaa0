// SPDX-License-Identifier: BSD-3-Clause
// Gathers values of M and L of a Kronecker operator on the device.
#include "lib/precond/kron_values.h"

#include "host/geometry.h"
#include "host/launch.h"

enum lcl_status lcl_kron_values_init(struct lcl_kron_values *V,
                                     lcl_context *ctx,
                                     const struct lcl_kron_operator *K,
                                     int64_t blocks, const uint32_t *of_m,
                                     const uint32_t *of_l)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    const struct lcl_kernel_plan kernels[] = {{&V->stages, "stage_values"},
                                              {&V->pairs, "diagonal_pairs"}};
    const struct lcl_spec spec = {
        .source = "kron_values.cl",
        .block = K->block > 1 ? K->block : 0,
        .group = lcl_vector_group(caps),
    };
    enum lcl_status st;
    *V = (struct lcl_kron_values){
        .K = K, .groups = lcl_vector_groups(caps), .blocks = blocks};
    if ((st = lcl_kernels_get(ctx, &spec, kernels, 2)) < 0 || !of_m)
        return st;
    st = lcl_buffer_create_from(&V->of_m, ctx, of_m, blocks, sizeof *of_m,
                                "map of blocks");
    return st < 0 ? st
                  : lcl_buffer_create_from(&V->of_l, ctx, of_l, blocks,
                                           sizeof *of_l, "map of blocks");
}

void lcl_kron_values_finish(struct lcl_kron_values *V)
{
    lcl_buffer_destroy(&V->of_m);
    lcl_buffer_destroy(&V->of_l);
}

static const lcl_buffer *values_of_l(const struct lcl_kron_operator *K)
{
    return K->term[K->paired ? 0 : 1].val;
}

enum lcl_status lcl_kron_stage_values(const struct lcl_kron_values *V,
                                      lcl_buffer *val)
{
    const struct lcl_kron_operator *K = V->K;
    return LCL_LAUNCH(V->stages, V->groups, lcl_arg_long(V->blocks),
                      lcl_arg_int(K->stages), lcl_arg_int(K->paired),
                      lcl_arg_buffer(V->of_m), lcl_arg_buffer(V->of_l),
                      lcl_arg_buffer(K->term[0].val),
                      lcl_arg_buffer(values_of_l(K)), lcl_arg_buffer(K->coef),
                      lcl_arg_buffer(val));
}

enum lcl_status lcl_kron_pair_values(const struct lcl_kron_values *V,
                                     lcl_buffer *pairs)
{
    const struct lcl_kron_operator *K = V->K;
    return LCL_LAUNCH(V->pairs, V->groups, lcl_arg_long(V->blocks),
                      lcl_arg_int(K->paired), lcl_arg_buffer(V->of_m),
                      lcl_arg_buffer(V->of_l), lcl_arg_buffer(K->term[0].val),
                      lcl_arg_buffer(values_of_l(K)), lcl_arg_buffer(pairs));
}
