// SPDX-License-Identifier: BSD-3-Clause
// Merges subdomains into fewer aggregates: rounds of matching, each of which
// pairs most vertices of a shrinking graph. METIS, which partitions the matrix,
// is no alternative: for parts of only a few vertices it fails and prints to
// stdout.
#include "lib/multilevel/aggregate.h"

#include "host/alloc.h"
#include "host/log.h"

// A graph is a square matrix without diagonal; its values are the numbers of
// couplings of the matrix per edge.
struct contraction {
    const struct lcl_csr *G;
    const int32_t *label; // old vertex -> new vertex
    int64_t count;        // number of new vertices
    int64_t *start;       // count + 1: old vertices of each new one
    int32_t *member;      // G->rows
    int64_t *place;       // count: position of the edge to a new vertex
};

static enum lcl_status contraction_init(struct contraction *K,
                                        const struct lcl_log *log)
{
    const int64_t rows = K->G->rows;
    K->start = lcl_calloc((size_t)K->count + 2, sizeof *K->start);
    K->member = lcl_malloc((size_t)rows, sizeof *K->member);
    K->place = lcl_malloc((size_t)K->count, sizeof *K->place);
    if (!K->start || !K->member || !K->place)
        return lcl_fail_memory(log, "aggregates");
    for (int64_t i = 0; i < rows; ++i)
        ++K->start[K->label[i] + 2];
    for (int64_t q = 0; q < K->count; ++q)
        K->start[q + 2] += K->start[q + 1];
    for (int64_t i = 0; i < rows; ++i)
        K->member[K->start[K->label[i] + 1]++] = (int32_t)i;
    for (int64_t q = 0; q < K->count; ++q)
        K->place[q] = -1;
    return LCL_OK;
}

static void contraction_finish(struct contraction *K)
{
    lcl_free(K->place);
    lcl_free(K->member);
    lcl_free(K->start);
}

// Adds the edges of old vertex i to row q, whose entries start at `first`; only
// counts them if C->col_ind is NULL. Returns the end of the row.
static int64_t add_edges(struct contraction *K, struct lcl_csr *C, int64_t q,
                         int64_t i, int64_t first, int64_t end)
{
    const struct lcl_csr *G = K->G;
    for (int64_t k = G->row_ptr[i]; k < G->row_ptr[i + 1]; ++k) {
        const int32_t to = K->label[G->col_ind[k]];
        if (to == q)
            continue;
        if (K->place[to] < first) {
            K->place[to] = end++;
            if (C->col_ind) {
                C->col_ind[K->place[to]] = to;
                C->val[K->place[to]] = 0;
            }
        }
        if (C->col_ind)
            C->val[K->place[to]] += G->val[k];
    }
    return end;
}

static void fill_rows(struct contraction *K, struct lcl_csr *C)
{
    int64_t end = 0;
    for (int64_t q = 0; q < K->count; ++q)
        K->place[q] = -1;
    for (int64_t q = 0; q < K->count; ++q) {
        const int64_t first = end;
        for (int64_t m = K->start[q]; m < K->start[q + 1]; ++m)
            end = add_edges(K, C, q, K->member[m], first, end);
        C->row_ptr[q + 1] = end;
    }
    C->nnz = end;
}

// C = the graph of the labels 0 .. count-1 of the vertices of G.
static enum lcl_status contract(struct lcl_csr *C, const struct lcl_csr *G,
                                const int32_t *label, int64_t count,
                                const struct lcl_log *log)
{
    struct contraction K = {.G = G, .label = label, .count = count};
    enum lcl_status st = contraction_init(&K, log);
    *C = (struct lcl_csr){.rows = count, .cols = count};
    if (st < 0)
        goto out;
    C->row_ptr = lcl_calloc((size_t)count + 1, sizeof *C->row_ptr);
    if (C->row_ptr)
        fill_rows(&K, C);
    C->col_ind = lcl_malloc((size_t)C->nnz, sizeof *C->col_ind);
    C->val = lcl_malloc((size_t)C->nnz, sizeof *C->val);
    if (C->row_ptr && C->col_ind && C->val)
        fill_rows(&K, C);
    else
        st = lcl_fail_memory(log, "the graph of the subdomains");
out:
    contraction_finish(&K);
    if (st < 0)
        lcl_csr_finish(C);
    return st;
}

// The free neighbour of vertex v with the most couplings, the first of several,
// -1 if there is none.
static int32_t heaviest(const struct lcl_csr *G, const int32_t *label,
                        int64_t v)
{
    int32_t best = -1;
    double weight = 0;
    for (int64_t k = G->row_ptr[v]; k < G->row_ptr[v + 1]; ++k) {
        const int32_t to = G->col_ind[k];
        const bool ahead =
            G->val[k] > weight || (G->val[k] == weight && to < best);
        if (label[to] < 0 && to != v && ahead) {
            best = to;
            weight = G->val[k];
        }
    }
    return best;
}

// Matches neighbours. Returns the number of pairs and single vertices.
static int64_t match(const struct lcl_csr *G, int32_t *label)
{
    int64_t count = 0;
    for (int64_t v = 0; v < G->rows; ++v)
        label[v] = -1;
    for (int64_t v = 0; v < G->rows; ++v) {
        if (label[v] >= 0)
            continue;
        const int32_t mate = heaviest(G, label, v);
        label[v] = (int32_t)count;
        if (mate >= 0)
            label[mate] = (int32_t)count;
        ++count;
    }
    return count;
}

// Matches vertices by number: for graphs with hardly any edges left.
static int64_t match_by_number(int64_t n, int32_t *label)
{
    for (int64_t v = 0; v < n; ++v)
        label[v] = (int32_t)(v / 2);
    return (n + 1) / 2;
}

// One round: shrinks G and updates aggregate[].
static enum lcl_status shrink(struct lcl_csr *G, int32_t *label,
                              int32_t *aggregate, int64_t parts,
                              const struct lcl_log *log)
{
    struct lcl_csr C;
    int64_t count = match(G, label);
    if (4 * count > 3 * G->rows)
        count = match_by_number(G->rows, label);
    const enum lcl_status st = contract(&C, G, label, count, log);
    if (st < 0)
        return st;
    for (int64_t p = 0; p < parts; ++p)
        aggregate[p] = label[aggregate[p]];
    lcl_csr_finish(G);
    *G = C;
    return LCL_OK;
}

enum lcl_status lcl_aggregate_graph(int32_t *aggregate, int64_t *count,
                                    struct lcl_csr *G, int64_t most,
                                    const struct lcl_log *log)
{
    const int64_t parts = G->rows;
    enum lcl_status st = LCL_OK;
    int32_t *label = lcl_malloc((size_t)parts, sizeof *label);
    if (!label)
        return lcl_fail_memory(log, "aggregates");
    for (int64_t p = 0; p < parts; ++p)
        aggregate[p] = (int32_t)p;
    while (st == LCL_OK && G->rows > most)
        st = shrink(G, label, aggregate, parts, log);
    *count = G->rows;
    lcl_free(label);
    return st;
}
