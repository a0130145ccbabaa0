// SPDX-License-Identifier: BSD-3-Clause
// The packed apply.
#include "lib/trisolve/packed.h"

#include "host/alloc.h"
#include "host/autotune.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/trisolve/packed_block.h"

#include <stdio.h>

enum {
    GPU_ROWS = 512,        // one wave per group, a whole step per wave
    CPU_ROWS = UINT16_MAX, // the vector of a subdomain fits in L2
    CPU_WHOLE = 4096,      // so few rows are one subdomain: threads that share
                           // them save less than the couplings are worth
    ROWS_PER_LANE = 16, // with more rows per lane, the group gets another wave
    MAX_WAVES = 8,
};

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

static int64_t rows_for(const struct lcl_caps *caps, int64_t n)
{
    if (caps->width > 1)
        return GPU_ROWS;
    return clamp(lcl_packed_rows_of_unit(caps, n), GPU_ROWS, CPU_ROWS);
}

int lcl_packed_group(const struct lcl_caps *caps, int64_t rows)
{
    int waves = 1;
    while (2 * waves <= MAX_WAVES &&
           rows > (int64_t)waves * caps->width * ROWS_PER_LANE &&
           2 * waves * caps->width <= caps->max_group_size)
        waves *= 2;
    return caps->width == 1 ? 1 : waves * caps->width;
}

// Maximum local memory that a group uses for values and columns (packed.cl:
// RING_SLOTS).
static uint64_t ring_bytes(int group)
{
    return (uint64_t)group * 32 * (sizeof(double) + sizeof(uint16_t));
}

// Local memory without the stage table, including the share of the driver.
static uint64_t local_bytes_of(const struct lcl_caps *caps, int64_t rows)
{
    const int group = lcl_packed_group(caps, rows);
    return ((uint64_t)lcl_local_rows(rows) + (uint64_t)group) * sizeof(double) +
           ring_bytes(group) + 64;
}

int64_t lcl_packed_rows_usual(const struct lcl_caps *caps, int64_t n, int block)
{
    const int64_t limit = lcl_packed_rows_most(caps, block);
    if (caps->width == 1 && n * block <= CPU_WHOLE)
        return n > 1 ? n : 1;
    return clamp(block > 1 ? lcl_packed_block_rows(caps, n, block)
                           : rows_for(caps, n),
                 1, limit > 1 ? limit : 1);
}

int64_t lcl_packed_rows_most(const struct lcl_caps *caps, int block)
{
    if (block > 1)
        return lcl_packed_block_limit(caps, block);
    if (caps->width == 1)
        return UINT16_MAX;
    int64_t rows =
        clamp((int64_t)(caps->local_bytes / sizeof(double)), 0, UINT16_MAX);
    while (rows > 0 && local_bytes_of(caps, rows) > caps->local_bytes)
        rows -= rows < 64 ? rows : 64;
    return rows;
}

enum lcl_partition_type lcl_packed_partition_type(
    const struct lcl_caps *caps, const struct lcl_partition_params *params,
    int64_t n, int block)
{
    const int64_t rows =
        params->rows > 0 ? params->rows : lcl_packed_rows_usual(caps, n, block);
    if (params->type != LCL_PARTITION_DEFAULT)
        return params->type;
    if (caps->width > 1)
        return LCL_PARTITION_MATCH;
    return clamp(rows, 1, lcl_packed_rows_most(caps, block)) >= n
               ? LCL_PARTITION_NATURAL
               : LCL_PARTITION_METIS;
}

enum lcl_status lcl_packed_partition(struct lcl_subdomains *P, lcl_context *ctx,
                                     const struct lcl_packed_rows *rows,
                                     const struct lcl_partition_params *params,
                                     int64_t limit, int64_t aggregates)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    const struct lcl_csr *A = rows->A;
    const int block = rows->block;
    const struct lcl_log *log = lcl_context_log(ctx);
    struct lcl_partition_params p = *params;
    p.type = lcl_packed_partition_type(caps, params, A->rows, block);
    int32_t *of_blocks = NULL;
    enum lcl_status st;
    if (limit < 1)
        return lcl_fail(log, LCL_ERANGE,
                        "%s has %llu bytes of local memory, too few for a "
                        "subdomain with blocks of %d rows; use a smaller "
                        "block size",
                        caps->name, (unsigned long long)caps->local_bytes,
                        block);
    if (p.rows == 0 && p.type != LCL_PARTITION_GEOMETRIC &&
        p.type != LCL_PARTITION_LABELS)
        p.rows = clamp(lcl_packed_rows_usual(caps, A->rows, block), 1, limit);
    if (block > 1 && p.type == LCL_PARTITION_LABELS && p.labels &&
        p.labels_count == A->rows * block) {
        st = lcl_labels_of_blocks(&of_blocks, p.labels, A->rows, block, log);
        if (st < 0)
            return st;
        p.labels = of_blocks;
        p.labels_count = A->rows;
    }
    st = p.type == LCL_PARTITION_MATCH
             ? lcl_partition_match(P, ctx, rows->D, A, &p, limit, aggregates)
             : lcl_partition_create_share(P, A, rows->share, &p, limit, log);
    P->type = p.type;
    lcl_free(of_blocks);
    return st;
}

// Length of the stage table in local memory, with empty stages after the last;
// 0 (table in global memory) if vector and table do not fit together or the
// table is much larger.
static int table_stages(const struct lcl_caps *caps, const struct lcl_factor *F,
                        int rows)
{
    const int stages = (int)lcl_round_up(F->stages_max + 4, 64);
    const uint64_t table = (uint64_t)stages * sizeof(struct lcl_stage);
    const uint64_t vector = (uint64_t)rows * sizeof(double);
    return table <= 2 * vector &&
                   local_bytes_of(caps, rows) + table <= caps->local_bytes
               ? stages
               : 0;
}

struct lcl_spec lcl_packed_spec(const struct lcl_caps *caps,
                                const struct lcl_factor *F, bool ring)
{
    struct lcl_spec spec = {.source = caps->width > 1 ? "packed.cl"
                                                      : "packed_serial.cl",
                            .kernel = "packed",
                            .group = F->group,
                            .storage = (int)F->storage};
    if (caps->width > 1) {
        const int rows = lcl_local_rows(F->rows_max);
        lcl_spec_set(&spec, "SUBDOMAIN_ROWS", rows);
        lcl_spec_set(&spec, "LOCAL_STAGES", table_stages(caps, F, rows));
        lcl_spec_set(&spec, "STAGE_ENTRIES",
                     F->stage_entries > 1 ? F->stage_entries : 1);
        lcl_spec_set(&spec, "SHARED_ROWS", F->lanes > 1);
        lcl_spec_set(&spec, "RING", ring);
    }
    return spec;
}

// --------------------------------------------------------------- autotuning

enum { FORMS = 2 }; // `ring` of lcl_packed_spec()

// Input of the measurement of the two forms.
struct trial {
    const struct lcl_factor *factor;
    struct lcl_packed form[FORMS];
    lcl_buffer *b, *x;
};

static enum lcl_status launch_trial(void *arg, int which)
{
    const struct trial *T = arg;
    const struct lcl_packed *K = &T->form[which];
    const struct lcl_operands v = {
        .x = T->b, .y = T->x, .stop = lcl_context_no_stop(T->factor->ctx)};
    return lcl_packed_launch(K, K->kernel, T->factor, &v, NULL);
}

static int log2_of(int64_t value)
{
    int log = 0;
    while (value > 1) {
        value /= 2;
        ++log;
    }
    return log;
}

// Cache key: equal for patterns that put a similar load on a device.
static void name_class(char *text, size_t size, const struct lcl_caps *caps,
                       const struct lcl_factor *F)
{
    snprintf(text, size,
             "packed %s: groups of %d, rows %d, entries %d, lanes %d, "
             "log2 of stages %d, of quarter groups a unit %d",
             lcl_factor_storage_name(F->storage), F->group,
             lcl_local_rows(F->rows_max), F->stage_entries, F->lanes,
             log2_of(F->stages_max),
             log2_of(4 * F->parts / caps->compute_units));
}

static enum lcl_status get_form(struct lcl_packed *K, lcl_context *ctx,
                                const struct lcl_factor *F, bool ring)
{
    const struct lcl_spec spec =
        lcl_packed_spec(lcl_context_caps(ctx), F, ring);
    *K = (struct lcl_packed){.table = F->stage, .ring = ring};
    return lcl_kernel_get(&K->kernel, ctx, &spec);
}

static enum lcl_status try_forms(int *best, lcl_context *ctx, const char *class,
                                 const struct lcl_factor *F)
{
    struct trial T = {.factor = F};
    enum lcl_status st = LCL_OK;
    for (int ring = 0; ring < FORMS && st == LCL_OK; ++ring)
        st = get_form(&T.form[ring], ctx, F, ring);
    if (st == LCL_OK &&
        (st = lcl_buffer_create(&T.b, ctx, F->n, sizeof(double), "vector")) ==
            LCL_OK &&
        (st = lcl_buffer_fill(T.b, 0)) == LCL_OK &&
        (st = lcl_buffer_create(&T.x, ctx, F->n, sizeof(double), "vector")) ==
            LCL_OK)
        st = lcl_autotune(best, ctx, class, FORMS, launch_trial, &T);
    lcl_buffer_destroy(&T.b);
    lcl_buffer_destroy(&T.x);
    return st;
}

// Autotunes: selects the faster form on this device for patterns of this class.
static enum lcl_status tune_form(struct lcl_packed *K, lcl_context *ctx,
                                 const struct lcl_factor *F)
{
    char class[256];
    int best;
    name_class(class, sizeof class, lcl_context_caps(ctx), F);
    if (!lcl_autotune_recall(&best, ctx, class, FORMS)) {
        const enum lcl_status st = try_forms(&best, ctx, class, F);
        if (st < 0)
            return st;
    }
    return get_form(K, ctx, F, best);
}

// ------------------------------------------------------------------ method

// Serial form: at width 1 the kernel walks the slots and needs no stages.
static enum lcl_status get_serial(struct lcl_packed *K, lcl_context *ctx,
                                  const struct lcl_factor *F)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    struct lcl_spec spec = lcl_packed_spec(caps, F, false);
    lcl_kernel *count;
    enum lcl_status st;
    if ((st = lcl_kernel_get(&K->kernel, ctx, &spec)) < 0)
        return st;
    spec.kernel = "count_planes";
    if ((st = lcl_kernel_get(&count, ctx, &spec)) < 0 ||
        (st = lcl_buffer_create(&K->planes, ctx, F->n, sizeof(uint32_t),
                                "planes of rows")) < 0)
        return st;
    K->table = K->planes;
    return LCL_LAUNCH(count, lcl_vector_groups(caps), lcl_arg_long(F->n),
                      lcl_arg_buffer(F->step), lcl_arg_buffer(K->planes));
}

static enum lcl_status create(struct lcl_trisolve_method *T, lcl_context *ctx,
                              const struct lcl_host_factor *host)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    const struct lcl_factor *F = T->factor;
    struct lcl_packed *K = T->state = lcl_calloc(1, sizeof *K);
    (void)host;
    if (!K)
        return lcl_fail_memory(lcl_context_log(ctx), "a triangular solve");
    T->op.launches = 1;
    T->barriers = F->group == 1 ? 0 : 1 + (int)F->stages_max;
    if (caps->width > 1) {
        const enum lcl_status chosen = tune_form(K, ctx, F);
        T->form = K->ring ? "ring" : "straight";
        return chosen;
    }
    return get_serial(K, ctx, F);
}

// At width 1, an argument of the kernel decides whether it adds.
static enum lcl_status prolong(struct lcl_trisolve_method *T, lcl_context *ctx,
                               const lcl_buffer *aggregate)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    struct lcl_packed *K = T->state;
    if (caps->width > 1)
        return lcl_packed_prolong(
            K, ctx, lcl_packed_spec(caps, T->factor, K->ring), aggregate);
    K->adding = K->kernel;
    K->aggregate = aggregate;
    return LCL_OK;
}

static int64_t rows_most(enum lcl_trisolve name, const struct lcl_caps *caps,
                         int block)
{
    (void)name;
    return lcl_packed_rows_most(caps, block);
}

const struct lcl_trisolve_ops lcl_trisolve_packed = {
    .rows_most = rows_most,
    .create = create,
    .apply = lcl_packed_apply,
    .prolong = prolong,
    .apply_add = lcl_packed_apply_add,
    .interleave = lcl_packed_interleave,
    .destroy = lcl_packed_destroy,
};
