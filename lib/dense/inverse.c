// SPDX-License-Identifier: BSD-3-Clause
// The inverse of a dense matrix on the device.
#include "lib/dense/inverse.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/dense/host_inverse.h"

// dense_update keeps two regions of 2 x 1 tiles in local memory: 34 KB.
enum { TILE = 32, WAVES = 8, LOCAL_LEAST = 40 * 1024 };

static int default_tile(const struct lcl_caps *caps)
{
    return caps->width == 1 || caps->local_bytes >= LOCAL_LEAST ? TILE
                                                                : TILE / 2;
}

// With the default tile, the program is that of products with the inverse.
static enum lcl_status get_kernels(struct lcl_inverse *V, int tile)
{
    const struct lcl_kernel_plan all[] = {{&V->scale, "dense_scale"},
                                          {&V->tile, "dense_tile"},
                                          {&V->panels, "dense_panels"},
                                          {&V->update, "dense_update"}};
    const struct lcl_caps *caps = lcl_context_caps(V->ctx);
    const struct lcl_spec spec = {
        .source = "dense.cl",
        .group = lcl_wave_group(caps, WAVES),
        .defines = {{"TILE", tile == TILE ? 0 : tile}}};
    return lcl_kernels_get(V->ctx, &spec, all, sizeof all / sizeof *all);
}

static enum lcl_status make_buffers(struct lcl_inverse *V, int64_t tile)
{
    const struct lcl_buffer_plan all[] = {
        {&V->matrix, V->stride * V->stride, sizeof(double), "coarse matrix"},
        {&V->scales, V->stride, sizeof(double), "scales"},
        {&V->pivot, tile * tile, sizeof(double), "pivot tile"},
        {&V->column, V->stride * tile, sizeof(double), "column of tiles"},
        {&V->pinned, V->tiles, sizeof(int32_t), "pinned unknowns"},
    };
    return lcl_buffers_create(V->ctx, all, sizeof all / sizeof *all);
}

enum lcl_status lcl_inverse_init(struct lcl_inverse *V, lcl_context *ctx,
                                 int64_t n, int tile)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    const int side = caps->width == 1 ? 1 : 2; // tiles of a region
    enum lcl_status st;
    if (tile == 0)
        tile = default_tile(caps);
    *V = (struct lcl_inverse){.ctx = ctx, .n = n};
    V->groups = lcl_vector_groups(caps);
    V->tile_rows = tile;
    V->tiles = (n + tile - 1) / tile;
    V->regions = (V->tiles + side - 1) / side;
    V->stride = V->regions * side * tile;
    V->counts = lcl_malloc((size_t)V->tiles, sizeof *V->counts);
    if (!V->counts)
        return lcl_fail_memory(lcl_context_log(ctx), "a coarse matrix");
    if ((st = get_kernels(V, tile)) < 0 || (st = make_buffers(V, tile)) < 0)
        lcl_inverse_finish(V);
    return st;
}

void lcl_inverse_finish(struct lcl_inverse *V)
{
    lcl_buffer_destroy(&V->matrix);
    lcl_buffer_destroy(&V->scales);
    lcl_buffer_destroy(&V->pivot);
    lcl_buffer_destroy(&V->column);
    lcl_buffer_destroy(&V->pinned);
    lcl_free(V->counts);
    V->counts = NULL;
}

enum lcl_status lcl_inverse_clear(struct lcl_inverse *V)
{
    return lcl_buffer_fill(V->matrix, 0);
}

// P = A_00^-1
static enum lcl_status begin(struct lcl_inverse *V)
{
    const enum lcl_status st = LCL_LAUNCH(
        V->scale, V->groups, lcl_arg_long(V->n), lcl_arg_long(V->stride),
        lcl_arg_buffer(V->matrix), lcl_arg_buffer(V->scales));
    return st < 0 ? st
                  : LCL_LAUNCH(
                        V->tile, 1, lcl_arg_long(V->n), lcl_arg_long(V->stride),
                        lcl_arg_long(0), lcl_arg_double(lcl_pivot_limit(V->n)),
                        lcl_arg_buffer(V->matrix), lcl_arg_buffer(V->scales),
                        lcl_arg_buffer(V->pivot), lcl_arg_buffer(V->pinned));
}

static enum lcl_status eliminate(struct lcl_inverse *V, int64_t k)
{
    const enum lcl_status st = LCL_LAUNCH(
        V->panels, 2 * (V->stride / V->tile_rows), lcl_arg_long(V->stride),
        lcl_arg_long(k), lcl_arg_buffer(V->pivot), lcl_arg_buffer(V->matrix),
        lcl_arg_buffer(V->column));
    return st < 0 ? st
                  : LCL_LAUNCH(
                        V->update, V->regions * V->regions, lcl_arg_long(V->n),
                        lcl_arg_long(V->stride), lcl_arg_long(k),
                        lcl_arg_double(lcl_pivot_limit(V->n)),
                        lcl_arg_buffer(V->matrix), lcl_arg_buffer(V->column),
                        lcl_arg_buffer(V->scales), lcl_arg_buffer(V->pivot),
                        lcl_arg_buffer(V->pinned));
}

enum lcl_status lcl_inverse_run(struct lcl_inverse *V, int64_t *pinned)
{
    enum lcl_status st = begin(V);
    for (int64_t k = 0; k < V->tiles && st == LCL_OK; ++k)
        st = eliminate(V, k);
    if (st == LCL_OK)
        st = lcl_buffer_read(V->pinned, V->counts,
                             (size_t)V->tiles * sizeof *V->counts);
    *pinned = 0;
    for (int64_t k = 0; k < V->tiles && st == LCL_OK; ++k)
        *pinned += V->counts[k];
    return st;
}

uint64_t lcl_inverse_bytes(const struct lcl_inverse *V)
{
    return lcl_buffer_bytes(V->matrix) + lcl_buffer_bytes(V->scales) +
           lcl_buffer_bytes(V->pivot) + lcl_buffer_bytes(V->column) +
           lcl_buffer_bytes(V->pinned);
}
