// SPDX-License-Identifier: BSD-3-Clause
// Transfers new values into a matrix on the device.
#include "lib/operator/values.h"

#include "host/log.h"
#include "host/runtime.h"

enum lcl_status lcl_values_init(struct lcl_values *V, lcl_context *ctx,
                                struct lcl_blocked *B)
{
    *V = (struct lcl_values){
        .ctx = ctx,
        .entries = B->entries,
        .blocks = B->A.blocks,
        .place = B->place,
        .staged = B->staged,
    };
    B->place = B->staged = NULL;
    return V->place ? lcl_vector_ops_init(&V->ops, ctx, 1) : LCL_OK;
}

void lcl_values_finish(struct lcl_values *V)
{
    lcl_buffer_destroy(&V->map);
    lcl_buffer_destroy(&V->place);
    lcl_buffer_destroy(&V->staged);
}

// Value p of the old order becomes value p of the new one, for all places.
static enum lcl_status move_places(const struct lcl_values *V,
                                   const struct lcl_vector_ops *blocks,
                                   const lcl_buffer *map)
{
    lcl_buffer *inverse;
    enum lcl_status st = lcl_buffer_create(&inverse, V->ctx, V->blocks,
                                           sizeof(uint32_t), "map of entries");
    if (st == LCL_OK &&
        (st = lcl_map_invert(blocks, V->blocks, map, inverse)) == LCL_OK)
        st = lcl_map_places(blocks, V->entries, inverse, V->place);
    lcl_buffer_destroy(&inverse);
    return st;
}

// Without places, the buffer of the old values becomes the staging buffer.
enum lcl_status lcl_values_reorder(struct lcl_values *V,
                                   struct lcl_device_matrix *A,
                                   lcl_buffer **map)
{
    struct lcl_vector_ops blocks;
    lcl_buffer *val;
    enum lcl_status st =
        lcl_vector_ops_init(&blocks, V->ctx, A->block * A->block);
    if (st < 0 ||
        (st = lcl_buffer_create(&val, V->ctx, A->blocks * A->block * A->block,
                                sizeof(double), "values")) < 0)
        return st;
    lcl_task_bytes(V->ctx, 2 * lcl_buffer_bytes(val) + lcl_buffer_bytes(*map));
    if ((st = lcl_gather(&blocks, A->blocks, *map, A->val, val)) < 0 ||
        (V->place && (st = move_places(V, &blocks, *map)) < 0)) {
        lcl_buffer_destroy(&val);
        return st;
    }
    if (V->place) {
        lcl_buffer_destroy(&A->val);
    } else {
        V->ops = blocks;
        V->staged = A->val;
        V->map = *map;
        *map = NULL;
    }
    A->val = val;
    return LCL_OK;
}

enum lcl_status lcl_values_gather(const struct lcl_values *V,
                                  const struct lcl_device_matrix *A)
{
    return V->map ? lcl_gather(&V->ops, V->blocks, V->map, V->staged, A->val)
                  : LCL_OK;
}

enum lcl_status lcl_values_restore(struct lcl_values *V,
                                   const struct lcl_device_matrix *A,
                                   const int64_t *map)
{
    struct lcl_vector_ops blocks;
    lcl_buffer *to_now;
    enum lcl_status st;
    if (!V->place) {
        lcl_buffer_destroy(&V->map);
        lcl_buffer_destroy(&V->staged);
        return LCL_OK;
    }
    if ((st = lcl_vector_ops_init(&blocks, V->ctx, A->block * A->block)) < 0 ||
        (st = lcl_buffer_create_narrow(&to_now, V->ctx, map, V->blocks,
                                       "map of entries")) < 0)
        return st;
    st = move_places(V, &blocks, to_now);
    lcl_buffer_destroy(&to_now);
    return st;
}

enum lcl_status lcl_values_take(const struct lcl_values *V,
                                const struct lcl_device_matrix *A,
                                const lcl_buffer *val)
{
    if (V->place)
        return lcl_scatter(&V->ops, V->entries, V->place, val, A->val);
    return V->map ? lcl_gather(&V->ops, V->blocks, V->map, val, A->val)
                  : lcl_buffer_copy(A->val, val);
}

enum lcl_status lcl_values_write(const struct lcl_values *V,
                                 const struct lcl_device_matrix *A,
                                 const double *val)
{
    const size_t bytes = (size_t)V->entries * sizeof *val;
    if (!V->staged)
        return lcl_buffer_write(A->val, val, bytes);
    const enum lcl_status st = lcl_buffer_write(V->staged, val, bytes);
    return st < 0 ? st : lcl_values_take(V, A, V->staged);
}

uint64_t lcl_values_bytes(const struct lcl_values *V)
{
    return lcl_buffer_bytes(V->map) + lcl_buffer_bytes(V->place) +
           lcl_buffer_bytes(V->staged);
}
