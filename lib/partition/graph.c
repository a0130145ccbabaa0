// SPDX-License-Identifier: BSD-3-Clause
// Undirected graphs of matrices, in METIS format.
#include "lib/partition/graph.h"

#include "host/alloc.h"
#include "host/log.h"

#include <string.h>

static enum lcl_status allocate(struct lcl_graph *G, int64_t n, int64_t entries,
                                bool weighted, const struct lcl_log *log)
{
    *G = (struct lcl_graph){
        .n = (idx_t)n,
        .ptr = lcl_calloc((size_t)n + 1, sizeof *G->ptr),
        .adj = lcl_malloc((size_t)entries, sizeof *G->adj),
        .weight =
            weighted ? lcl_malloc((size_t)entries, sizeof *G->weight) : NULL,
    };
    if (G->ptr && G->adj && (G->weight || !weighted))
        return LCL_OK;
    lcl_graph_finish(G);
    return lcl_fail_memory(log, "the graph of the matrix");
}

void lcl_graph_finish(struct lcl_graph *G)
{
    lcl_free(G->weight);
    lcl_free(G->adj);
    lcl_free(G->ptr);
    *G = (struct lcl_graph){0};
}

int64_t lcl_graph_window(const struct lcl_csr *A, int64_t first, int64_t edges)
{
    int64_t low = first + 1, high = A->rows;
    while (low < high) {
        const int64_t mid = high - (high - low) / 2;
        if (A->row_ptr[mid] - A->row_ptr[first] <= edges / 2)
            low = mid;
        else
            high = mid - 1;
    }
    return low;
}

// A window of the matrix and the weighting of its entries.
struct view {
    const struct lcl_csr *A;
    const struct lcl_weighing *W;
    int64_t first, last;
};

static bool is_edge(const struct view *V, int64_t i, int64_t j)
{
    return j != i && j >= V->first && j < V->last;
}

static idx_t weigh(const struct view *V, int64_t i, int64_t k)
{
    const double s = lcl_strength(V->W, V->A->val[k], i, V->A->col_ind[k]);
    return (idx_t)(1 + V->W->scale * s);
}

static int64_t count_edges(const struct view *V, idx_t *ptr)
{
    const struct lcl_csr *A = V->A;
    int64_t entries = 0;
    for (int64_t i = V->first; i < V->last; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            if (is_edge(V, i, A->col_ind[k])) {
                ++ptr[A->col_ind[k] - V->first + 1];
                ++entries;
            }
    return entries;
}

// T = transpose of the window without its diagonal. During filling, ptr[v] is
// the next free position of row v, which ends up as the start of row v + 1.
static void fill_transpose(struct lcl_graph *T, const struct view *V)
{
    const struct lcl_csr *A = V->A;
    for (idx_t v = 0; v < T->n; ++v)
        T->ptr[v + 1] += T->ptr[v];
    for (int64_t i = V->first; i < V->last; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
            if (!is_edge(V, i, A->col_ind[k]))
                continue;
            const idx_t place = T->ptr[A->col_ind[k] - V->first]++;
            T->adj[place] = (idx_t)(i - V->first);
            if (T->weight)
                T->weight[place] = weigh(V, i, k);
        }
    memmove(T->ptr + 1, T->ptr, (size_t)T->n * sizeof *T->ptr);
    T->ptr[0] = 0;
}

static void put(struct lcl_graph *G, idx_t *end, idx_t vertex, idx_t weight)
{
    G->adj[*end] = vertex;
    if (G->weight)
        G->weight[*end] = weight;
    ++*end;
}

// Row v of G = union of row v of the window and row v of T; both ascend.
static idx_t unite_row(struct lcl_graph *G, const struct lcl_graph *T,
                       const struct view *V, idx_t v, idx_t end)
{
    const struct lcl_csr *A = V->A;
    const int64_t i = V->first + v;
    idx_t t = T->ptr[v];
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
        if (!is_edge(V, i, A->col_ind[k]))
            continue;
        const idx_t u = (idx_t)(A->col_ind[k] - V->first);
        idx_t weight = G->weight ? weigh(V, i, k) : 1;
        for (; t < T->ptr[v + 1] && T->adj[t] < u; ++t)
            put(G, &end, T->adj[t], T->weight ? T->weight[t] : 1);
        if (t < T->ptr[v + 1] && T->adj[t] == u) {
            if (T->weight && T->weight[t] > weight)
                weight = T->weight[t];
            ++t;
        }
        put(G, &end, u, weight);
    }
    for (; t < T->ptr[v + 1]; ++t)
        put(G, &end, T->adj[t], T->weight ? T->weight[t] : 1);
    return end;
}

enum lcl_status lcl_graph_create(struct lcl_graph *G, const struct lcl_csr *A,
                                 int64_t first, int64_t last,
                                 const struct lcl_weighing *W,
                                 const struct lcl_log *log)
{
    const struct view V = {.A = A, .W = W, .first = first, .last = last};
    const int64_t bound = A->row_ptr[last] - A->row_ptr[first];
    const bool weighted = W->root != NULL;
    struct lcl_graph T;
    enum lcl_status st = allocate(&T, last - first, bound, weighted, log);
    if (st < 0)
        return st;
    const int64_t entries = count_edges(&V, T.ptr);
    st = allocate(G, last - first, 2 * entries, weighted, log);
    if (st < 0)
        goto out;
    fill_transpose(&T, &V);
    for (idx_t v = 0; v < G->n; ++v)
        G->ptr[v + 1] = unite_row(G, &T, &V, v, G->ptr[v]);
out:
    lcl_graph_finish(&T);
    return st;
}

static void extract_row(struct lcl_graph *S, const struct lcl_graph *G,
                        const idx_t *position, idx_t v, idx_t vertex)
{
    idx_t end = S->ptr[v];
    for (idx_t k = G->ptr[vertex]; k < G->ptr[vertex + 1]; ++k)
        if (position[G->adj[k]] >= 0)
            put(S, &end, position[G->adj[k]], G->weight ? G->weight[k] : 1);
    S->ptr[v + 1] = end;
}

enum lcl_status lcl_graph_extract(struct lcl_graph *S,
                                  const struct lcl_graph *G,
                                  const idx_t *member, idx_t count,
                                  idx_t *position, const struct lcl_log *log)
{
    int64_t entries = 0;
    for (idx_t v = 0; v < count; ++v)
        entries += G->ptr[member[v] + 1] - G->ptr[member[v]];
    enum lcl_status st = allocate(S, count, entries, G->weight != NULL, log);
    if (st < 0)
        return st;
    for (idx_t v = 0; v < count; ++v)
        position[member[v]] = v;
    for (idx_t v = 0; v < count; ++v)
        extract_row(S, G, position, v, member[v]);
    for (idx_t v = 0; v < count; ++v)
        position[member[v]] = -1;
    return LCL_OK;
}

enum lcl_status lcl_groups_create(struct lcl_groups *groups, const idx_t *label,
                                  idx_t n, idx_t labels,
                                  const struct lcl_log *log)
{
    // One extra element at the front: during filling, start[p + 1] is the next
    // free position of group p.
    idx_t *start = lcl_calloc((size_t)labels + 2, sizeof *start);
    idx_t *member = lcl_malloc((size_t)n, sizeof *member);
    *groups = (struct lcl_groups){.start = start, .member = member};
    if (!start || !member) {
        lcl_groups_finish(groups);
        return lcl_fail_memory(log, "lists of subdomains");
    }
    for (idx_t v = 0; v < n; ++v)
        ++start[label[v] + 2];
    for (idx_t p = 0; p < labels; ++p)
        start[p + 2] += start[p + 1];
    for (idx_t v = 0; v < n; ++v)
        member[start[label[v] + 1]++] = v;
    return LCL_OK;
}

void lcl_groups_finish(struct lcl_groups *groups)
{
    lcl_free(groups->member);
    lcl_free(groups->start);
    *groups = (struct lcl_groups){0};
}
