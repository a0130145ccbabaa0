// SPDX-License-Identifier: BSD-3-Clause
// Reference of the matching: contraction, levels, numbering, the whole.
#include "lib/ref/match.h"

#include "cl/partition/match.cl.h"
#include "host/alloc.h"

#include <string.h>

// ------------------------------------------------------------------- contract

// Vertices by label: label q has member[start[q]] .. member[start[q+1]-1].
struct members {
    int64_t *start;
    int32_t *member;
};

static void members_finish(struct members *S)
{
    lcl_free(S->member);
    lcl_free(S->start);
}

static enum lcl_status members_init(struct members *S, const int32_t *label,
                                    int64_t n, int64_t count)
{
    *S = (struct members){
        .start = lcl_calloc((size_t)count + 2, sizeof *S->start),
        .member = lcl_malloc((size_t)n, sizeof *S->member),
    };
    if (!S->start || !S->member)
        return LCL_ENOMEM;
    for (int64_t i = 0; i < n; ++i)
        ++S->start[label[i] + 2];
    for (int64_t q = 0; q < count; ++q)
        S->start[q + 2] += S->start[q + 1];
    for (int64_t i = 0; i < n; ++i)
        S->member[S->start[label[i] + 1]++] = (int32_t)i;
    return LCL_OK;
}

struct contraction {
    const struct lcl_ref_graph *G;
    const int32_t *label;
    int64_t *place; // position of the edge to each new vertex
};

static int64_t add_edges(const struct contraction *K, struct lcl_ref_graph *C,
                         int64_t q, int64_t i, int64_t end)
{
    const struct lcl_ref_graph *G = K->G;
    for (uint32_t k = G->ptr[i]; k < G->ptr[i + 1]; ++k) {
        const int32_t to = K->label[G->adj[k]];
        if (to == q || G->weight[k] == 0)
            continue;
        if (K->place[to] < C->ptr[q]) {
            K->place[to] = end++;
            C->adj[K->place[to]] = to;
            C->weight[K->place[to]] = 0;
        }
        C->weight[K->place[to]] =
            match_add(C->weight[K->place[to]], G->weight[k]);
    }
    return end;
}

enum lcl_status lcl_ref_match_contract(struct lcl_ref_graph *C,
                                       const struct lcl_ref_graph *G,
                                       const int32_t *label, int64_t count)
{
    struct contraction K = {G, label,
                            lcl_malloc((size_t)count, sizeof *K.place)};
    struct members S;
    enum lcl_status st = lcl_ref_graph_init(C, count, G->ptr[G->n]);
    if (members_init(&S, label, G->n, count) < 0 || !K.place)
        st = LCL_ENOMEM;
    for (int64_t q = 0; q < count && st == LCL_OK; ++q)
        K.place[q] = -1;
    for (int64_t q = 0; q < count && st == LCL_OK; ++q) {
        int64_t end = C->ptr[q];
        for (int64_t m = S.start[q]; m < S.start[q + 1]; ++m) {
            C->size[q] += G->size[S.member[m]];
            end = add_edges(&K, C, q, S.member[m], end);
        }
        C->ptr[q + 1] = (uint32_t)end;
    }
    members_finish(&S);
    lcl_free(K.place);
    return st;
}

// ------------------------------------------------------------------- the whole

struct hierarchy {
    struct lcl_ref_graph graph[MATCH_LEVELS + 1];
    int32_t *coarse[MATCH_LEVELS]; // of each vertex of the finer graph
    int levels;                    // contractions
};

static void hierarchy_finish(struct hierarchy *H)
{
    for (int l = 0; l <= H->levels; ++l)
        lcl_ref_graph_finish(&H->graph[l]);
    for (int l = 0; l < H->levels; ++l)
        lcl_free(H->coarse[l]);
}

// Adds a level by contracting the last; returns its number of vertices, or an
// error.
static int64_t add_level(struct hierarchy *H, uint32_t limit, int64_t most,
                         bool leaves)
{
    const struct lcl_ref_graph *G = &H->graph[H->levels];
    int32_t *mate = lcl_malloc((size_t)G->n, sizeof *mate);
    int32_t *coarse = lcl_malloc((size_t)G->n, sizeof *coarse);
    enum lcl_status st = mate && coarse ? LCL_OK : LCL_ENOMEM;
    int64_t count = 0;
    if (st == LCL_OK)
        st = lcl_ref_match_pairs(mate, G, limit, leaves);
    if (st == LCL_OK)
        count = lcl_ref_match_number(coarse, mate, G->n);
    if (st == LCL_OK && count < most) {
        st = lcl_ref_match_cut(mate, G, most);
        count = lcl_ref_match_number(coarse, mate, G->n);
    }
    H->coarse[H->levels] = coarse;
    if (st == LCL_OK)
        st = lcl_ref_match_contract(&H->graph[H->levels + 1], G, coarse, count);
    H->levels += st == LCL_OK;
    lcl_free(mate);
    return st < 0 ? st : count;
}

// Contracts until no more than `most` vertices are left or pairs get rare.
static enum lcl_status contract(struct hierarchy *H, int64_t rows,
                                uint32_t limit, int64_t most)
{
    bool leaves = false;
    while (H->levels < MATCH_LEVELS && H->graph[H->levels].n > most) {
        const int64_t n = H->graph[H->levels].n;
        const int64_t count = add_level(H, limit, most, leaves);
        if (count < 0)
            return (enum lcl_status)count;
        if (!match_goes_on(rows, n, count, limit, leaves))
            break;
        leaves = leaves || match_stalls(n, count);
    }
    return LCL_OK;
}

// part[i] of the vertices of the finest graph; part[] has room for twice n.
static enum lcl_status refine(int32_t *part, uint32_t *rows,
                              const struct hierarchy *H, uint32_t limit)
{
    const int64_t parts = H->graph[H->levels].n;
    int32_t *fine = part + H->graph[0].n;
    enum lcl_status st = LCL_OK;
    for (int64_t p = 0; p < parts; ++p) {
        rows[p] = H->graph[H->levels].size[p];
        part[p] = (int32_t)p;
    }
    for (int l = H->levels; l >= 0 && st == LCL_OK; --l) {
        const struct lcl_ref_graph *G = &H->graph[l];
        for (int64_t i = 0; i < G->n && l < H->levels; ++i)
            fine[i] = part[H->coarse[l][i]];
        if (l < H->levels)
            memcpy(part, fine, (size_t)G->n * sizeof *part);
        for (uint32_t r = 0; r < MATCH_REFINED && st == LCL_OK; ++r)
            st = lcl_ref_match_refine(part, rows, parts, G, limit,
                                      (uint32_t)l * MATCH_REFINED + r);
    }
    return st;
}

// Renumbers the parts that have rows; returns their number.
static int64_t compress(int32_t *part, int64_t n, uint32_t *rows, int64_t parts)
{
    int64_t count = 0;
    for (int64_t p = 0; p < parts; ++p)
        rows[p] = rows[p] > 0 ? (uint32_t)count++ : 0;
    for (int64_t i = 0; i < n; ++i)
        part[i] = (int32_t)rows[part[i]];
    return count;
}

// order[k]: the part at place k if the parts of every vertex of every level are
// consecutive; aggregate[k]: its vertex of the last level, by place.
static enum lcl_status order_parts(int32_t *order, int32_t *aggregate,
                                   const struct hierarchy *H)
{
    const size_t parts = (size_t)H->graph[0].n;
    int32_t *next = lcl_malloc(2 * parts, sizeof *next);
    int32_t *next_aggregate = next + parts;
    enum lcl_status st = next ? LCL_OK : LCL_ENOMEM;
    int64_t count = H->graph[H->levels].n;
    for (int32_t q = 0; q < count; ++q)
        order[q] = aggregate[q] = q;
    for (int l = H->levels - 1; l >= 0 && st == LCL_OK; --l) {
        struct members S;
        int64_t at = 0;
        st = members_init(&S, H->coarse[l], H->graph[l].n, count);
        for (int64_t k = 0; k < count && st == LCL_OK; ++k)
            for (int64_t m = S.start[order[k]]; m < S.start[order[k] + 1];
                 ++m) {
                next[at] = S.member[m];
                next_aggregate[at++] = aggregate[k];
            }
        members_finish(&S);
        count = H->graph[l].n;
        if (st == LCL_OK) {
            memcpy(order, next, (size_t)count * sizeof *order);
            memcpy(aggregate, next_aggregate,
                   (size_t)count * sizeof *aggregate);
        }
    }
    lcl_free(next);
    return st;
}

// Places the rows of the parts in their order.
static enum lcl_status place_rows(struct lcl_ref_match *M, const int32_t *part,
                                  const int32_t *order)
{
    struct members S;
    const enum lcl_status st = members_init(&S, part, M->n, M->parts);
    int64_t at = 0;
    for (int64_t k = 0; k < M->parts && st == LCL_OK; ++k) {
        for (int64_t m = S.start[order[k]]; m < S.start[order[k] + 1]; ++m)
            M->perm[at++] = S.member[m];
        M->part_ptr[k + 1] = at;
    }
    members_finish(&S);
    return st;
}

// Aggregates, by contracting the graph of the parts.
static enum lcl_status aggregate_parts(struct lcl_ref_match *M,
                                       const int32_t *part,
                                       const struct lcl_ref_graph *G,
                                       int64_t most)
{
    struct hierarchy H = {.levels = 0};
    int32_t *order = lcl_malloc((size_t)M->parts, sizeof *order);
    enum lcl_status st = order ? LCL_OK : LCL_ENOMEM;
    M->aggregate = lcl_malloc((size_t)M->parts, sizeof *M->aggregate);
    M->part_ptr = lcl_calloc((size_t)M->parts + 1, sizeof *M->part_ptr);
    if (!M->aggregate || !M->part_ptr)
        st = LCL_ENOMEM;
    if (st == LCL_OK)
        st = lcl_ref_match_contract(&H.graph[0], G, part, M->parts);
    if (st == LCL_OK)
        st = contract(&H, M->n, UINT32_MAX, most);
    if (st == LCL_OK)
        st = order_parts(order, M->aggregate, &H);
    if (st == LCL_OK)
        st = place_rows(M, part, order);
    M->aggregates = H.graph[H.levels].n;
    hierarchy_finish(&H);
    lcl_free(order);
    return st;
}

enum lcl_status lcl_ref_match_init(struct lcl_ref_match *M,
                                   const struct lcl_bsr *A, uint32_t limit,
                                   bool weighted, int64_t most)
{
    const size_t n = (size_t)A->rows;
    struct hierarchy H = {.levels = 0};
    int32_t *part = lcl_malloc(2 * n, sizeof *part);
    uint32_t *rows = lcl_malloc(n, sizeof *rows);
    *M = (struct lcl_ref_match){.n = A->rows};
    M->perm = lcl_malloc(n, sizeof *M->perm);
    enum lcl_status st = part && rows && M->perm ? LCL_OK : LCL_ENOMEM;
    if (st == LCL_OK)
        st = lcl_ref_match_graph(&H.graph[0], A, weighted);
    if (st == LCL_OK)
        st = contract(&H, M->n, limit, 1);
    if (st == LCL_OK)
        st = refine(part, rows, &H, limit);
    if (st == LCL_OK) {
        M->parts = compress(part, M->n, rows, H.graph[H.levels].n);
        st = aggregate_parts(M, part, &H.graph[0], most);
    }
    hierarchy_finish(&H);
    lcl_free(rows);
    lcl_free(part);
    return st;
}

void lcl_ref_match_finish(struct lcl_ref_match *M)
{
    lcl_free(M->aggregate);
    lcl_free(M->part_ptr);
    lcl_free(M->perm);
    *M = (struct lcl_ref_match){.n = 0};
}
