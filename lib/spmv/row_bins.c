// SPDX-License-Identifier: BSD-3-Clause
// Sorts the rows of a matrix on the device by length.
#include "lib/spmv/row_bins.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"

static enum lcl_status get_kernel(lcl_kernel **out, lcl_context *ctx,
                                  const struct lcl_device_matrix *A,
                                  const char *name)
{
    const struct lcl_spec spec = {
        .source = "row_bins.cl",
        .kernel = name,
        .group = lcl_vector_group(lcl_context_caps(ctx)),
        .wide = A->wide,
    };
    return lcl_kernel_get(out, ctx, &spec);
}

static enum lcl_status count_classes(struct lcl_row_classes *C,
                                     lcl_context *ctx,
                                     const struct lcl_device_matrix *A)
{
    const int64_t counts = (int64_t)LCL_ROW_CLASSES * C->chunks;
    lcl_kernel *kernel;
    lcl_buffer *out;
    enum lcl_status st;
    if ((st = get_kernel(&kernel, ctx, A, "row_classes")) < 0 ||
        (st = lcl_buffer_create(&out, ctx, counts, sizeof *C->count,
                                "counts of rows")) < 0)
        return st;
    if ((st = LCL_LAUNCH(kernel, C->chunks, lcl_arg_long(A->block_rows),
                         lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(out))) ==
        LCL_OK)
        st = lcl_buffer_read(out, C->count, (size_t)counts * sizeof *C->count);
    lcl_buffer_destroy(&out);
    return st;
}

enum lcl_status lcl_row_classes_init(struct lcl_row_classes *C,
                                     lcl_context *ctx,
                                     const struct lcl_device_matrix *A)
{
    *C = (struct lcl_row_classes){.chunks = A->groups};
    C->count = lcl_calloc((size_t)LCL_ROW_CLASSES * (size_t)C->chunks,
                          sizeof *C->count);
    if (!C->count)
        return lcl_fail_memory(lcl_context_log(ctx), "counts of rows");
    const enum lcl_status st = count_classes(C, ctx, A);
    if (st < 0)
        return st;
    for (int c = 0; c < LCL_ROW_CLASSES; ++c)
        for (int g = 0; g < C->chunks; ++g)
            C->rows[c] += C->count[c * C->chunks + g];
    return LCL_OK;
}

void lcl_row_classes_finish(struct lcl_row_classes *C)
{
    lcl_free(C->count);
    *C = (struct lcl_row_classes){.count = NULL};
}

// Computes B->place, the starts of the rows of each bin and chunk, and the
// starts of whole bins.
static void find_places(struct lcl_row_bins *B, const struct lcl_row_classes *C,
                        const int bin_of[LCL_ROW_CLASSES])
{
    for (int c = 0; c < LCL_ROW_CLASSES; ++c)
        for (int g = 0; g < C->chunks; ++g)
            B->place[bin_of[c] * C->chunks + g] += C->count[c * C->chunks + g];
    uint32_t at = 0;
    for (int b = 0; b < B->count; ++b) {
        B->first[b] = at;
        for (int g = 0; g < C->chunks; ++g) {
            const uint32_t count = B->place[b * C->chunks + g];
            B->place[b * C->chunks + g] = at;
            at += count;
        }
        B->rows[b] = at - B->first[b];
    }
}

static enum lcl_status list_rows(const struct lcl_row_bins *B, lcl_context *ctx,
                                 const struct lcl_device_matrix *A,
                                 const int bin_of[LCL_ROW_CLASSES])
{
    uint64_t nibbles = 0;
    lcl_kernel *kernel;
    lcl_buffer *places;
    enum lcl_status st;
    for (int c = 0; c < LCL_ROW_CLASSES; ++c)
        nibbles |= (uint64_t)bin_of[c] << 4 * c;
    if ((st = get_kernel(&kernel, ctx, A, "row_lists")) < 0 ||
        (st = lcl_buffer_create_from(&places, ctx, B->place,
                                     (int64_t)B->count * B->chunks,
                                     sizeof *B->place, "places of rows")) < 0)
        return st;
    st = LCL_LAUNCH(kernel, B->chunks, lcl_arg_long(A->block_rows),
                    lcl_arg_buffer(A->row_ptr), lcl_arg_long((int64_t)nibbles),
                    lcl_arg_buffer(places), lcl_arg_int(B->count),
                    lcl_arg_buffer(B->list));
    lcl_buffer_destroy(&places);
    return st;
}

enum lcl_status lcl_row_bins_init(struct lcl_row_bins *B, lcl_context *ctx,
                                  const struct lcl_row_classes *C,
                                  const int bin_of[LCL_ROW_CLASSES], int count)
{
    *B = (struct lcl_row_bins){.count = count, .chunks = C->chunks};
    B->place = lcl_calloc((size_t)count * (size_t)C->chunks, sizeof *B->place);
    if (!B->place)
        return lcl_fail_memory(lcl_context_log(ctx), "places of rows");
    find_places(B, C, bin_of);
    return LCL_OK;
}

enum lcl_status lcl_row_bins_list(struct lcl_row_bins *B, lcl_context *ctx,
                                  const struct lcl_device_matrix *A,
                                  const int bin_of[LCL_ROW_CLASSES])
{
    const enum lcl_status st = lcl_buffer_create(
        &B->list, ctx, A->block_rows, sizeof(int32_t), "lists of rows");
    return st < 0 ? st : list_rows(B, ctx, A, bin_of);
}

void lcl_row_bins_finish(struct lcl_row_bins *B)
{
    lcl_buffer_destroy(&B->list);
    lcl_free(B->place);
    *B = (struct lcl_row_bins){.place = NULL};
}

enum lcl_status lcl_row_extents(lcl_buffer **start, lcl_buffer **length,
                                lcl_context *ctx,
                                const struct lcl_device_matrix *A,
                                const struct lcl_row_bins *B)
{
    lcl_kernel *kernel;
    enum lcl_status st;
    if ((st = get_kernel(&kernel, ctx, A, "row_extents")) < 0 ||
        (st = lcl_buffer_create(start, ctx, A->block_rows,
                                A->wide ? sizeof(int64_t) : sizeof(int32_t),
                                "starts of rows")) < 0 ||
        (st = lcl_buffer_create(length, ctx, A->block_rows, sizeof(int32_t),
                                "lengths of rows")) < 0)
        return st;
    return LCL_LAUNCH(kernel, A->groups, lcl_arg_long(A->block_rows),
                      lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(B->list),
                      lcl_arg_buffer(*start), lcl_arg_buffer(*length));
}
