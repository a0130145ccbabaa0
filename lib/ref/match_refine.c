// SPDX-License-Identifier: BSD-3-Clause
// Reference of the matching: a round of refinement.
#include "lib/ref/match.h"

#include "cl/partition/match.cl.h"
#include "host/alloc.h"

// State of a round; `to` and `class` are the moves that vertices want.
struct refinement {
    const struct lcl_ref_graph *G;
    const int32_t *part;
    const uint32_t *rows;
    uint32_t limit, round;
    int32_t *to;
    uint32_t *class;
    uint32_t *demand; // of each part: rows of the vertices of each class
};

// Connections of a vertex: to each neighbouring part, to its own, to all.
struct connections {
    int32_t part[MATCH_DEGREE];
    uint32_t weight[MATCH_DEGREE];
    int count;
    uint32_t own, all;
};

static void add_connection(struct connections *C, int32_t part, uint32_t weight)
{
    int c = 0;
    while (c < C->count && C->part[c] != part)
        ++c;
    if (c == C->count) {
        C->part[C->count] = part;
        C->weight[C->count++] = 0;
    }
    C->weight[c] = match_add(C->weight[c], weight);
}

static void connect(struct connections *C, const struct refinement *R,
                    int64_t i)
{
    C->count = 0;
    C->own = C->all = 0;
    for (uint32_t k = R->G->ptr[i]; k < R->G->ptr[i + 1]; ++k) {
        const int32_t p = R->part[R->G->adj[k]];
        const uint32_t w = R->G->weight[k];
        C->all = match_add(C->all, w);
        if (p == R->part[i])
            C->own = match_add(C->own, w);
        else if (w > 0)
            add_connection(C, p, w);
    }
}

// Vertices leave small parts for larger ones, others move if that increases
// their connection, or balances the parts without decreasing it.
static bool may_move(const struct refinement *R, const struct connections *C,
                     int64_t i, int c)
{
    const uint32_t here = R->rows[R->part[i]], there = R->rows[C->part[c]];
    const uint32_t size = R->G->size[i];
    if (there + size > R->limit)
        return false;
    if (match_small(here, R->limit))
        return there > here || (there == here && C->part[c] > R->part[i]);
    return C->weight[c] > C->own ||
           (C->weight[c] == C->own && there + 2 * size < here);
}

// Whether connection c is better than `best`: heavier, or to a smaller part.
static bool is_better(const struct refinement *R, const struct connections *C,
                      int c, int best)
{
    if (best < 0 || C->weight[c] != C->weight[best])
        return best < 0 || C->weight[c] > C->weight[best];
    const uint32_t rows = R->rows[C->part[c]], least = R->rows[C->part[best]];
    return rows < least || (rows == least && C->part[c] < C->part[best]);
}

static void choose(struct refinement *R, struct connections *C, int64_t i)
{
    const uint32_t hash = match_hash((uint32_t)i, (uint32_t)i, R->round);
    int best = -1;
    R->to[i] = -1;
    if (!match_active(hash) || R->G->ptr[i + 1] - R->G->ptr[i] > MATCH_DEGREE)
        return;
    connect(C, R, i);
    for (int c = 0; c < C->count; ++c)
        if (may_move(R, C, i, c) && is_better(R, C, c, best))
            best = c;
    if (best < 0)
        return;
    const uint32_t own =
        match_small(R->rows[R->part[i]], R->limit) ? 0 : C->own;
    R->to[i] = C->part[best];
    R->class[i] = match_class(C->weight[best] - own, C->all, hash);
    R->demand[(int64_t)R->to[i] * MATCH_CLASSES + R->class[i]] += R->G->size[i];
}

// Whether all vertices of the class and of better ones fit into the part.
static bool fits(const struct refinement *R, int64_t i)
{
    uint64_t rows = R->rows[R->to[i]];
    for (uint32_t c = 0; c <= R->class[i]; ++c)
        rows += R->demand[(int64_t)R->to[i] * MATCH_CLASSES + c];
    return rows <= R->limit;
}

// Moves all vertices that fit, judged by the state before the round.
static void move(const struct refinement *R, int32_t *part, uint32_t *rows)
{
    for (int64_t i = 0; i < R->G->n; ++i) {
        if (R->to[i] < 0 || !fits(R, i))
            continue;
        rows[part[i]] -= R->G->size[i];
        rows[R->to[i]] += R->G->size[i];
        part[i] = R->to[i];
    }
}

enum lcl_status lcl_ref_match_refine(int32_t *part, uint32_t *rows,
                                     int64_t parts,
                                     const struct lcl_ref_graph *G,
                                     uint32_t limit, uint32_t round)
{
    const size_t n = (size_t)G->n;
    struct connections *C = lcl_malloc(1, sizeof *C);
    uint32_t *old = lcl_malloc((size_t)parts, sizeof *old);
    struct refinement R = {
        .G = G,
        .part = part,
        .rows = old,
        .limit = limit,
        .round = round,
        .to = lcl_malloc(n, sizeof *R.to),
        .class = lcl_malloc(n, sizeof *R.class),
        .demand = lcl_calloc((size_t)parts, MATCH_CLASSES * sizeof *R.demand),
    };
    enum lcl_status st = LCL_ENOMEM;
    if (C && old && R.to && R.class && R.demand) {
        for (int64_t p = 0; p < parts; ++p)
            old[p] = rows[p];
        for (int64_t i = 0; i < G->n; ++i)
            choose(&R, C, i);
        move(&R, part, rows);
        st = LCL_OK;
    }
    lcl_free(R.demand);
    lcl_free(R.class);
    lcl_free(R.to);
    lcl_free(old);
    lcl_free(C);
    return st;
}
