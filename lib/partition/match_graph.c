// SPDX-License-Identifier: BSD-3-Clause
// The weighted graph of a device matrix.
#include "lib/partition/matcher.h"

#include "host/log.h"
#include "host/runtime.h"

void lcl_match_graph_finish(struct lcl_match_graph *G)
{
    lcl_buffer_destroy(&G->list);
    lcl_buffer_destroy(&G->size);
    lcl_buffer_destroy(&G->weight);
    lcl_buffer_destroy(&G->adj);
    lcl_buffer_destroy(&G->ptr);
    *G = (struct lcl_match_graph){.n = 0};
}

enum lcl_status lcl_match_list_long(struct lcl_match_graph *G,
                                    struct lcl_matcher *m)
{
    uint32_t counts[MATCH_WORDS];
    enum lcl_status st;
    if (m->caps->width == 1)
        return LCL_OK;
    if ((st = lcl_match_buffer(m, &G->list, G->entries / MATCH_LONG + 1)) < 0 ||
        (st = lcl_match_clear_counts(m)) < 0 ||
        (st = LCL_MATCH_LAUNCH(m, LCL_MATCH_LIST_LONG, LCL_MATCH_FEW,
                               lcl_arg_long(G->n), lcl_arg_buffer(G->row_ptr),
                               lcl_arg_buffer(G->list),
                               lcl_arg_buffer(m->scratch.counts))) < 0)
        return st;
    st = lcl_buffer_read(m->scratch.counts, counts, sizeof counts);
    G->longs = counts[MATCH_LONGS];
    G->halves = counts[MATCH_HALVES];
    return st;
}

enum lcl_status lcl_match_count_up(struct lcl_matcher *m, lcl_buffer *out,
                                   int64_t n, int first, int step)
{
    return LCL_MATCH_LAUNCH(m, LCL_MATCH_COUNT_UP, LCL_MATCH_FEW,
                            lcl_arg_long(n), lcl_arg_int(first),
                            lcl_arg_int(step), lcl_arg_buffer(out));
}

enum lcl_status lcl_match_fill(struct lcl_matcher *m, lcl_buffer *out,
                               int64_t n, int value)
{
    return lcl_match_count_up(m, out, n, value, 0);
}

enum lcl_status lcl_match_copy(struct lcl_matcher *m, lcl_buffer *to,
                               const lcl_buffer *from, int64_t n)
{
    return LCL_MATCH_LAUNCH(m, LCL_MATCH_COPY, LCL_MATCH_FEW, lcl_arg_long(n),
                            lcl_arg_buffer(from), lcl_arg_buffer(to));
}

enum lcl_status lcl_match_clear_counts(struct lcl_matcher *m)
{
    return lcl_match_fill(m, m->scratch.counts, MATCH_WORDS, 0);
}

// Arguments of the kernel that computes the strengths.
struct weighing {
    bool weighted;
    lcl_buffer *root; // 1 / sqrt(|a_ii|)
};

static const lcl_buffer *values_of(const struct lcl_matcher *m,
                                   const struct weighing *W)
{
    return W->weighted ? m->A->val : m->A->col;
}

static const lcl_buffer *roots_of(const struct lcl_matcher *m,
                                  const struct weighing *W)
{
    return W->weighted ? W->root : m->A->col;
}

static enum lcl_status find_roots(struct weighing *W, struct lcl_matcher *m,
                                  const struct lcl_match_graph *G)
{
    if (!W->weighted)
        return LCL_OK;
    const enum lcl_status st =
        lcl_buffer_create(&W->root, m->ctx, G->n, sizeof(double), "matching");
    if (st < 0)
        return st;
    return LCL_MATCH_ROWS(m, LCL_MATCH_ROOTS, G, lcl_arg_buffer(G->row_ptr),
                          lcl_arg_buffer(G->col), lcl_arg_buffer(m->A->val),
                          lcl_arg_buffer(W->root));
}

// Computes the edge weights on the pattern of A; sets *symmetric if this
// pattern is that of A + A^T.
static enum lcl_status weigh(bool *symmetric, struct lcl_match_graph *G,
                             struct lcl_matcher *m, const struct weighing *W)
{
    uint32_t counts[MATCH_WORDS] = {0};
    enum lcl_status st;
    lcl_task_bytes(m->ctx, lcl_match_graph_bytes(G) +
                               (W->weighted ? lcl_buffer_bytes(m->A->val) : 0));
    if ((st = lcl_match_buffer(m, &G->weight, G->entries)) < 0 ||
        (st = lcl_match_clear_counts(m)) < 0 ||
        (st = LCL_MATCH_ROWS(
             m, LCL_MATCH_WEIGH, G, lcl_arg_int(W->weighted),
             lcl_arg_buffer(G->row_ptr), lcl_arg_buffer(G->col),
             lcl_arg_buffer(values_of(m, W)), lcl_arg_buffer(roots_of(m, W)),
             lcl_arg_buffer(G->weight), lcl_arg_buffer(m->scratch.counts))) < 0)
        return st;
    st = lcl_buffer_read(m->scratch.counts, counts, sizeof counts);
    *symmetric = counts[MATCH_LACKING] == 0;
    return st;
}

// ------------------------------------------------------------------- union

// `all`: the entries of A and of A^T by row; an entry of both occurs twice.
static enum lcl_status list_both(struct lcl_match_graph *all,
                                 struct lcl_matcher *m,
                                 const struct lcl_match_graph *G,
                                 const struct weighing *W)
{
    const struct lcl_match_scratch *s = &m->scratch;
    const struct lcl_match_scan scan = {
        G->n, -1, LCL_SUM_NUMBERS, MATCH_ENTRIES, s->length, all->ptr};
    enum lcl_status st;
    if ((st = lcl_match_fill(m, s->length, G->n, 0)) < 0 ||
        (st = LCL_MATCH_ROWS(m, LCL_MATCH_COUNT_BOTH, G,
                             lcl_arg_buffer(G->row_ptr), lcl_arg_buffer(G->col),
                             lcl_arg_buffer(s->length))) < 0 ||
        (st = lcl_match_scan(m, &scan)) < 0 ||
        (st = lcl_match_copy(m, s->row_ptr, all->ptr, G->n)) < 0)
        return st;
    return LCL_MATCH_ROWS(m, LCL_MATCH_LIST_BOTH, G, lcl_arg_int(W->weighted),
                          lcl_arg_buffer(G->row_ptr), lcl_arg_buffer(G->col),
                          lcl_arg_buffer(values_of(m, W)),
                          lcl_arg_buffer(roots_of(m, W)),
                          lcl_arg_buffer(s->row_ptr), lcl_arg_buffer(all->adj),
                          lcl_arg_buffer(all->weight));
}

// Replaces G, which has the pattern of A, by the graph of A + A^T.
static enum lcl_status unite(struct lcl_match_graph *G, struct lcl_matcher *m,
                             const struct weighing *W)
{
    struct lcl_match_graph all = {.n = G->n, .entries = 2 * G->entries};
    struct lcl_match_graph sums = {0};
    lcl_buffer *own = NULL;
    enum lcl_status st;
    if (lcl_needs_wide(all.entries))
        return lcl_refuse_wide(all.entries, "graph of an unsymmetric matrix",
                               m->log);
    if ((st = lcl_match_buffer(m, &all.ptr, all.n + 1)) < 0 ||
        (st = lcl_match_buffer(m, &all.adj, all.entries)) < 0 ||
        (st = lcl_match_buffer(m, &all.weight, all.entries)) < 0 ||
        (st = lcl_match_buffer(m, &own, all.n)) < 0)
        goto out;
    all.row_ptr = all.ptr;
    all.col = all.adj;
    if ((st = list_both(&all, m, G, W)) < 0 ||
        (st = lcl_match_list_long(&all, m)) < 0 ||
        (st = lcl_match_count_up(m, own, all.n, 0, 1)) < 0)
        goto out;
    st = lcl_match_relabel(&sums, m, &all, own, own);
    lcl_match_graph_finish(G);
    *G = sums;
out:
    lcl_buffer_destroy(&own);
    lcl_match_graph_finish(&all);
    return st;
}

enum lcl_status lcl_match_graph_init(struct lcl_match_graph *G,
                                     struct lcl_matcher *m, bool weighted)
{
    const struct lcl_device_matrix *A = m->A;
    struct weighing W = {.weighted = weighted};
    bool symmetric = true;
    enum lcl_status st;
    *G = (struct lcl_match_graph){.n = A->block_rows,
                                  .entries = A->blocks,
                                  .row_ptr = A->row_ptr,
                                  .col = A->col};
    if ((st = lcl_match_list_long(G, m)) < 0 ||
        (st = find_roots(&W, m, G)) < 0 ||
        (st = weigh(&symmetric, G, m, &W)) < 0 ||
        (!symmetric && (st = unite(G, m, &W)) < 0))
        goto out;
    if (!G->size)
        st = lcl_match_buffer(m, &G->size, G->n);
    if (st == LCL_OK)
        st = lcl_match_fill(m, G->size, G->n, 1);
out:
    lcl_buffer_destroy(&W.root);
    return st;
}
