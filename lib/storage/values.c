// SPDX-License-Identifier: BSD-3-Clause
// Transfers new values into a matrix on the device.
#include "lib/storage/values.h"

#include "host/geometry.h"
#include "host/launch.h"
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
    lcl_buffer_destroy(&V->spare);
    lcl_buffer_destroy(&V->flag);
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
        lcl_buffer_destroy(&V->spare);
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

enum lcl_status lcl_values_gather(struct lcl_values *V,
                                  const struct lcl_device_matrix *A)
{
    const struct lcl_given_arrays given =
        lcl_given_array(&V->sources, V->staged);
    if (!V->staged)
        return LCL_OK;
    return V->map ? lcl_gather(&V->ops, V->blocks, V->map, V->staged, A->val)
                  : lcl_sources_gather(&V->sources, &given, A->val, NULL);
}

enum lcl_status lcl_values_write_parts(const struct lcl_values *V,
                                       lcl_buffer *to, const double *const *val)
{
    size_t at = 0;
    for (int p = 0; p < LCL_LAYOUT_PARTS; ++p) {
        const size_t bytes = (size_t)V->part[p] * sizeof **val;
        const enum lcl_status st =
            bytes > 0 ? lcl_buffer_write_at(to, at, val[p], bytes) : LCL_OK;
        if (st < 0)
            return st;
        at += bytes;
    }
    return LCL_OK;
}

// ------------------------------------------------------------------- buffers

static enum lcl_status need(lcl_buffer **buffer, const struct lcl_values *V,
                            const struct lcl_device_matrix *A)
{
    return *buffer ? LCL_OK
                   : lcl_buffer_create(buffer, V->ctx,
                                       A->blocks * A->block * A->block,
                                       sizeof(double), "new values");
}

static enum lcl_status need_flag(struct lcl_values *V)
{
    const int32_t clear = 0;
    return V->flag ? LCL_OK
                   : lcl_buffer_create_from(&V->flag, V->ctx, &clear, 1,
                                            sizeof clear, "a flag");
}

enum lcl_status lcl_values_staging(struct lcl_values *V,
                                   const struct lcl_device_matrix *A,
                                   lcl_buffer ***to)
{
    *to = V->staged ? &V->staged : &V->spare;
    return need(*to, V, A);
}

// Between two calls, reordered values do not need their first buffer.
enum lcl_status lcl_values_begin(struct lcl_values *V,
                                 const struct lcl_device_matrix *A,
                                 lcl_buffer ***other)
{
    const enum lcl_status st = need_flag(V);
    *other = V->map ? &V->staged : &V->spare;
    return st < 0 ? st : need(*other, V, A);
}

// take_values or find_change of value_sources.cl.
static enum lcl_status visit(lcl_kernel **kernel, const char *name,
                             const struct lcl_values *V,
                             const struct lcl_device_matrix *A,
                             const lcl_buffer *given)
{
    const int values = A->block * A->block;
    const struct lcl_spec spec = {
        .source = "value_sources.cl",
        .kernel = name,
        .group = lcl_vector_group(lcl_context_caps(V->ctx)),
        .block = values > 1 ? values : 0,
    };
    const enum lcl_status st =
        *kernel ? LCL_OK : lcl_kernel_get(kernel, V->ctx, &spec);
    return st < 0 ? st
                  : LCL_LAUNCH(*kernel, A->groups, lcl_arg_long(V->entries),
                               lcl_arg_buffer(V->map),
                               lcl_arg_long(lcl_buffer_first(given)),
                               lcl_arg_buffer(given), lcl_arg_buffer(A->val),
                               lcl_arg_buffer(V->flag));
}

enum lcl_status lcl_values_write(struct lcl_values *V,
                                 const struct lcl_device_matrix *A,
                                 const struct lcl_given_arrays *given)
{
    return V->sources.of
               ? lcl_sources_gather(&V->sources, given, A->val, V->flag)
               : visit(&V->take, "take_values", V, A, given->a);
}

enum lcl_status lcl_values_compare(struct lcl_values *V,
                                   const struct lcl_device_matrix *A,
                                   const struct lcl_given_arrays *given,
                                   bool *changed)
{
    enum lcl_status st = need_flag(V);
    if (st < 0)
        return st;
    st = V->sources.of
             ? lcl_sources_compare(&V->sources, given, A->val, V->flag)
             : visit(&V->compare, "find_change", V, A, given->a);
    return st < 0 ? st : lcl_values_end(V, changed);
}

enum lcl_status lcl_values_end(struct lcl_values *V, bool *set)
{
    int32_t flag = 0;
    const enum lcl_status st = lcl_buffer_read(V->flag, &flag, sizeof flag);
    *set = flag != 0;
    return st < 0 || !*set ? st : lcl_buffer_fill(V->flag, 0);
}

uint64_t lcl_values_bytes(const struct lcl_values *V)
{
    return lcl_buffer_bytes(V->map) + lcl_sources_bytes(&V->sources) +
           lcl_buffer_bytes(V->staged) + lcl_buffer_bytes(V->spare);
}
