// SPDX-License-Identifier: BSD-3-Clause
// Subdomains by weighted matching: the steps in order.
#include "lib/partition/match.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/partition/matcher.h"

#include <inttypes.h>

// ------------------------------------------------------------------- levels

void lcl_match_levels_finish(struct lcl_match_levels *L)
{
    for (int l = 0; l <= L->count; ++l)
        lcl_match_graph_finish(&L->graph[l]);
    for (int l = 0; l <= L->count && l < MATCH_LEVELS; ++l)
        lcl_buffer_destroy(&L->coarse[l]);
}

// Contracts the last graph to at least `most` vertices.
static enum lcl_status add_level(struct lcl_match_levels *L,
                                 struct lcl_matcher *m,
                                 struct lcl_match_pairing how, int64_t most)
{
    const struct lcl_match_graph *G = &L->graph[L->count];
    uint32_t counts[MATCH_WORDS];
    enum lcl_status st;
    lcl_task_next(m->ctx, LCL_TASK_MATCHING);
    lcl_task_bytes(m->ctx, lcl_match_graph_bytes(G));
    if ((st = lcl_match_buffer(m, &L->coarse[L->count], G->n)) < 0 ||
        (st = lcl_match_pairs(m, G, how)) < 0)
        return st;
    if (G->n < 2 * most) {
        if ((st = lcl_buffer_read(m->scratch.counts, counts, sizeof counts)) <
                0 ||
            (counts[MATCH_COUNT] < most &&
             (st = lcl_match_cut(m, G, most)) < 0))
            return st;
    }
    ++L->count;
    lcl_task_next(m->ctx, LCL_TASK_CONTRACTION);
    lcl_task_bytes(m->ctx, lcl_match_graph_bytes(G));
    return lcl_match_contract(&L->graph[L->count], L->coarse[L->count - 1], m,
                              G);
}

enum lcl_status lcl_match_levels_fill(struct lcl_match_levels *L,
                                      struct lcl_matcher *m, uint32_t limit,
                                      int64_t most)
{
    struct lcl_match_pairing how = {.limit = limit};
    while (L->count < MATCH_LEVELS && L->graph[L->count].n > most) {
        const int64_t n = L->graph[L->count].n;
        const enum lcl_status st = add_level(L, m, how, most);
        if (st < 0)
            return st;
        const int64_t count = L->graph[L->count].n;
        lcl_debug(m->log,
                  "matching: %" PRId64 " vertices with %" PRId64 " entries",
                  count, L->graph[L->count].entries);
        if (!match_goes_on((uint64_t)m->A->block_rows, (uint64_t)n,
                           (uint64_t)count, limit, how.leaves))
            break;
        how.leaves = how.leaves || match_stalls((uint64_t)n, (uint64_t)count);
    }
    return LCL_OK;
}

// ------------------------------------------------------------------- parts

static enum lcl_status refine(struct lcl_match_parts *P, struct lcl_matcher *m,
                              const struct lcl_match_levels *L, uint32_t limit)
{
    lcl_task_next(m->ctx, LCL_TASK_REFINEMENT);
    enum lcl_status st =
        lcl_match_parts_init(P, m, &L->graph[L->count], L->graph[0].n);
    for (int l = L->count; l >= 0 && st == LCL_OK; --l) {
        if (l < L->count)
            st = lcl_match_project(P, m, L->graph[l].n, L->coarse[l]);
        for (uint32_t r = 0; r < MATCH_REFINED && st == LCL_OK; ++r)
            st = lcl_match_refine(P, m, &L->graph[l], limit,
                                  (uint32_t)l * MATCH_REFINED + r);
    }
    return st;
}

static enum lcl_status make_parts(struct lcl_match *M, struct lcl_matcher *m,
                                  const struct lcl_match_params *params)
{
    const bool weighted = m->A->val && params->weights != LCL_WEIGHTS_OFF;
    const uint32_t limit = (uint32_t)params->limit;
    struct lcl_match_levels *L = lcl_calloc(1, sizeof *L);
    struct lcl_match_parts P = {0};
    struct lcl_match_tree T = {0};
    enum lcl_status st;
    if (!L)
        return lcl_fail_memory(m->log, "the subdomains");
    lcl_task_next(m->ctx, LCL_TASK_MATCHING);
    if ((st = lcl_match_graph_init(&L->graph[0], m, weighted)) == LCL_OK &&
        (st = lcl_match_levels_fill(L, m, limit, 1)) == LCL_OK &&
        (st = refine(&P, m, L, limit)) == LCL_OK)
        st = lcl_match_tree_init(&T, m, &P, &L->graph[0], params->most);
    *M = (struct lcl_match){
        .n = m->A->block_rows,
        .parts = T.parts,
        .aggregates = T.aggregates,
        .perm = T.perm,
        .part_ptr = T.part_ptr,
        .aggregate = T.aggregate,
        .levels = L->count,
        .launches = m->launches,
    };
    lcl_match_parts_finish(&P);
    lcl_match_levels_finish(L);
    lcl_free(L);
    return st;
}

// ------------------------------------------------------------------- matching

// Numbers beyond the rows name vicinities of isolated vertices.
static enum lcl_status check(const struct lcl_device_matrix *A,
                             const struct lcl_match_params *params,
                             const struct lcl_log *log)
{
    const int64_t rows_most = INT32_MAX - INT32_MAX / MATCH_VICINITY - 1;
    if (A->wide)
        return lcl_refuse_wide(A->blocks, "matching", log);
    if (A->block_rows != A->block_cols || A->block_rows < 1 ||
        A->block_rows > rows_most)
        return lcl_fail(log, LCL_ERANGE,
                        "matching: the matrix has %" PRId64 " x %" PRId64
                        " blocks, expected square with 1 to %" PRId64 " rows",
                        A->block_rows, A->block_cols, rows_most);
    if (params->limit < 1 || params->most < 1)
        return lcl_fail(log, LCL_EINVAL,
                        "matching: subdomains of %" PRId64 " rows or %" PRId64
                        " aggregates, expected >= 1",
                        params->limit, params->most);
    return LCL_OK;
}

enum lcl_status lcl_match_init(struct lcl_match *M, lcl_context *ctx,
                               const struct lcl_device_matrix *A,
                               const struct lcl_match_params *params)
{
    struct lcl_matcher m = {0};
    enum lcl_status st = check(A, params, lcl_context_log(ctx));
    *M = (struct lcl_match){.n = A->block_rows};
    if (st == LCL_OK && (st = lcl_matcher_init(&m, ctx, A)) == LCL_OK)
        st = make_parts(M, &m, params);
    lcl_matcher_finish(&m);
    if (st < 0)
        lcl_match_finish(M);
    return st;
}

void lcl_match_finish(struct lcl_match *M)
{
    lcl_free(M->aggregate);
    lcl_free(M->part_ptr);
    lcl_buffer_destroy(&M->perm);
    *M = (struct lcl_match){.n = 0};
}
