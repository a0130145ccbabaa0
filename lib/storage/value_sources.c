// SPDX-License-Identifier: BSD-3-Clause
// The source of each value of a matrix on the device.
#include "lib/storage/value_sources.h"

#include "host/geometry.h"
#include "host/launch.h"
#include "lib/vector/vector.h"

// ------------------------------------------------------------------- life

static enum lcl_status upload(struct lcl_sources *S,
                              const struct lcl_composed *C)
{
    const size_t size = sizeof(uint32_t);
    enum lcl_status st;
    if ((st = lcl_buffer_create_from(&S->of, S->ctx, C->source, S->values, size,
                                     "sources of values")) < 0 ||
        (st = lcl_buffer_create_from(&S->start, S->ctx, C->start, C->groups + 1,
                                     size, "sums of values")) < 0)
        return st;
    return lcl_buffer_create_from(&S->list, S->ctx, C->list,
                                  C->start[C->groups], size, "sums of values");
}

enum lcl_status lcl_sources_init(struct lcl_sources *S, lcl_context *ctx,
                                 const struct lcl_composed *C)
{
    const int block = C->pattern.block_size;
    enum lcl_status st = LCL_OK;
    *S = (struct lcl_sources){
        .ctx = ctx,
        .values = C->pattern.nnz * block * block,
        .entries = C->entries,
        .is_signed = C->is_complex,
    };
    if (C->source && (st = upload(S, C)) < 0)
        lcl_sources_finish(S);
    return st;
}

void lcl_sources_finish(struct lcl_sources *S)
{
    lcl_buffer_destroy(&S->of);
    lcl_buffer_destroy(&S->start);
    lcl_buffer_destroy(&S->list);
}

uint64_t lcl_sources_bytes(const struct lcl_sources *S)
{
    return lcl_buffer_bytes(S->of) + lcl_buffer_bytes(S->start) +
           lcl_buffer_bytes(S->list);
}

// ------------------------------------------------------------------- kernels

static enum lcl_status get_kernel(lcl_kernel **out, lcl_context *ctx,
                                  const char *kernel, int block)
{
    const struct lcl_spec spec = {
        .source = "value_sources.cl",
        .kernel = kernel,
        .group = lcl_vector_group(lcl_context_caps(ctx)),
        .block = block > 1 ? block : 0,
    };
    return lcl_kernel_get(out, ctx, &spec);
}

// A kernel that reads values.
static enum lcl_status get_reader(lcl_kernel **out, const struct lcl_sources *S,
                                  const char *kernel, int block)
{
    struct lcl_spec spec = {
        .source = "value_sources.cl",
        .kernel = kernel,
        .group = lcl_vector_group(lcl_context_caps(S->ctx)),
        .block = block > 1 ? block : 0,
    };
    if (S->is_signed)
        lcl_spec_set(&spec, "SIGNED_SOURCES", 1);
    return lcl_kernel_get(out, S->ctx, &spec);
}

static int groups_of(lcl_context *ctx)
{
    return lcl_vector_groups(lcl_context_caps(ctx));
}

static enum lcl_status place_old(const struct lcl_sources *S, lcl_context *ctx,
                                 const lcl_buffer *place, int64_t count,
                                 lcl_buffer *to)
{
    lcl_kernel *kernel;
    const enum lcl_status st = get_kernel(&kernel, ctx, "place_sources", 1);
    return st < 0 ? st
                  : LCL_LAUNCH(kernel, groups_of(ctx), lcl_arg_long(count),
                               lcl_arg_buffer(place), lcl_arg_buffer(S->of),
                               lcl_arg_buffer(to));
}

// Without sources, value k is the caller's value k.
static enum lcl_status place_given(lcl_context *ctx, const lcl_buffer *place,
                                   int64_t count, lcl_buffer *to)
{
    struct lcl_vector_ops ops;
    const enum lcl_status st = lcl_vector_ops_init(&ops, ctx, 1);
    return st < 0 ? st : lcl_map_invert(&ops, count, place, to);
}

static void replace(lcl_buffer **old, lcl_buffer *now)
{
    lcl_buffer_destroy(old);
    *old = now;
}

enum lcl_status lcl_sources_place(struct lcl_sources *S, lcl_context *ctx,
                                  const lcl_buffer *place, int64_t count,
                                  int64_t values, int row)
{
    const bool serial = lcl_context_caps(ctx)->width == 1;
    lcl_buffer *to;
    enum lcl_status st = lcl_buffer_create(&to, ctx, values, sizeof(uint32_t),
                                           "sources of values");
    if (st < 0)
        return st;
    if ((st = lcl_buffer_fill(to, 0xff)) == LCL_OK)
        st = S->of ? place_old(S, ctx, place, count, to)
                   : place_given(ctx, place, count, to);
    if (st < 0) {
        lcl_buffer_destroy(&to);
        return st;
    }
    S->run = serial && !S->of && count == values ? row : 1;
    if (!S->of)
        S->entries = count;
    S->gather = NULL;
    S->ctx = ctx;
    S->values = values;
    replace(&S->of, to);
    return LCL_OK;
}

enum lcl_status lcl_sources_reorder(struct lcl_sources *S, int block,
                                    const lcl_buffer *map)
{
    lcl_kernel *kernel;
    lcl_buffer *to;
    enum lcl_status st;
    if ((st = get_kernel(&kernel, S->ctx, "gather_blocks", block)) < 0 ||
        (st = lcl_buffer_create(&to, S->ctx, S->values, sizeof(uint32_t),
                                "sources of values")) < 0)
        return st;
    st = LCL_LAUNCH(kernel, groups_of(S->ctx), lcl_arg_long(S->values / block),
                    lcl_arg_buffer(map), lcl_arg_buffer(S->of),
                    lcl_arg_buffer(to));
    if (st < 0)
        lcl_buffer_destroy(&to);
    else
        replace(&S->of, to);
    return st;
}

static enum lcl_status gather_runs(struct lcl_sources *S,
                                   const struct lcl_given_arrays *x,
                                   lcl_buffer *val, lcl_buffer *bad)
{
    return LCL_LAUNCH(
        S->gather, groups_of(S->ctx), lcl_arg_long(S->values / S->run),
        lcl_arg_buffer(S->of), lcl_arg_long(lcl_buffer_first(x->a)),
        lcl_arg_buffer(x->a), lcl_arg_buffer(val), lcl_arg_buffer(bad));
}

// Without sums, passes `of` for their arrays, which the kernel then does not
// read.
static enum lcl_status visit_values(lcl_kernel *kernel,
                                    const struct lcl_sources *S,
                                    const struct lcl_given_arrays *x,
                                    const lcl_buffer *val, lcl_buffer *flag)
{
    const lcl_buffer *start = S->start ? S->start : S->of;
    const lcl_buffer *list = S->list ? S->list : S->of;
    return LCL_LAUNCH(
        kernel, groups_of(S->ctx), lcl_arg_long(S->values),
        lcl_arg_long(S->entries), lcl_arg_long(x->second),
        lcl_arg_long(x->third), lcl_arg_buffer(S->of), lcl_arg_buffer(start),
        lcl_arg_buffer(list), lcl_arg_long(lcl_buffer_first(x->a)),
        lcl_arg_long(lcl_buffer_first(x->b)),
        lcl_arg_long(lcl_buffer_first(x->c)), lcl_arg_buffer(x->a),
        lcl_arg_buffer(x->b), lcl_arg_buffer(x->c), lcl_arg_buffer(val),
        lcl_arg_buffer(flag));
}

enum lcl_status lcl_sources_gather(struct lcl_sources *S,
                                   const struct lcl_given_arrays *x,
                                   lcl_buffer *val, lcl_buffer *bad)
{
    const bool runs = S->run > 1;
    enum lcl_status st;
    if (!S->gather &&
        (st = get_reader(&S->gather, S, runs ? "gather_runs" : "gather_values",
                         S->run)) < 0)
        return st;
    return runs ? gather_runs(S, x, val, bad)
                : visit_values(S->gather, S, x, val, bad);
}

enum lcl_status lcl_sources_compare(struct lcl_sources *S,
                                    const struct lcl_given_arrays *x,
                                    const lcl_buffer *val, lcl_buffer *changed)
{
    const enum lcl_status st =
        S->compare ? LCL_OK
                   : get_reader(&S->compare, S, "find_gathered_change", 0);
    return st < 0 ? st : visit_values(S->compare, S, x, val, changed);
}
