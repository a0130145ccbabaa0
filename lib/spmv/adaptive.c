// SPDX-License-Identifier: BSD-3-Clause
// The adaptive product: bins of rows by the logarithm of their length, each
// with its own number of lanes per row, and one bin of long rows; one launch
// over a table of tiles.
#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/spmv/row_bins.h"
#include "lib/spmv/spmv.h"
#include "lib/spmv/tiles.h"

#include <stdio.h>

enum { REGISTERS = 40 };

struct adaptive {
    struct lcl_row_classes classes; // until the tables are made
    struct lcl_tiles plan;          // likewise
    lcl_kernel *kernel;
    int tiles;
    uint32_t longest;
    lcl_buffer *table;
    // For rows that span several parts
    lcl_kernel *parts_kernel;
    int parts;
    lcl_buffer *parts_table, *partial;
    // Of the listed rows; NULL: rows are used in matrix order
    lcl_buffer *start, *length, *number;
};

// ------------------------------------------------------------------- creation

static enum lcl_status get_kernels(struct adaptive *R, lcl_context *ctx,
                                   const struct lcl_device_matrix *A,
                                   const struct lcl_tiles *T)
{
    struct lcl_spec spec = {
        .source = "adaptive.cl",
        .kernel = "adaptive",
        .group = T->group,
        .wide = A->wide,
        .defines = {{"MATRIX_ORDER", T->as_they_are}},
    };
    const enum lcl_status st = lcl_kernel_get(&R->kernel, ctx, &spec);
    spec.kernel = "adaptive_parts";
    return st < 0 ? st : lcl_kernel_get(&R->parts_kernel, ctx, &spec);
}

static enum lcl_status upload_tiles(struct adaptive *R, lcl_context *ctx,
                                    const struct lcl_tiles *T)
{
    enum lcl_status st;
    R->tiles = T->count;
    R->parts = T->parts_count;
    R->longest = (uint32_t)T->longest;
    if ((st = lcl_buffer_create_from(&R->table, ctx, T->table, T->count,
                                     sizeof *T->table, "table of rows")) < 0 ||
        R->parts == 0)
        return st;
    if ((st = lcl_buffer_create_from(&R->parts_table, ctx, T->parts, R->parts,
                                     sizeof *T->parts, "table of long rows")) <
        0)
        return st;
    return lcl_buffer_create(&R->partial, ctx, R->parts, sizeof(double),
                             "partial sums of long rows");
}

// The long rows come first in the list.
static enum lcl_status fill_tiles(struct lcl_tiles *T, lcl_context *ctx,
                                  const struct lcl_device_matrix *A,
                                  const struct lcl_row_bins *B,
                                  const lcl_buffer *length)
{
    const size_t count = (size_t)B->rows[0];
    const struct lcl_log *log = lcl_context_log(ctx);
    int32_t *rows = lcl_malloc(2 * count, sizeof *rows);
    enum lcl_status st;
    if (!rows)
        return lcl_fail_memory(log, "long rows");
    if (count == 0 ||
        ((st = lcl_buffer_read(B->list, rows, count * sizeof *rows)) ==
             LCL_OK &&
         (st = lcl_buffer_read(length, rows + count, count * sizeof *rows)) ==
             LCL_OK))
        st = lcl_tiles_fill(T, B, A->block_rows, rows, rows + count, log);
    lcl_free(rows);
    return st;
}

// Lists the rows of each bin unless one bin holds all rows; long rows are
// always listed, since the host inspects their lengths.
static enum lcl_status find_tiles(struct adaptive *R, struct lcl_tiles *T,
                                  lcl_context *ctx,
                                  const struct lcl_device_matrix *A,
                                  const struct lcl_row_classes *C)
{
    struct lcl_row_bins B;
    enum lcl_status st =
        lcl_row_bins_init(&B, ctx, C, T->bin_of, LCL_TILE_BINS);
    if (st == LCL_OK && (!T->as_they_are || B.rows[0] > 0) &&
        (st = lcl_row_bins_list(&B, ctx, A, T->bin_of)) == LCL_OK)
        st = lcl_row_extents(&R->start, &R->length, ctx, A, &B);
    if (st == LCL_OK)
        st = fill_tiles(T, ctx, A, &B, R->length);
    if (T->as_they_are) {
        lcl_buffer_destroy(&R->start);
        lcl_buffer_destroy(&R->length);
    } else {
        R->number = B.list;
        B.list = NULL;
    }
    lcl_row_bins_finish(&B);
    return st;
}

// Describes each bin's share of the rows, in sixteenths.
static void describe(struct lcl_spmv *S)
{
    const struct adaptive *R = S->state;
    int64_t rows[LCL_TILE_BINS] = {0};
    size_t at = 0;
    for (int c = 0; c < LCL_ROW_CLASSES; ++c)
        rows[R->plan.bin_of[c]] += R->classes.rows[c];
    for (int b = 0; b < LCL_TILE_BINS; ++b)
        at += (size_t)snprintf(S->traits + at, sizeof S->traits - at, "%s%d",
                               at ? " " : "",
                               (int)(16 * rows[b] / S->A->block_rows));
}

static enum lcl_status study(struct lcl_spmv *S, lcl_context *ctx)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    enum lcl_status st = lcl_refuse_blocks(S, ctx, "the adaptive product");
    if (st < 0)
        return st;
    struct adaptive *R = S->state = lcl_calloc(1, sizeof *R);
    if (!R)
        return lcl_fail_memory(lcl_context_log(ctx), "a product");
    if ((st = lcl_row_classes_init(&R->classes, ctx, S->A)) < 0)
        return st;
    lcl_tiles_choose(&R->plan, &R->classes, caps->width,
                     lcl_vector_group_of(caps, REGISTERS));
    describe(S);
    return LCL_OK;
}

static void forget_plan(struct adaptive *R)
{
    lcl_tiles_finish(&R->plan);
    lcl_row_classes_finish(&R->classes);
}

static enum lcl_status create(struct lcl_spmv *S, lcl_context *ctx)
{
    struct adaptive *R = S->state;
    const struct lcl_device_matrix *A = S->A;
    enum lcl_status st;
    if ((st = find_tiles(R, &R->plan, ctx, A, &R->classes)) == LCL_OK &&
        (st = upload_tiles(R, ctx, &R->plan)) == LCL_OK)
        st = get_kernels(R, ctx, A, &R->plan);
    forget_plan(R);
    S->bytes = lcl_buffer_bytes(R->table) + lcl_buffer_bytes(R->parts_table) +
               lcl_buffer_bytes(R->partial) + lcl_buffer_bytes(R->start) +
               lcl_buffer_bytes(R->length) + lcl_buffer_bytes(R->number);
    S->traffic = S->bytes + 12 * (uint64_t)A->blocks +
                 (R->start ? 0 : lcl_buffer_bytes(A->row_ptr));
    return st;
}

// ------------------------------------------------------------------- products

static enum lcl_status add_parts(const struct lcl_spmv *S,
                                 const struct lcl_operands *v)
{
    const struct adaptive *R = S->state;
    const struct lcl_device_matrix *A = S->A;
    return LCL_LAUNCH(R->parts_kernel, R->parts, lcl_arg_int(R->parts),
                      lcl_arg_buffer(R->parts_table),
                      lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(A->col),
                      lcl_arg_buffer(A->val), lcl_arg_buffer(v->x),
                      lcl_arg_buffer(R->partial), lcl_arg_buffer(v->stop),
                      lcl_arg_int(v->at));
}

static enum lcl_status multiply(const struct lcl_spmv *S, enum lcl_mode mode,
                                const struct lcl_operands *v)
{
    const struct adaptive *R = S->state;
    const struct lcl_device_matrix *A = S->A;
    const enum lcl_status st = add_parts(S, v);
    if (st < 0)
        return st;
    return LCL_LAUNCH(
        R->kernel, S->groups, lcl_arg_int(mode), lcl_arg_int(R->tiles),
        lcl_arg_buffer(R->table), lcl_arg_int((int32_t)R->longest),
        lcl_arg_buffer(R->start ? R->start : A->row_ptr),
        lcl_arg_buffer(R->length), lcl_arg_buffer(R->number),
        lcl_arg_buffer(R->partial), lcl_arg_buffer(A->col),
        lcl_arg_buffer(A->val), lcl_arg_buffer(v->x), lcl_arg_buffer(v->w),
        lcl_arg_buffer(v->y), lcl_arg_buffer(v->sums), lcl_arg_buffer(v->stop),
        lcl_arg_int(v->at));
}

static void destroy(struct lcl_spmv *S)
{
    struct adaptive *R = S->state;
    if (!R)
        return;
    forget_plan(R);
    lcl_buffer_destroy(&R->number);
    lcl_buffer_destroy(&R->length);
    lcl_buffer_destroy(&R->start);
    lcl_buffer_destroy(&R->partial);
    lcl_buffer_destroy(&R->parts_table);
    lcl_buffer_destroy(&R->table);
    lcl_free(R);
}

const struct lcl_spmv_ops lcl_spmv_adaptive = {
    .study = study,
    .create = create,
    .multiply = multiply,
    .destroy = destroy,
};
