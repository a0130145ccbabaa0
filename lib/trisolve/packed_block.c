// SPDX-License-Identifier: BSD-3-Clause
// The packed apply for factors of blocks.
#include "lib/trisolve/packed_block.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/log.h"
#include "host/order.h"
#include "host/runtime.h"
#include "lib/trisolve/packed_state.h"

enum {
    GPU_ROWS = 512,       // small blocks: one wave per group
    GPU_ROWS_LARGE = 256, // larger blocks
    SMALL_BLOCK = 3,
    CPU_ENTRIES = 65536, // block entries per plane
    CPU_ROWS_LEAST = 128,
    STAGES_STEP = 64, // rounding of the stage table: fewer programs
    SPARE = 64,       // local memory that the driver may use itself
};

// ------------------------------------------------------------------- sizes

static uint64_t vector_bytes(int64_t rows, int block)
{
    return (uint64_t)lcl_local_rows(rows) * (uint64_t)block * sizeof(double);
}

int64_t lcl_packed_block_limit(const struct lcl_caps *caps, int block)
{
    if (caps->width == 1)
        return UINT16_MAX;
    int64_t rows = UINT16_MAX / LCL_LOCAL_ROWS_STEP * LCL_LOCAL_ROWS_STEP;
    while (rows > 0 && vector_bytes(rows, block) + SPARE > caps->local_bytes)
        rows -= LCL_LOCAL_ROWS_STEP;
    return rows;
}

int64_t lcl_packed_block_rows(const struct lcl_caps *caps, int64_t n, int block)
{
    if (caps->width > 1)
        return block <= SMALL_BLOCK ? GPU_ROWS : GPU_ROWS_LARGE;
    const int64_t of_unit = lcl_packed_rows_of_unit(caps, n);
    const int64_t most = CPU_ENTRIES / (block * block);
    return of_unit < CPU_ROWS_LEAST ? CPU_ROWS_LEAST
                                    : lcl_smaller(of_unit, most);
}

// Length of the stage table in local memory; 0 (table in global memory) if
// vector and table do not fit together or the table is much larger.
static int table_stages(const struct lcl_caps *caps, const struct lcl_factor *F)
{
    const int64_t stages = lcl_round_up(F->stages_max + 1, STAGES_STEP);
    const uint64_t table = (uint64_t)stages * sizeof(struct lcl_stage);
    const uint64_t vector = vector_bytes(F->rows_max, F->block);
    return table <= 2 * vector && vector + table + SPARE <= caps->local_bytes
               ? (int)stages
               : 0;
}

// ------------------------------------------------------------------ methods

struct lcl_spec lcl_packed_block_spec(const struct lcl_caps *caps,
                                      const struct lcl_factor *F)
{
    struct lcl_spec spec = {.source = "packed_block.cl",
                            .kernel = "packed_block",
                            .group = F->group,
                            .block = F->block,
                            .storage = (int)F->storage};
    if (caps->width > 1) {
        lcl_spec_set(&spec, "SUBDOMAIN_ROWS", lcl_local_rows(F->rows_max));
        lcl_spec_set(&spec, "LOCAL_STAGES", table_stages(caps, F));
    }
    return spec;
}

static enum lcl_status create(struct lcl_trisolve_method *T, lcl_context *ctx,
                              const struct lcl_host_factor *host)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    const struct lcl_factor *F = T->factor;
    const struct lcl_spec spec = lcl_packed_block_spec(caps, F);
    struct lcl_packed *K = T->state = lcl_calloc(1, sizeof *K);
    (void)host;
    if (!K)
        return lcl_fail_memory(lcl_context_log(ctx), "a triangular solve");
    K->table = caps->width > 1 ? F->stage : F->step;
    T->op.launches = 1;
    T->barriers = F->group == 1 ? 0 : 1 + (int)F->stages_max;
    return lcl_kernel_get(&K->kernel, ctx, &spec);
}

static enum lcl_status prolong(struct lcl_trisolve_method *T, lcl_context *ctx,
                               const lcl_buffer *aggregate)
{
    const struct lcl_spec spec =
        lcl_packed_block_spec(lcl_context_caps(ctx), T->factor);
    return lcl_packed_prolong(T->state, ctx, spec, aggregate);
}

static int64_t rows_most(enum lcl_trisolve name, const struct lcl_caps *caps,
                         int block)
{
    (void)name;
    return lcl_packed_block_limit(caps, block);
}

const struct lcl_trisolve_ops lcl_trisolve_packed_block = {
    .rows_most = rows_most,
    .create = create,
    .apply = lcl_packed_apply,
    .prolong = prolong,
    .apply_add = lcl_packed_apply_add,
    .destroy = lcl_packed_destroy,
};
