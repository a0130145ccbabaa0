// SPDX-License-Identifier: BSD-3-Clause
// Incomplete factors of subdomains of any size, level by level.
#include "lib/factor/level_ildu0.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"

enum {
    CHAIN_ITEMS = 256,    // work-items of the group that takes thin levels
    CPU_CHAIN_ROWS = 512, // rows of a thin level at width 1
    CPU_ROWS = 128,       // rows of a group at width 1, at least
};

static int chain_group(const struct lcl_caps *caps)
{
    return lcl_wave_group(caps, CHAIN_ITEMS / caps->width);
}

static enum lcl_status get_kernels(struct lcl_level_factor *L, lcl_context *ctx)
{
    const struct lcl_caps *caps = lcl_context_caps(ctx);
    struct lcl_spec spec = {
        .source = "level_ildu0.cl",
        .kernel = "level_ildu0",
        .group = lcl_vector_group(caps),
    };
    L->group = spec.group;
    const enum lcl_status st = lcl_kernel_get(&L->level, ctx, &spec);
    if (st < 0)
        return st;
    spec.kernel = "level_ildu0_chain";
    spec.group = chain_group(caps);
    return lcl_kernel_get(&L->chain, ctx, &spec);
}

// ------------------------------------------------------------------- pattern

// The subdomain and the entry of the diagonal of each row.
struct places {
    uint32_t *part_of, *diagonal;
};

static void find_places(struct places *places, const struct lcl_host_pattern *H,
                        const struct lcl_subdomains *P)
{
    for (int64_t p = 0; p < P->parts; ++p)
        for (int64_t i = P->part_ptr[p]; i < P->part_ptr[p + 1]; ++i) {
            int64_t k = H->row_ptr[i];
            while (H->col[k] < i)
                ++k;
            places->part_of[i] = (uint32_t)p;
            places->diagonal[i] = (uint32_t)k;
        }
}

static enum lcl_status upload(struct lcl_level_factor *L, lcl_context *ctx,
                              const struct lcl_host_pattern *H,
                              const struct places *places)
{
    static const char what[] = "the pattern of the factors";
    const int64_t n = H->rows;
    const struct {
        lcl_buffer **out;
        const void *data;
        int64_t count;
    } all[] = {
        {&L->col, H->col, H->nnz},           {&L->source, H->source, H->nnz},
        {&L->diagonal, places->diagonal, n}, {&L->part_of, places->part_of, n},
        {&L->perm, L->levels.perm, n},
    };
    enum lcl_status st;
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        if ((st = lcl_buffer_create_from(all[i].out, ctx, all[i].data,
                                         all[i].count, sizeof(uint32_t),
                                         what)) < 0)
            return st;
    if ((st = lcl_buffer_create_narrow(&L->row_ptr, ctx, H->row_ptr, n + 1,
                                       what)) < 0)
        return st;
    return lcl_buffer_create_narrow(&L->level_ptr, ctx, L->levels.level_ptr,
                                    L->levels.levels + 1, what);
}

static enum lcl_status average_levels(struct lcl_level_factor *L,
                                      const uint32_t *part_of, int64_t parts,
                                      const struct lcl_log *log)
{
    const struct lcl_levels *levels = &L->levels;
    int64_t *depth = lcl_calloc((size_t)parts, sizeof *depth), sum = 0;
    if (!depth)
        return lcl_fail_memory(log, "levels");
    for (int64_t l = 0; l < levels->levels; ++l)
        for (int64_t r = levels->level_ptr[l]; r < levels->level_ptr[l + 1];
             ++r)
            depth[part_of[levels->perm[r]]] = l + 1;
    for (int64_t p = 0; p < parts; ++p)
        sum += depth[p];
    L->levels_mean = (double)sum / (double)parts;
    lcl_free(depth);
    return LCL_OK;
}

static enum lcl_status place_rows(struct lcl_level_factor *L, lcl_context *ctx,
                                  const struct lcl_host_pattern *H,
                                  const struct lcl_subdomains *P)
{
    const struct lcl_log *log = lcl_context_log(ctx);
    const size_t n = (size_t)H->rows;
    struct places places = {
        .part_of = lcl_malloc(n, sizeof *places.part_of),
        .diagonal = lcl_malloc(n, sizeof *places.diagonal),
    };
    enum lcl_status st;
    if (places.part_of && places.diagonal) {
        find_places(&places, H, P);
        st = average_levels(L, places.part_of, P->parts, log);
    } else {
        st = lcl_fail_memory(log, "places of rows");
    }
    if (st == LCL_OK)
        st = upload(L, ctx, H, &places);
    lcl_free(places.part_of);
    lcl_free(places.diagonal);
    return st;
}

enum lcl_status lcl_level_factor_create(struct lcl_factor *F,
                                        struct lcl_host_pattern *H,
                                        const struct lcl_subdomains *P)
{
    const struct lcl_caps *caps = lcl_context_caps(F->ctx);
    const struct lcl_log *log = lcl_context_log(F->ctx);
    struct lcl_level_factor *L = F->levels = lcl_calloc(1, sizeof *L);
    enum lcl_status st;
    if (!L)
        return lcl_fail_memory(log, "a factor");
    if ((st = lcl_host_pattern_add_diagonal(H, log)) < 0 ||
        (st = get_kernels(L, F->ctx)) < 0 ||
        (st = lcl_levels_init(&L->levels, H->rows, H->row_ptr, H->col, log)) <
            0 ||
        (st = lcl_levels_plan(
             &L->levels, caps->width > 1 ? chain_group(caps) : CPU_CHAIN_ROWS,
             log)) < 0)
        return st;
    F->slots = H->nnz;
    return place_rows(L, F->ctx, H, P);
}

void lcl_level_factor_destroy(struct lcl_level_factor **factor)
{
    struct lcl_level_factor *L = *factor;
    if (!L)
        return;
    lcl_levels_finish(&L->levels);
    lcl_buffer_destroy(&L->row_ptr);
    lcl_buffer_destroy(&L->col);
    lcl_buffer_destroy(&L->source);
    lcl_buffer_destroy(&L->diagonal);
    lcl_buffer_destroy(&L->part_of);
    lcl_buffer_destroy(&L->perm);
    lcl_buffer_destroy(&L->level_ptr);
    lcl_free(L);
    *factor = NULL;
}

uint64_t lcl_level_factor_bytes(const struct lcl_level_factor *L)
{
    return L ? lcl_buffer_bytes(L->row_ptr) + lcl_buffer_bytes(L->col) +
                   lcl_buffer_bytes(L->source) + lcl_buffer_bytes(L->diagonal) +
                   lcl_buffer_bytes(L->part_of) + lcl_buffer_bytes(L->perm) +
                   lcl_buffer_bytes(L->level_ptr)
             : 0;
}

// ------------------------------------------------------------------- values

static int64_t groups_of(const struct lcl_level_factor *L,
                         const struct lcl_level_launch *P)
{
    const int each = L->group > 1 ? L->group : CPU_ROWS;
    return P->chained ? 1
                      : lcl_launch_groups(lcl_level_rows(&L->levels, P->first),
                                          each, L->group);
}

enum lcl_status lcl_level_factor_run(const struct lcl_factor *F, int policy,
                                     const lcl_buffer *val)
{
    const struct lcl_level_factor *L = F->levels;
    enum lcl_status st = lcl_buffer_fill(F->repaired, 0);
    for (int64_t k = 0; k < L->levels.launches && st == LCL_OK; ++k) {
        const struct lcl_level_launch *P = &L->levels.launch[k];
        st = LCL_LAUNCH(P->chained ? L->chain : L->level, groups_of(L, P),
                        lcl_arg_buffer(L->level_ptr), lcl_arg_int(P->first),
                        lcl_arg_int(P->levels), lcl_arg_buffer(L->perm),
                        lcl_arg_buffer(L->row_ptr), lcl_arg_buffer(L->col),
                        lcl_arg_buffer(L->source), lcl_arg_buffer(L->diagonal),
                        lcl_arg_buffer(L->part_of), lcl_arg_buffer(val),
                        lcl_arg_buffer(F->val), lcl_arg_buffer(F->shift),
                        lcl_arg_buffer(F->repaired), lcl_arg_buffer(F->counts),
                        lcl_arg_buffer(F->bad), lcl_arg_int(policy),
                        lcl_arg_double(F->pivot_tol), lcl_arg_double(F->relax));
    }
    return st;
}
