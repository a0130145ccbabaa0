// SPDX-License-Identifier: BSD-3-Clause
// Reduces every part of a graph partition to a size limit.
#include "lib/partition/balance.h"

#include "host/alloc.h"
#include "host/log.h"

#include <assert.h>
#include <stdlib.h>

// Ample for METIS output; bounds the time if a part is one long chain.
enum { PASSES_MAX = 32 };

struct move {
    idx_t vertex;
    idx_t target; // -1: no neighbouring part has room
    idx_t gain;   // edge weight removed from the cut
};

struct balance {
    const struct lcl_graph *G;
    idx_t *label;
    idx_t limit;
    idx_t *size;           // parts
    idx_t *pull;           // parts: edge weight from one vertex; all 0 between
                           // calls
    struct move *moves;    // G->n
    idx_t first_with_room; // no part before it has room
};

static idx_t edge_weight(const struct lcl_graph *G, idx_t k)
{
    return G->weight ? G->weight[k] : 1;
}

// The cheapest move of vertex v out of its part.
static struct move best_move(const struct balance *B, idx_t v)
{
    const struct lcl_graph *G = B->G;
    const idx_t own = B->label[v];
    for (idx_t k = G->ptr[v]; k < G->ptr[v + 1]; ++k)
        B->pull[B->label[G->adj[k]]] += edge_weight(G, k);
    struct move best = {.vertex = v, .target = -1};
    for (idx_t k = G->ptr[v]; k < G->ptr[v + 1]; ++k) {
        const idx_t part = B->label[G->adj[k]];
        if (part == own || B->size[part] >= B->limit)
            continue;
        const idx_t gain = B->pull[part] - B->pull[own];
        if (best.target < 0 || gain > best.gain) {
            best.target = part;
            best.gain = gain;
        }
    }
    for (idx_t k = G->ptr[v]; k < G->ptr[v + 1]; ++k)
        B->pull[B->label[G->adj[k]]] = 0;
    return best;
}

static void move_to(struct balance *B, idx_t v, idx_t part)
{
    --B->size[B->label[v]];
    ++B->size[part];
    B->label[v] = part;
}

static int by_gain(const void *a, const void *b)
{
    const struct move *x = a, *y = b;
    if (x->gain != y->gain)
        return x->gain > y->gain ? -1 : 1;
    return (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

// Moves boundary vertices of `part` in the order of their gains at the start of
// the pass. Returns the number of moves.
static idx_t pass_over_boundary(struct balance *B, idx_t part,
                                const idx_t *member, idx_t count)
{
    size_t found = 0;
    for (idx_t m = 0; m < count; ++m) {
        if (B->label[member[m]] != part)
            continue;
        const struct move move = best_move(B, member[m]);
        if (move.target >= 0)
            B->moves[found++] = move;
    }
    qsort(B->moves, found, sizeof *B->moves, by_gain);

    idx_t moved = 0;
    for (size_t c = 0; c < found && B->size[part] > B->limit; ++c) {
        const struct move move = best_move(B, B->moves[c].vertex);
        if (move.target < 0)
            continue;
        move_to(B, move.vertex, move.target);
        ++moved;
    }
    return moved;
}

static void scatter(struct balance *B, idx_t part, const idx_t *member,
                    idx_t count)
{
    for (idx_t m = count; m-- > 0 && B->size[part] > B->limit;) {
        if (B->label[member[m]] != part)
            continue;
        while (B->size[B->first_with_room] >= B->limit)
            ++B->first_with_room;
        move_to(B, member[m], B->first_with_room);
    }
}

static void relieve(struct balance *B, idx_t part, const idx_t *member,
                    idx_t count)
{
    for (int pass = 0; pass < PASSES_MAX; ++pass)
        if (B->size[part] <= B->limit ||
            pass_over_boundary(B, part, member, count) == 0)
            break;
    scatter(B, part, member, count);
}

static bool count_sizes(const struct balance *B)
{
    bool over = false;
    for (idx_t v = 0; v < B->G->n; ++v)
        over |= ++B->size[B->label[v]] > B->limit;
    return over;
}

enum lcl_status lcl_partition_balance(idx_t *label, idx_t parts, idx_t limit,
                                      const struct lcl_graph *G,
                                      const struct lcl_log *log)
{
    assert((int64_t)parts * limit >= G->n);
    enum lcl_status st = LCL_OK;
    struct lcl_groups groups = {0};
    struct balance B = {
        .G = G,
        .label = label,
        .limit = limit,
        .size = lcl_calloc((size_t)parts, sizeof *B.size),
    };
    if (B.size && !count_sizes(&B))
        goto out;
    B.pull = lcl_calloc((size_t)parts, sizeof *B.pull);
    B.moves = lcl_malloc((size_t)G->n, sizeof *B.moves);
    if (!B.size || !B.pull || !B.moves) {
        st = lcl_fail_memory(log, "the balancing of subdomains");
        goto out;
    }
    st = lcl_groups_create(&groups, label, G->n, parts, log);
    if (st < 0)
        goto out;
    // Only parts with room receive vertices, so the members of an overfull part
    // can be listed once.
    for (idx_t p = 0; p < parts; ++p)
        relieve(&B, p, groups.member + groups.start[p],
                groups.start[p + 1] - groups.start[p]);
out:
    lcl_groups_finish(&groups);
    lcl_free(B.moves);
    lcl_free(B.pull);
    lcl_free(B.size);
    return st;
}
