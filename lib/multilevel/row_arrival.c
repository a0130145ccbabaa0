// SPDX-License-Identifier: BSD-3-Clause
// Rows that have come from other ranks, in columns of the rank.
#include "lib/multilevel/row_arrival.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/multilevel/rank_rows.h"
#include "lib/storage/row_lengths.h"

static const char what[] = "rows of other ranks";

static int groups_of(const lcl_context *ctx)
{
    return lcl_vector_groups(lcl_context_caps(ctx));
}

// ------------------------------------------------------------------- ghosts

// The words of bits that hold the columns of other ranks; none: no words.
static enum lcl_status find_words(int64_t *from, int64_t *words,
                                  const struct lcl_came_rows *came,
                                  const struct lcl_halo_plan *columns,
                                  lcl_context *ctx)
{
    uint32_t range[2] = {UINT32_MAX, 0};
    lcl_buffer *reach = NULL;
    lcl_kernel *kernel;
    enum lcl_status st;
    if ((st = lcl_ghost_rows_kernel(&kernel, ctx, "rows_reach")) == LCL_OK &&
        (st = lcl_buffer_create_from(&reach, ctx, range, 2, sizeof *range,
                                     what)) == LCL_OK &&
        (st = LCL_LAUNCH(
             kernel, groups_of(ctx), lcl_arg_long(came->entries),
             lcl_arg_long(columns->first), lcl_arg_int((int32_t)columns->rows),
             lcl_arg_buffer(came->col), lcl_arg_buffer(reach))) == LCL_OK)
        st = lcl_buffer_read(reach, range, sizeof range);
    lcl_buffer_destroy(&reach);
    const bool any = range[0] <= range[1];
    *from = any ? 64 * (int64_t)range[0] : 0;
    *words = any ? (int64_t)range[1] - range[0] + 1 : 0;
    return st;
}

static enum lcl_status read_bits(uint64_t *bits, int64_t words, int64_t from,
                                 const struct lcl_came_rows *came,
                                 const struct lcl_halo_plan *columns,
                                 lcl_context *ctx)
{
    lcl_buffer *marks = NULL;
    lcl_kernel *kernel;
    enum lcl_status st;
    if ((st = lcl_ghost_rows_kernel(&kernel, ctx, "rows_mark")) == LCL_OK &&
        (st = lcl_buffer_create(&marks, ctx, words, sizeof *bits, what)) ==
            LCL_OK &&
        (st = lcl_buffer_fill(marks, 0)) == LCL_OK &&
        (st = LCL_LAUNCH(kernel, groups_of(ctx), lcl_arg_long(came->entries),
                         lcl_arg_long(columns->first),
                         lcl_arg_int((int32_t)columns->rows),
                         lcl_arg_long(from), lcl_arg_buffer(came->col),
                         lcl_arg_buffer(marks))) == LCL_OK)
        st = lcl_buffer_read(marks, bits, (size_t)words * sizeof *bits);
    lcl_buffer_destroy(&marks);
    return st;
}

enum lcl_status lcl_arrival_ghosts(struct lcl_halo_plan *to,
                                   const struct lcl_came_rows *came,
                                   const struct lcl_halo_plan *from,
                                   lcl_context *ctx)
{
    const struct lcl_log *log = lcl_context_log(ctx);
    int64_t start, words;
    enum lcl_status st = find_words(&start, &words, came, from, ctx);
    if (st < 0)
        return st;
    if (start + 64 * words > from->total + 63)
        return lcl_fail(log, LCL_ESELFTEST,
                        "%s computes wrong results: a column of a matrix that "
                        "it does not have",
                        lcl_context_caps(ctx)->name);
    uint64_t *bits = lcl_malloc((size_t)words, sizeof *bits);
    if (!bits)
        return lcl_fail_memory(log, what);
    if (words > 0)
        st = read_bits(bits, words, start, came, from, ctx);
    if (st == LCL_OK)
        st = lcl_ghosts_join(to, from, start, bits, words, log);
    lcl_free(bits);
    return st;
}

// ------------------------------------------------------------------- rows

enum { COMMON = 9, MOST = 14 };

// What both kernels take first.
static void list_common(struct lcl_arg arg[COMMON], const struct lcl_arrival *a,
                        const lcl_buffer *ghost)
{
    const struct lcl_came_rows *C = a->came;
    const struct lcl_halo_plan *P = a->columns;
    arg[0] = lcl_arg_long(C->rows);
    arg[1] = lcl_arg_long(P->first);
    arg[2] = lcl_arg_int((int32_t)P->rows);
    arg[3] = lcl_arg_int((int32_t)P->ghosts);
    arg[4] = lcl_arg_buffer(ghost);
    arg[5] = lcl_arg_int(a->place != NULL);
    arg[6] = lcl_arg_buffer(a->place ? a->place : C->row_ptr);
    arg[7] = lcl_arg_buffer(C->row_ptr);
    arg[8] = lcl_arg_buffer(C->col);
}

static enum lcl_status count_entries(lcl_buffer *length, lcl_context *ctx,
                                     const struct lcl_arrival *a,
                                     const lcl_buffer *ghost)
{
    struct lcl_arg arg[MOST];
    lcl_kernel *kernel;
    const enum lcl_status st =
        lcl_ghost_rows_kernel(&kernel, ctx, "rows_count");
    list_common(arg, a, ghost);
    arg[COMMON] = lcl_arg_buffer(length);
    return st < 0 ? st : lcl_launch(kernel, groups_of(ctx), arg, COMMON + 1);
}

static enum lcl_status take_entries(const struct lcl_device_matrix *D,
                                    lcl_buffer *map, lcl_context *ctx,
                                    const struct lcl_arrival *a,
                                    const lcl_buffer *ghost)
{
    struct lcl_arg arg[MOST];
    lcl_kernel *kernel;
    const enum lcl_status st =
        lcl_ghost_rows_kernel(&kernel, ctx, "rows_arrive");
    list_common(arg, a, ghost);
    arg[COMMON] = lcl_arg_buffer(a->came->val);
    arg[COMMON + 1] = lcl_arg_buffer(D->row_ptr);
    arg[COMMON + 2] = lcl_arg_buffer(D->col);
    arg[COMMON + 3] = lcl_arg_buffer(D->val);
    arg[COMMON + 4] = lcl_arg_buffer(map);
    return st < 0 ? st : lcl_launch(kernel, D->groups, arg, MOST);
}

enum lcl_status lcl_arrive(struct lcl_device_matrix *D, lcl_buffer **map,
                           lcl_context *ctx, const struct lcl_arrival *a)
{
    const struct lcl_halo_plan *P = a->columns;
    const struct lcl_bsr shape = {
        .rows = a->came->rows, .cols = P->rows + P->ghosts, .block_size = 1};
    lcl_buffer *length = NULL, *ghost = NULL;
    int32_t lower;
    enum lcl_status st;
    *D = lcl_device_matrix_shape(&shape);
    D->groups = groups_of(ctx);
    if ((st = lcl_upload_ghosts(&ghost, &lower, ctx, P)) == LCL_OK &&
        (st = lcl_buffer_create(&length, ctx, shape.rows, sizeof(uint32_t),
                                what)) == LCL_OK &&
        (st = count_entries(length, ctx, a, ghost)) == LCL_OK &&
        (st = lcl_device_matrix_counted(D, ctx, length, a->came->entries)) ==
            LCL_OK &&
        (st = lcl_buffer_create(map, ctx, D->blocks, sizeof(uint32_t), what)) ==
            LCL_OK)
        st = take_entries(D, *map, ctx, a, ghost);
    lcl_buffer_destroy(&length);
    lcl_buffer_destroy(&ghost);
    return st;
}
