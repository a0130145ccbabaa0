// SPDX-License-Identifier: BSD-3-Clause
// Transfers new values into a matrix on the device.
#include "lib/operator/values.h"

#include "host/runtime.h"

#include <string.h>

void lcl_values_init(struct lcl_values *V, lcl_context *ctx,
                     struct lcl_blocked *B)
{
    *V = (struct lcl_values){
        .ctx = ctx,
        .entries = B->entries,
        .blocks = B->A.blocks,
        .sources = B->sources,
        .staged = B->staged,
    };
    memcpy(V->part, B->part, sizeof V->part);
    B->sources = (struct lcl_sources){0};
    B->staged = NULL;
}

void lcl_values_finish(struct lcl_values *V)
{
    lcl_buffer_destroy(&V->map);
    lcl_sources_finish(&V->sources);
    lcl_buffer_destroy(&V->staged);
}

// ------------------------------------------------------------------- numbering

// Without sources, the buffer of the old values becomes the staging buffer.
enum lcl_status lcl_values_reorder(struct lcl_values *V,
                                   struct lcl_device_matrix *A,
                                   lcl_buffer **map)
{
    const int values = A->block * A->block;
    struct lcl_vector_ops blocks;
    lcl_buffer *val;
    enum lcl_status st = lcl_vector_ops_init(&blocks, V->ctx, values);
    if (st < 0 || (st = lcl_buffer_create(&val, V->ctx, A->blocks * values,
                                          sizeof(double), "values")) < 0)
        return st;
    lcl_task_bytes(V->ctx, 2 * lcl_buffer_bytes(val) + lcl_buffer_bytes(*map));
    if ((st = lcl_gather(&blocks, A->blocks, *map, A->val, val)) < 0 ||
        (V->sources.of &&
         (st = lcl_sources_reorder(&V->sources, values, *map)) < 0)) {
        lcl_buffer_destroy(&val);
        return st;
    }
    if (V->sources.of) {
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

enum lcl_status lcl_values_restore(struct lcl_values *V,
                                   const struct lcl_device_matrix *A,
                                   const int64_t *map)
{
    lcl_buffer *to_now;
    enum lcl_status st;
    if (!V->sources.of) {
        lcl_buffer_destroy(&V->map);
        lcl_buffer_destroy(&V->staged);
        return LCL_OK;
    }
    if ((st = lcl_buffer_create_narrow(&to_now, V->ctx, map, V->blocks,
                                       "map of entries")) < 0)
        return st;
    st = lcl_sources_reorder(&V->sources, A->block * A->block, to_now);
    lcl_buffer_destroy(&to_now);
    return st;
}

// ------------------------------------------------------------------- values

enum lcl_status lcl_values_take(struct lcl_values *V,
                                const struct lcl_device_matrix *A,
                                const lcl_buffer *val)
{
    const struct lcl_given_arrays given = lcl_given_array(&V->sources, val);
    if (V->sources.of)
        return lcl_sources_gather(&V->sources, &given, A->val);
    return V->map ? lcl_gather(&V->ops, V->blocks, V->map, val, A->val)
                  : lcl_buffer_copy(A->val, val);
}

enum lcl_status lcl_values_gather(struct lcl_values *V,
                                  const struct lcl_device_matrix *A)
{
    return V->staged ? lcl_values_take(V, A, V->staged) : LCL_OK;
}

enum lcl_status lcl_values_write(struct lcl_values *V,
                                 const struct lcl_device_matrix *A,
                                 const double *val)
{
    lcl_buffer *to = V->staged ? V->staged : A->val;
    const enum lcl_status st =
        lcl_buffer_write(to, val, (size_t)V->entries * sizeof *val);
    return st < 0 ? st : lcl_values_gather(V, A);
}

enum lcl_status lcl_values_write_parts(struct lcl_values *V,
                                       const struct lcl_device_matrix *A,
                                       const double *const *val)
{
    lcl_buffer *to = V->staged ? V->staged : A->val;
    size_t at = 0;
    for (int p = 0; p < LCL_LAYOUT_PARTS; ++p) {
        const size_t bytes = (size_t)V->part[p] * sizeof **val;
        const enum lcl_status st =
            bytes > 0 ? lcl_buffer_write_at(to, at, val[p], bytes) : LCL_OK;
        if (st < 0)
            return st;
        at += bytes;
    }
    return lcl_values_gather(V, A);
}

// Without sources, only the first array has values.
enum lcl_status lcl_values_take_parts(struct lcl_values *V,
                                      const struct lcl_device_matrix *A,
                                      lcl_buffer *const *val)
{
    const struct lcl_given_arrays given = {
        .second = V->part[0],
        .third = V->part[0] + V->part[1],
        .a = val[0],
        .b = val[1] ? val[1] : val[0],
        .c = val[2] ? val[2] : val[0],
    };
    return V->sources.of ? lcl_sources_gather(&V->sources, &given, A->val)
                         : lcl_values_take(V, A, val[0]);
}

uint64_t lcl_values_bytes(const struct lcl_values *V)
{
    return lcl_buffer_bytes(V->map) + lcl_sources_bytes(&V->sources) +
           lcl_buffer_bytes(V->staged);
}
