// SPDX-License-Identifier: BSD-3-Clause
// Strong couplings of a matrix on the device.
#include "lib/multilevel/strength.h"

#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"

#include "cl/multilevel/aggregate.cl.h"

struct lcl_spec lcl_row_team_spec(lcl_context *ctx,
                                  const struct lcl_device_matrix *A,
                                  const char *source)
{
    const int64_t rows = A->n > 0 ? A->n : 1;
    const int shift = lcl_row_shift(ctx, (A->blocks + rows - 1) / rows);
    struct lcl_spec spec = {
        .source = source,
        .group = lcl_vector_group(lcl_context_caps(ctx)),
        .wide = A->wide,
    };
    lcl_spec_set(&spec, "LANES_PER_ROW",
                 1 << shift < AGGREGATE_SUMS ? 1 << shift : AGGREGATE_SUMS);
    return spec;
}

int64_t lcl_row_team_groups(const struct lcl_spec *spec,
                            const struct lcl_device_matrix *A)
{
    const int rows = spec->group / spec->defines[0].value;
    const int64_t groups = lcl_launch_groups(A->n, rows, spec->group);
    if (groups < 1)
        return 1;
    return groups < A->groups ? groups : A->groups;
}

static enum lcl_status find_strong(const struct lcl_strength *S,
                                   lcl_context *ctx,
                                   const struct lcl_device_matrix *A,
                                   const struct lcl_strength_params *params,
                                   const lcl_buffer *root)
{
    const struct lcl_spec spec = lcl_row_team_spec(ctx, A, "strength.cl");
    const int64_t groups = lcl_row_team_groups(&spec, A);
    const struct lcl_arg n = lcl_arg_long(A->n);
    const struct lcl_arg row_ptr = lcl_arg_buffer(A->row_ptr);
    const struct lcl_arg col = lcl_arg_buffer(A->col);
    const struct lcl_arg val = lcl_arg_buffer(A->val);
    lcl_kernel *largest, *find;
    const struct lcl_kernel_plan all[] = {
        {&largest, "largest_couplings"},
        {&find, "find_strong"},
    };
    enum lcl_status st;
    if ((st = lcl_kernels_get(ctx, &spec, all, sizeof all / sizeof *all)) < 0 ||
        (st = LCL_LAUNCH(largest, groups, n, row_ptr, col, val,
                         lcl_arg_buffer(root))) < 0)
        return st;
    return LCL_LAUNCH(find, groups, n, lcl_arg_double(params->theta),
                      lcl_arg_int(params->both), row_ptr, col, val,
                      lcl_arg_buffer(root), lcl_arg_buffer(S->strong),
                      lcl_arg_buffer(S->inv_diag),
                      lcl_arg_buffer(S->strong_count));
}

enum lcl_status lcl_strength_init(struct lcl_strength *S, lcl_context *ctx,
                                  const struct lcl_device_matrix *A,
                                  const struct lcl_strength_params *params)
{
    lcl_buffer *root = NULL;
    const struct lcl_buffer_plan all[] = {
        {&S->strong, A->blocks, 1, "strong couplings"},
        {&S->inv_diag, A->n, sizeof(double), "strong couplings"},
        {&S->strong_count, A->n, sizeof(int32_t), "strong couplings"},
        {&root, A->n, sizeof(double), "strong couplings"},
    };
    enum lcl_status st;
    *S = (struct lcl_strength){.n = A->n, .nnz = A->blocks};
    if (A->block != 1)
        st = lcl_fail(lcl_context_log(ctx), LCL_EUNSUPPORTED,
                      "strong couplings of %d x %d blocks", A->block, A->block);
    else
        st = lcl_buffers_create(ctx, all, sizeof all / sizeof *all);
    if (st == LCL_OK)
        st = find_strong(S, ctx, A, params, root);
    lcl_buffer_destroy(&root);
    if (st < 0)
        lcl_strength_finish(S);
    return st;
}

void lcl_strength_finish(struct lcl_strength *S)
{
    lcl_buffer_destroy(&S->strong_count);
    lcl_buffer_destroy(&S->inv_diag);
    lcl_buffer_destroy(&S->strong);
    *S = (struct lcl_strength){.n = 0};
}
