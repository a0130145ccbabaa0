// SPDX-License-Identifier: BSD-3-Clause
// Reverse Cuthill-McKee.
#include "lib/partition/order.h"

#include "host/alloc.h"
#include "host/log.h"
#include "lib/partition/graph.h"

struct search {
    const struct lcl_graph *G;
    idx_t *adj;     // of G, the neighbours of a vertex by ascending degree
    idx_t *next;    // n + 1, scratch
    int32_t *perm;  // of the vertices numbered so far
    uint8_t *found; // n
};

// Result of a search from one vertex: perm[last] .. perm[end-1] are the
// farthest vertices.
struct levels {
    int32_t count, last, end;
};

static idx_t degree(const struct lcl_graph *G, idx_t v)
{
    return G->ptr[v + 1] - G->ptr[v];
}

// Counting sort of the vertices by degree; next[d] ends as the end of degree d.
static void sort_vertices(const struct search *s, int32_t *by_degree)
{
    const struct lcl_graph *G = s->G;
    for (idx_t v = 0; v <= G->n; ++v)
        s->next[v] = 0;
    for (idx_t v = 0; v < G->n; ++v)
        ++s->next[degree(G, v) + 1]; // degrees are below n
    for (idx_t v = 0; v < G->n; ++v)
        s->next[v + 1] += s->next[v];
    for (idx_t v = 0; v < G->n; ++v)
        by_degree[s->next[degree(G, v)]++] = (int32_t)v;
}

// Appends each vertex, by ascending degree, to the lists of its neighbours.
static void sort_neighbours(const struct search *s, const int32_t *by_degree)
{
    const struct lcl_graph *G = s->G;
    for (idx_t v = 0; v < G->n; ++v)
        s->next[v] = G->ptr[v];
    for (idx_t i = 0; i < G->n; ++i)
        for (idx_t k = G->ptr[by_degree[i]]; k < G->ptr[by_degree[i] + 1]; ++k)
            s->adj[s->next[G->adj[k]]++] = by_degree[i];
}

static int32_t add_neighbours(const struct search *s, idx_t v, int32_t end)
{
    for (idx_t k = s->G->ptr[v]; k < s->G->ptr[v + 1]; ++k) {
        const idx_t u = s->adj[k];
        if (s->found[u])
            continue;
        s->found[u] = 1;
        s->perm[end++] = (int32_t)u;
    }
    return end;
}

// Numbers the vertices that can be reached from `root`, level by level, from
// `first` on.
static struct levels search(const struct search *s, int32_t root, int32_t first)
{
    struct levels L = {.count = 0, .last = first, .end = first + 1};
    s->perm[first] = root;
    s->found[root] = 1;
    for (int32_t at = first;;) {
        const int32_t before = L.end;
        for (; at < before; ++at)
            L.end = add_neighbours(s, s->perm[at], L.end);
        ++L.count;
        if (L.end == before)
            return L;
        L.last = before;
    }
}

static void forget(const struct search *s, int32_t first, int32_t end)
{
    for (int32_t k = first; k < end; ++k)
        s->found[s->perm[k]] = 0;
}

// The vertex of the smallest degree among the farthest ones.
static int32_t farthest(const struct search *s, const struct levels *L)
{
    int32_t best = s->perm[L->last];
    for (int32_t k = L->last + 1; k < L->end; ++k) {
        const int32_t v = s->perm[k];
        const idx_t less = degree(s->G, v) - degree(s->G, best);
        if (less < 0 || (less == 0 && v < best))
            best = v;
    }
    return best;
}

// A start vertex such that a search from its farthest vertex has no more
// levels; usually it is peripheral.
static int32_t find_start(const struct search *s, int32_t root, int32_t first)
{
    for (int32_t most = 0;;) {
        const struct levels L = search(s, root, first);
        const int32_t end = farthest(s, &L);
        forget(s, first, L.end);
        if (L.count <= most)
            return root;
        most = L.count;
        root = end;
    }
}

static void number(const struct search *s)
{
    const int32_t n = (int32_t)s->G->n;
    int32_t first = 0;
    for (int32_t v = 0; v < n; ++v)
        if (!s->found[v])
            first = search(s, find_start(s, v, first), first).end;
    for (int32_t i = 0, j = n - 1; i < j; ++i, --j) {
        const int32_t kept = s->perm[i];
        s->perm[i] = s->perm[j];
        s->perm[j] = kept;
    }
}

enum lcl_status lcl_order_rcm(int32_t *perm, const struct lcl_graph *G,
                              const struct lcl_log *log)
{
    const size_t n = (size_t)G->n;
    const struct search s = {
        .G = G,
        .adj = lcl_malloc((size_t)G->ptr[G->n], sizeof *s.adj),
        .next = lcl_malloc(n + 1, sizeof *s.next),
        .perm = perm,
        .found = lcl_calloc(n, sizeof *s.found),
    };
    enum lcl_status st = LCL_OK;
    if (s.adj && s.next && s.found) {
        sort_vertices(&s, perm);
        sort_neighbours(&s, perm);
        number(&s);
    } else {
        st = lcl_fail_memory(log, "an order of rows");
    }
    lcl_free(s.adj);
    lcl_free(s.next);
    lcl_free(s.found);
    return st;
}
