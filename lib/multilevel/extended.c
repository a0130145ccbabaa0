// SPDX-License-Identifier: BSD-3-Clause
// Extended+i interpolation on the device.
#include "lib/multilevel/extended.h"

#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/storage/row_lengths.h"

#include "cl/multilevel/aggregate.cl.h"
#include "cl/multilevel/extended.cl.h"

// Rows of P with gaps: `most` places each.
struct work {
    lcl_context *ctx;
    const struct lcl_device_matrix *A;
    const struct lcl_splitting *S;
    struct lcl_device_matrix *P;
    int most;
    lcl_kernel *interpolate, *compact;
    int64_t groups;
    lcl_buffer *length, *col, *val;
};

static enum lcl_status check(const struct work *w)
{
    const struct lcl_log *log = lcl_context_log(w->ctx);
    if (w->most < 1 || w->most > EXTENDED_MOST)
        return lcl_fail(log, LCL_EINVAL,
                        "%d entries in a row of an interpolation, expected 1 "
                        "to %d",
                        w->most, EXTENDED_MOST);
    if (w->A->block != 1)
        return lcl_fail(log, LCL_EUNSUPPORTED,
                        "extended interpolation of %d x %d blocks", w->A->block,
                        w->A->block);
    return lcl_needs_wide(w->A->n * w->most)
               ? lcl_refuse_wide(w->A->n * w->most, "extended interpolation",
                                 log)
               : LCL_OK;
}

static enum lcl_status get_kernels(struct work *w)
{
    const int width = lcl_context_caps(w->ctx)->width;
    const struct lcl_kernel_plan all[] = {
        {&w->interpolate, "interpolate_rows"},
        {&w->compact, "compact_rows"},
    };
    struct lcl_spec spec = {
        .source = "extended.cl",
        .group = width,
        .wide = w->A->wide,
    };
    lcl_spec_set(&spec, "LANES_PER_ROW",
                 width < AGGREGATE_SUMS ? width : AGGREGATE_SUMS);
    w->groups = lcl_wave_groups(w->ctx, w->A->n);
    return lcl_kernels_get(w->ctx, &spec, all, sizeof all / sizeof *all);
}

static enum lcl_status allocate(struct work *w)
{
    const int64_t n = w->A->n;
    const char *what = "an interpolation";
    const struct lcl_buffer_plan all[] = {
        {&w->length, n, sizeof(uint32_t), what},
        {&w->col, n * w->most, sizeof(int32_t), what},
        {&w->val, n * w->most, sizeof(double), what},
    };
    return lcl_buffers_create(w->ctx, all, sizeof all / sizeof *all);
}

static enum lcl_status interpolate(const struct work *w)
{
    const struct lcl_device_matrix *A = w->A;
    const struct lcl_splitting *S = w->S;
    return LCL_LAUNCH(w->interpolate, w->groups, lcl_arg_long(A->n),
                      lcl_arg_int(w->most), lcl_arg_buffer(A->row_ptr),
                      lcl_arg_buffer(A->col), lcl_arg_buffer(A->val),
                      lcl_arg_buffer(S->strong), lcl_arg_buffer(S->negative),
                      lcl_arg_buffer(S->coarse), lcl_arg_buffer(w->length),
                      lcl_arg_buffer(w->col), lcl_arg_buffer(w->val));
}

static enum lcl_status compact(const struct work *w)
{
    struct lcl_device_matrix *P = w->P;
    const enum lcl_status st =
        lcl_device_matrix_counted(P, w->ctx, w->length, P->n * w->most);
    return st < 0
               ? st
               : LCL_LAUNCH(w->compact, w->groups, lcl_arg_long(P->n),
                            lcl_arg_int(w->most), lcl_arg_buffer(w->col),
                            lcl_arg_buffer(w->val), lcl_arg_buffer(P->row_ptr),
                            lcl_arg_buffer(P->col), lcl_arg_buffer(P->val));
}

enum lcl_status lcl_extended_init_most(struct lcl_device_matrix *P,
                                       lcl_context *ctx,
                                       const struct lcl_device_matrix *A,
                                       const struct lcl_splitting *S, int most)
{
    const struct lcl_bsr shape = {
        .rows = A->n, .cols = S->count, .block_size = 1};
    struct work w = {.ctx = ctx, .A = A, .S = S, .P = P, .most = most};
    enum lcl_status st;
    *P = lcl_device_matrix_shape(&shape);
    P->groups = A->groups;
    if ((st = check(&w)) == LCL_OK && (st = get_kernels(&w)) == LCL_OK &&
        (st = allocate(&w)) == LCL_OK && (st = interpolate(&w)) == LCL_OK)
        st = compact(&w);
    lcl_buffer_destroy(&w.length);
    lcl_buffer_destroy(&w.col);
    lcl_buffer_destroy(&w.val);
    if (st < 0) {
        lcl_device_matrix_finish(P);
        *P = (struct lcl_device_matrix){.n = 0};
    }
    return st;
}

enum lcl_status lcl_extended_init(struct lcl_device_matrix *P, lcl_context *ctx,
                                  const struct lcl_device_matrix *A,
                                  const struct lcl_splitting *S)
{
    return lcl_extended_init_most(P, ctx, A, S, 4);
}
