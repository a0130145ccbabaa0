// SPDX-License-Identifier: BSD-3-Clause
// A matrix of a level of a V-cycle.
#include "lib/multilevel/cycle_matrix.h"

#include "host/geometry.h"
#include "host/launch.h"
#include "host/runtime.h"

// ------------------------------------------------------------------- kernels

// Each lane takes two entries at a time.
static int lanes_of(const struct lcl_caps *caps,
                    const struct lcl_device_matrix *A)
{
    const int64_t mean = A->block_rows ? A->blocks / A->block_rows : 0;
    int lanes = 1;
    while (2 * lanes < mean && 2 * lanes <= caps->width)
        lanes *= 2;
    return lanes;
}

static enum lcl_status get_kernels(struct lcl_cycle_matrix *M, lcl_context *ctx)
{
    static const char *const stores[] = {
        [LCL_CYCLE_LEVEL] = "store_level",
        [LCL_CYCLE_UPWARDS] = "store_upwards",
        [LCL_CYCLE_DOWN] = "store_down",
    };
    const struct lcl_kernel_plan all[] = {
        {&M->steps[LCL_CYCLE_FIRST], "cycle_first"},
        {&M->steps[LCL_CYCLE_RESIDUAL], "cycle_residual"},
        {&M->steps[LCL_CYCLE_AGAIN], "cycle_again"},
        {&M->steps[LCL_CYCLE_LAST], "cycle_last"},
        {&M->steps[LCL_CYCLE_RESTRICT], "cycle_restrict"},
        {&M->steps[LCL_CYCLE_PROLONG], "cycle_prolong"},
        {&M->steps[LCL_CYCLE_BEFORE], "cycle_before"},
        {&M->steps[LCL_CYCLE_RAISE], "cycle_raise"},
        {&M->store, stores[M->kind]},
    };
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    const int lanes = lanes_of(caps, M->D);
    const struct lcl_spec spec = {
        .source = "cycle.cl",
        .group = lcl_vector_group(caps),
        .defines = {{"LANES_PER_ROW", lanes}},
        .wide = M->D->wide,
        .storage = M->storage,
    };
    const int64_t all_groups = lcl_vector_groups(caps),
                  needed = lcl_launch_groups(M->D->block_rows,
                                             spec.group / lanes, spec.group);
    M->groups = caps->width > 1 && needed < all_groups ? needed : all_groups;
    return lcl_kernels_get(ctx, &spec, all, sizeof all / sizeof *all);
}

// ------------------------------------------------------------------- matrix

enum lcl_status lcl_cycle_matrix_init(struct lcl_cycle_matrix *M,
                                      lcl_context *ctx,
                                      const struct lcl_device_matrix *D,
                                      enum lcl_cycle_kind kind,
                                      enum lcl_factor_storage storage)
{
    const bool rounds = storage == LCL_FACTOR_STORAGE_BF16;
    *M = (struct lcl_cycle_matrix){.D = D, .kind = kind, .storage = storage};
    const struct lcl_buffer_plan all[] = {
        {&M->val, D->blocks, rounds ? 2 : 4, "values of a level"},
        {&M->rest, rounds ? D->block_rows : 0, 4, "rests of row sums"},
    };
    const enum lcl_status st = get_kernels(M, ctx);
    return st < 0 ? st : lcl_buffers_create(ctx, all, rounds ? 2 : 1);
}

void lcl_cycle_matrix_finish(struct lcl_cycle_matrix *M)
{
    lcl_buffer_destroy(&M->val);
    lcl_buffer_destroy(&M->rest);
}

uint64_t lcl_cycle_matrix_bytes(const struct lcl_cycle_matrix *M)
{
    return lcl_buffer_bytes(M->val) + lcl_buffer_bytes(M->rest);
}

enum lcl_status lcl_cycle_store(const struct lcl_cycle_matrix *M,
                                const lcl_buffer *t_row,
                                const lcl_buffer *t_col, lcl_buffer *lost,
                                int at)
{
    const struct lcl_device_matrix *D = M->D;
    return LCL_LAUNCH(M->store, M->groups, lcl_arg_long(D->block_rows),
                      lcl_arg_buffer(D->row_ptr), lcl_arg_buffer(D->col),
                      lcl_arg_buffer(D->val), lcl_arg_buffer(t_row),
                      lcl_arg_buffer(t_col), lcl_arg_buffer(M->val),
                      lcl_arg_buffer(M->rest), lcl_arg_buffer(lost),
                      lcl_arg_int(at));
}

// ------------------------------------------------------------------- steps

// Matrix, row pointers, rests, and each vector once.
double lcl_cycle_step_bytes(const struct lcl_cycle_matrix *M,
                            enum lcl_cycle_step step)
{
    static const int vectors[LCL_CYCLE_STEPS] = {
        [LCL_CYCLE_FIRST] = 2,    [LCL_CYCLE_RESIDUAL] = 3,
        [LCL_CYCLE_AGAIN] = 3,    [LCL_CYCLE_LAST] = 4,
        [LCL_CYCLE_RESTRICT] = 1, [LCL_CYCLE_PROLONG] = 2,
        [LCL_CYCLE_BEFORE] = 2,   [LCL_CYCLE_RAISE] = 2,
    };
    const struct lcl_device_matrix *D = M->D;
    const double others =
        M->kind != LCL_CYCLE_LEVEL ? 4.0 * (double)D->block_cols : 0;
    const bool rounds = M->storage == LCL_FACTOR_STORAGE_BF16;
    return (rounds ? 6.0 : 8.0) * (double)D->blocks + others +
           (4.0 * (vectors[step] + rounds) + (D->wide ? 8 : 4)) *
               (double)D->block_rows;
}

enum lcl_status lcl_cycle_step(const struct lcl_cycle_matrix *M,
                               enum lcl_cycle_step step,
                               const struct lcl_cycle_vectors *vectors,
                               const struct lcl_operands *v)
{
    const struct lcl_device_matrix *D = M->D;
    return LCL_LAUNCH(M->steps[step], M->groups, lcl_arg_long(D->block_rows),
                      lcl_arg_buffer(D->row_ptr), lcl_arg_buffer(D->col),
                      lcl_arg_buffer(M->val), lcl_arg_buffer(M->rest),
                      lcl_arg_buffer(vectors->lambda),
                      lcl_arg_buffer(vectors->b), lcl_arg_buffer(vectors->x),
                      lcl_arg_buffer(vectors->y), lcl_arg_buffer(vectors->out),
                      lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}
