// SPDX-License-Identifier: BSD-3-Clause
// Reference of the matching: the graph of a matrix, pairs of its vertices.
#include "lib/ref/match.h"

#include "cl/partition/match.cl.h"
#include "host/alloc.h"

#include <math.h>
#include <stdlib.h>

// ------------------------------------------------------------------- graph

enum lcl_status lcl_ref_graph_init(struct lcl_ref_graph *G, int64_t n,
                                   int64_t entries)
{
    *G = (struct lcl_ref_graph){
        .n = n,
        .ptr = lcl_calloc((size_t)n + 1, sizeof *G->ptr),
        .adj = lcl_malloc((size_t)entries, sizeof *G->adj),
        .weight = lcl_malloc((size_t)entries, sizeof *G->weight),
        .size = lcl_calloc((size_t)n, sizeof *G->size),
    };
    return G->ptr && G->adj && G->weight && G->size ? LCL_OK : LCL_ENOMEM;
}

void lcl_ref_graph_finish(struct lcl_ref_graph *G)
{
    lcl_free(G->size);
    lcl_free(G->weight);
    lcl_free(G->adj);
    lcl_free(G->ptr);
    *G = (struct lcl_ref_graph){.n = 0};
}

// The largest absolute value of block k.
static double norm(const struct lcl_bsr *A, int64_t k)
{
    const int values = A->block_size * A->block_size;
    double largest = 0;
    for (int e = 0; e < values; ++e)
        largest = fmax(largest, fabs(A->val[k * values + e]));
    return largest;
}

// 1 / sqrt(|a_ii|); a zero diagonal counts as the largest entry of its row, an
// empty row as 1.
static double root(const struct lcl_bsr *A, int64_t i)
{
    double largest = 0, diagonal = 0;
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
        const double a = norm(A, k);
        largest = fmax(largest, a);
        if (A->col_ind[k] == i)
            diagonal = a;
    }
    diagonal = diagonal > 0 ? diagonal : largest;
    return 1 / sqrt(diagonal > 0 ? diagonal : 1);
}

static int64_t find(const struct lcl_bsr *A, int64_t i, int64_t j)
{
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
        if (A->col_ind[k] == j)
            return k;
    return -1;
}

// The strengths of all entries, 0 on the diagonal.
static uint32_t *strengths(const struct lcl_bsr *A, bool weighted)
{
    uint32_t *s = lcl_malloc((size_t)A->nnz, sizeof *s);
    double *r = lcl_malloc((size_t)A->rows, sizeof *r);
    for (int64_t i = 0; r && s && weighted && i < A->rows; ++i)
        r[i] = root(A, i);
    for (int64_t i = 0; r && s && i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
            const int32_t j = A->col_ind[k];
            s[k] = j == i     ? 0
                   : weighted ? match_strength(norm(A, k), r[i], r[j])
                              : MATCH_SCALE + MATCH_LEAST;
        }
    if (!r) {
        lcl_free(s);
        s = NULL;
    }
    lcl_free(r);
    return s;
}

static bool is_symmetric(const struct lcl_bsr *A)
{
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            if (find(A, A->col_ind[k], i) < 0)
                return false;
    return true;
}

static void add_transposed(struct lcl_ref_graph *G, const struct lcl_bsr *A,
                           const uint32_t *s)
{
    for (int64_t i = 0; i < A->rows; ++i) {
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
            G->adj[k] = A->col_ind[k];
            G->weight[k] = s[k] + s[find(A, A->col_ind[k], i)];
        }
        G->ptr[i + 1] = (uint32_t)A->row_ptr[i + 1];
    }
}

// All entries of A and A^T, twice where both are stored.
static void list_both(struct lcl_ref_graph *G, const struct lcl_bsr *A,
                      const uint32_t *s)
{
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
            G->ptr[i + 1] += 1;
            G->ptr[A->col_ind[k] + 1] += 1;
        }
    for (int64_t i = 0; i < A->rows; ++i)
        G->ptr[i + 1] += G->ptr[i];
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
            const int32_t j = A->col_ind[k];
            const uint32_t here = G->ptr[i]++, there = G->ptr[j]++;
            G->adj[here] = j;
            G->adj[there] = (int32_t)i;
            G->weight[here] = G->weight[there] = s[k];
        }
    for (int64_t i = A->rows; i > 0; --i)
        G->ptr[i] = G->ptr[i - 1];
    G->ptr[0] = 0;
}

// Adds up the entries that list_both() listed twice.
static enum lcl_status unite(struct lcl_ref_graph *G, struct lcl_ref_graph *all)
{
    int32_t *own = lcl_malloc((size_t)all->n, sizeof *own);
    if (!own)
        return LCL_ENOMEM;
    for (int64_t i = 0; i < all->n; ++i)
        own[i] = (int32_t)i;
    const enum lcl_status st = lcl_ref_match_contract(G, all, own, all->n);
    lcl_free(own);
    return st;
}

enum lcl_status lcl_ref_match_graph(struct lcl_ref_graph *G,
                                    const struct lcl_bsr *A, bool weighted)
{
    const bool symmetric = is_symmetric(A);
    struct lcl_ref_graph all;
    uint32_t *s = strengths(A, weighted);
    enum lcl_status st =
        lcl_ref_graph_init(&all, A->rows, symmetric ? A->nnz : 2 * A->nnz);
    *G = (struct lcl_ref_graph){.n = 0};
    st = s ? st : LCL_ENOMEM;
    for (int64_t i = 0; i < A->rows && st == LCL_OK; ++i)
        all.size[i] = 1;
    if (st == LCL_OK && symmetric) {
        add_transposed(&all, A, s);
        *G = all;
        all = (struct lcl_ref_graph){.n = 0};
    } else if (st == LCL_OK) {
        list_both(&all, A, s);
        st = unite(G, &all);
    }
    lcl_ref_graph_finish(&all);
    lcl_free(s);
    return st;
}

// ------------------------------------------------------------------- pairs

// The free neighbour of i with the largest rating, or -1.
static int32_t favourite(const struct lcl_ref_graph *G, const int32_t *mate,
                         int64_t i, uint32_t limit, uint32_t round)
{
    int32_t best = -1;
    double best_rating = -1;
    uint32_t best_hash = 0;
    for (uint32_t k = G->ptr[i]; k < G->ptr[i + 1]; ++k) {
        const int32_t j = G->adj[k];
        if (G->weight[k] == 0 || mate[j] >= 0 ||
            G->size[i] + G->size[j] > limit)
            continue;
        const double rating =
            match_rating(G->weight[k], G->size[i], G->size[j]);
        const uint32_t hash = match_hash((uint32_t)i, (uint32_t)j, round);
        if (rating > best_rating ||
            (rating == best_rating &&
             (hash > best_hash || (hash == best_hash && j < best)))) {
            best = j;
            best_rating = rating;
            best_hash = hash;
        }
    }
    return best;
}

static bool match_round(int32_t *mate, int32_t *pick,
                        const struct lcl_ref_graph *G, uint32_t limit,
                        uint32_t round)
{
    bool changed = false;
    for (int64_t i = 0; i < G->n; ++i)
        pick[i] = mate[i] < 0 ? favourite(G, mate, i, limit, round) : -1;
    for (int64_t i = 0; i < G->n; ++i)
        if (pick[i] >= 0 && pick[pick[i]] == i) {
            mate[i] = pick[i];
            changed = true;
        }
    return changed;
}

// The neighbour with the heaviest edge, the lowest of several; isolated
// vertices of a vicinity share a fictitious one, numbered from G->n on.
static int64_t heaviest(const struct lcl_ref_graph *G, int64_t i)
{
    int64_t hub = G->n + i / MATCH_VICINITY;
    uint32_t weight = 0;
    for (uint32_t k = G->ptr[i]; k < G->ptr[i + 1]; ++k)
        if (G->weight[k] > weight ||
            (G->weight[k] == weight && weight > 0 && G->adj[k] < hub)) {
            weight = G->weight[k];
            hub = G->adj[k];
        }
    return hub;
}

// Free vertices draw one of the slots of their hub, half as many as it has free
// vertices at the start; the first and the last vertex of a slot form a pair.
struct drawing {
    int64_t *hub;           // of each vertex
    uint32_t *start, *slot; // of each hub, drawn by each vertex
    int32_t *low, *high;    // vertex of each slot
};

static void drawing_finish(struct drawing *D)
{
    lcl_free(D->high);
    lcl_free(D->low);
    lcl_free(D->slot);
    lcl_free(D->start);
    lcl_free(D->hub);
}

static enum lcl_status drawing_init(struct drawing *D, const int32_t *mate,
                                    const struct lcl_ref_graph *G)
{
    const int64_t n = G->n, hubs = n + n / MATCH_VICINITY + 1;
    *D = (struct drawing){
        .hub = lcl_malloc((size_t)n, sizeof *D->hub),
        .start = lcl_calloc((size_t)hubs + 1, sizeof *D->start),
        .slot = lcl_malloc((size_t)n, sizeof *D->slot),
        .low = lcl_malloc((size_t)n, sizeof *D->low),
        .high = lcl_malloc((size_t)n, sizeof *D->high),
    };
    if (!D->hub || !D->start || !D->slot || !D->low || !D->high)
        return LCL_ENOMEM;
    for (int64_t i = 0; i < n; ++i) {
        D->hub[i] = heaviest(G, i);
        D->start[D->hub[i] + 1] += mate[i] < 0;
    }
    for (int64_t h = 0; h < hubs; ++h)
        D->start[h + 1] += D->start[h];
    return LCL_OK;
}

static void draw(struct drawing *D, int32_t *mate,
                 const struct lcl_ref_graph *G, uint32_t limit, uint32_t round)
{
    for (int64_t i = 0; i < G->n; ++i) {
        D->low[i] = INT32_MAX;
        D->high[i] = -1;
    }
    for (int64_t i = 0; i < G->n; ++i) {
        if (mate[i] >= 0)
            continue;
        const uint32_t from = D->start[D->hub[i]];
        const uint32_t slots = (D->start[D->hub[i] + 1] - from + 1) / 2;
        const uint32_t s =
            from + match_hash((uint32_t)i, (uint32_t)i, round) % slots;
        D->low[s] = D->low[s] < i ? D->low[s] : (int32_t)i;
        D->high[s] = D->high[s] > i ? D->high[s] : (int32_t)i;
    }
    for (int64_t s = 0; s < G->n; ++s) {
        const int32_t i = D->low[s], j = D->high[s];
        if (i < j && G->size[i] + G->size[j] <= limit) {
            mate[i] = j;
            mate[j] = i;
        }
    }
}

static enum lcl_status pair_leaves(int32_t *mate, const struct lcl_ref_graph *G,
                                   uint32_t limit)
{
    struct drawing D;
    const enum lcl_status st = drawing_init(&D, mate, G);
    for (uint32_t round = 0; round < MATCH_DRAWINGS && st == LCL_OK; ++round)
        draw(&D, mate, G, limit, round);
    drawing_finish(&D);
    return st;
}

enum lcl_status lcl_ref_match_pairs(int32_t *mate,
                                    const struct lcl_ref_graph *G,
                                    uint32_t limit, bool leaves)
{
    int32_t *pick = lcl_malloc((size_t)G->n, sizeof *pick);
    if (!pick)
        return LCL_ENOMEM;
    for (int64_t i = 0; i < G->n; ++i)
        mate[i] = -1;
    for (uint32_t r = 0; r < MATCH_ROUNDS; ++r)
        if (!match_round(mate, pick, G, limit, r))
            break;
    lcl_free(pick);
    return leaves ? pair_leaves(mate, G, limit) : LCL_OK;
}

static double rating_of_pair(const struct lcl_ref_graph *G, int64_t i,
                             int32_t j)
{
    for (uint32_t k = G->ptr[i]; k < G->ptr[i + 1]; ++k)
        if (G->adj[k] == j)
            return match_rating(G->weight[k], G->size[i], G->size[j]);
    return 0;
}

struct pair {
    double rating;
    int32_t first;
};

static int by_rating(const void *left, const void *right)
{
    const struct pair *l = left, *r = right;
    if (l->rating != r->rating)
        return l->rating > r->rating ? -1 : 1;
    return l->first < r->first ? -1 : l->first > r->first;
}

enum lcl_status lcl_ref_match_cut(int32_t *mate, const struct lcl_ref_graph *G,
                                  int64_t most)
{
    struct pair *pair = lcl_malloc((size_t)G->n, sizeof *pair);
    int64_t pairs = 0;
    if (!pair)
        return LCL_ENOMEM;
    for (int32_t i = 0; i < G->n; ++i)
        if (mate[i] > i)
            pair[pairs++] = (struct pair){rating_of_pair(G, i, mate[i]), i};
    qsort(pair, (size_t)pairs, sizeof *pair, by_rating);
    for (int64_t k = G->n - most; k < pairs; ++k) {
        mate[mate[pair[k].first]] = -1;
        mate[pair[k].first] = -1;
    }
    lcl_free(pair);
    return LCL_OK;
}

int64_t lcl_ref_match_number(int32_t *coarse, const int32_t *mate, int64_t n)
{
    int64_t count = 0;
    for (int64_t i = 0; i < n; ++i)
        coarse[i] =
            mate[i] >= 0 && mate[i] < i ? coarse[mate[i]] : (int32_t)count++;
    return count;
}
