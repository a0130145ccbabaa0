// SPDX-License-Identifier: BSD-3-Clause
// Numbering of the parts along the tree of contractions.
#include "lib/partition/matcher.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"

#include <string.h>

// ------------------------------------------------------------------- rows

// The rows by part, in the numbering before the tree is known.
struct rows {
    lcl_buffer *count, *start; // parts, parts + 1
    lcl_buffer *perm;
};

static void rows_finish(struct rows *R)
{
    lcl_buffer_destroy(&R->perm);
    lcl_buffer_destroy(&R->start);
    lcl_buffer_destroy(&R->count);
}

// Numbers the parts that have rows.
static enum lcl_status compress(struct lcl_match_tree *T, struct rows *R,
                                struct lcl_matcher *m,
                                const struct lcl_match_parts *P)
{
    const struct lcl_match_scan scan = {
        P->count, -1, LCL_SUM_USED, MATCH_COUNT, P->rows, m->scratch.number};
    uint32_t counts[MATCH_WORDS];
    enum lcl_status st;
    if ((st = lcl_match_scan(m, &scan)) < 0 ||
        (st = lcl_buffer_read(m->scratch.counts, counts, sizeof counts)) < 0 ||
        (st = lcl_match_buffer(m, &R->count, counts[MATCH_COUNT])) < 0)
        return st;
    T->parts = counts[MATCH_COUNT];
    return LCL_MATCH_LAUNCH(
        m, LCL_MATCH_RENUMBER, LCL_MATCH_FEW, lcl_arg_long(m->A->block_rows),
        lcl_arg_long(P->count), lcl_arg_buffer(m->scratch.number),
        lcl_arg_buffer(P->rows), lcl_arg_buffer(P->part),
        lcl_arg_buffer(R->count));
}

static enum lcl_status list_rows(struct rows *R, struct lcl_matcher *m,
                                 const struct lcl_match_tree *T,
                                 const struct lcl_match_parts *P)
{
    const lcl_buffer *next = m->scratch.row_ptr;
    enum lcl_status st;
    if ((st = lcl_match_buffer(m, &R->start, T->parts + 1)) < 0 ||
        (st = lcl_match_buffer(m, &R->perm, m->A->block_rows)) < 0)
        return st;
    const struct lcl_match_scan scan = {
        T->parts, -1, LCL_SUM_NUMBERS, MATCH_ENTRIES, R->count, R->start};
    if ((st = lcl_match_scan(m, &scan)) < 0 ||
        (st = lcl_match_copy(m, m->scratch.row_ptr, R->start, T->parts)) < 0 ||
        (st = LCL_MATCH_LAUNCH(m, LCL_MATCH_SCATTER_ROWS, LCL_MATCH_FEW,
                               lcl_arg_long(m->A->block_rows),
                               lcl_arg_buffer(P->part), lcl_arg_buffer(next),
                               lcl_arg_buffer(R->perm))) < 0)
        return st;
    return LCL_MATCH_LAUNCH(m, LCL_MATCH_SORT_ROWS, LCL_MATCH_FEW,
                            lcl_arg_long(T->parts), lcl_arg_buffer(R->start),
                            lcl_arg_buffer(R->perm));
}

// ------------------------------------------------------------------- graph

// Computes H, the graph of the parts: merges the entries of each row by part,
// then the entries of all rows of a part.
static enum lcl_status part_graph(struct lcl_match_graph *H,
                                  struct lcl_matcher *m,
                                  const struct lcl_match_graph *G,
                                  const struct rows *R, const lcl_buffer *part)
{
    const int64_t parts = (int64_t)(lcl_buffer_bytes(R->count) / 4);
    struct lcl_match_graph by_row = {0}, by_part = {0};
    lcl_buffer *own = NULL;
    enum lcl_status st;
    if ((st = lcl_match_relabel(&by_row, m, G, R->perm, part)) < 0 ||
        (st = lcl_match_buffer(m, &by_part.ptr, parts + 1)) < 0 ||
        (st = lcl_match_buffer(m, &own, parts)) < 0)
        goto out;
    by_part.n = parts;
    by_part.entries = by_row.entries;
    by_part.row_ptr = by_part.ptr;
    by_part.col = by_row.adj;
    by_part.weight = by_row.weight;
    by_row.weight = NULL;
    if ((st = LCL_MATCH_LAUNCH(
             m, LCL_MATCH_GATHER, LCL_MATCH_FEW, lcl_arg_long(parts + 1),
             lcl_arg_buffer(R->start), lcl_arg_buffer(by_row.ptr),
             lcl_arg_buffer(by_part.ptr))) < 0 ||
        (st = lcl_match_list_long(&by_part, m)) < 0 ||
        (st = lcl_match_count_up(m, own, parts, 0, 1)) < 0 ||
        (st = lcl_match_relabel(H, m, &by_part, own, own)) < 0)
        goto out;
    st = lcl_match_copy(m, H->size, R->count, parts);
out:
    lcl_buffer_destroy(&own);
    lcl_match_graph_finish(&by_part);
    lcl_match_graph_finish(&by_row);
    return st;
}

// ------------------------------------------------------------------- tree

// Order of the vertices of a level, in which the vertices that form one vertex
// of any coarser level are consecutive and ascend.
struct order {
    int32_t *vertex;    // at each place
    int32_t *aggregate; // the vertex of the coarsest level that has it
    int64_t count;
};

// Computes the order of a level of n vertices from the order of the next
// coarser level.
static enum lcl_status refine_order(struct order *O, const lcl_buffer *coarse,
                                    int64_t n, const struct lcl_log *log)
{
    int32_t *label = lcl_malloc((size_t)n, sizeof *label);
    int64_t *start = lcl_calloc((size_t)O->count + 1, sizeof *start);
    int32_t *vertex = lcl_malloc((size_t)n, sizeof *vertex);
    int32_t *aggregate = lcl_malloc((size_t)n, sizeof *aggregate);
    enum lcl_status st = LCL_ENOMEM;
    if (!label || !start || !vertex || !aggregate)
        goto out;
    if ((st = lcl_buffer_read(coarse, label, (size_t)n * sizeof *label)) < 0)
        goto out;
    for (int64_t i = 0; i < n; ++i)
        ++start[label[i]];
    for (int64_t k = 0, at = 0; k < O->count; ++k) {
        const int64_t members = start[O->vertex[k]];
        start[O->vertex[k]] = at;
        for (int64_t i = 0; i < members; ++i)
            aggregate[at++] = O->aggregate[k];
    }
    for (int64_t i = 0; i < n; ++i)
        vertex[start[label[i]]++] = (int32_t)i;
    lcl_free(O->vertex);
    lcl_free(O->aggregate);
    *O = (struct order){vertex, aggregate, n};
    vertex = aggregate = NULL;
out:
    lcl_free(aggregate);
    lcl_free(vertex);
    lcl_free(start);
    lcl_free(label);
    return st == LCL_ENOMEM ? lcl_fail_memory(log, "the subdomains") : st;
}

static enum lcl_status order_init(struct order *O, int64_t count,
                                  const struct lcl_log *log)
{
    *O = (struct order){lcl_malloc((size_t)count, sizeof *O->vertex),
                        lcl_malloc((size_t)count, sizeof *O->aggregate), count};
    if (!O->vertex || !O->aggregate)
        return lcl_fail_memory(log, "the subdomains");
    for (int64_t q = 0; q < count; ++q)
        O->vertex[q] = O->aggregate[q] = (int32_t)q;
    return LCL_OK;
}

static void order_finish(struct order *O)
{
    lcl_free(O->aggregate);
    lcl_free(O->vertex);
}

// Orders the parts by contracting their graph to `most` vertices.
static enum lcl_status order_parts(struct order *O, struct lcl_match_tree *T,
                                   struct lcl_matcher *m,
                                   struct lcl_match_levels *L, int64_t most)
{
    enum lcl_status st = lcl_match_levels_fill(L, m, UINT32_MAX, most);
    if (st < 0)
        return st;
    lcl_task_next(m->ctx, LCL_TASK_PARTITION);
    T->aggregates = L->graph[L->count].n;
    st = order_init(O, T->aggregates, m->log);
    for (int l = L->count - 1; l >= 0 && st == LCL_OK; --l)
        st = refine_order(O, L->coarse[l], L->graph[l].n, m->log);
    return st;
}

// Moves the parts to their places in the order.
static enum lcl_status place_parts(struct lcl_match_tree *T,
                                   struct lcl_matcher *m, const struct rows *R,
                                   const struct order *O)
{
    const size_t parts = (size_t)T->parts;
    uint32_t *count = lcl_malloc(parts, sizeof *count);
    uint32_t *place = lcl_malloc(parts, sizeof *place);
    lcl_buffer *places = NULL;
    enum lcl_status st = LCL_ENOMEM;
    T->part_ptr = lcl_calloc(parts + 1, sizeof *T->part_ptr);
    if (!count || !place || !T->part_ptr)
        goto out;
    if ((st = lcl_buffer_read(R->count, count, parts * sizeof *count)) < 0)
        goto out;
    for (int64_t k = 0; k < T->parts; ++k) {
        place[O->vertex[k]] = (uint32_t)T->part_ptr[k];
        T->part_ptr[k + 1] = T->part_ptr[k] + count[O->vertex[k]];
    }
    if ((st = lcl_buffer_create_from(&places, m->ctx, place, T->parts,
                                     sizeof *place, "matching")) < 0 ||
        (st = lcl_match_buffer(m, &T->perm, m->A->block_rows)) < 0)
        goto out;
    st = LCL_MATCH_LAUNCH(m, LCL_MATCH_MOVE_PARTS, LCL_MATCH_FEW,
                          lcl_arg_long(T->parts), lcl_arg_buffer(R->start),
                          lcl_arg_buffer(places), lcl_arg_buffer(R->perm),
                          lcl_arg_buffer(T->perm));
out:
    lcl_buffer_destroy(&places);
    lcl_free(place);
    lcl_free(count);
    return st == LCL_ENOMEM ? lcl_fail_memory(m->log, "the subdomains") : st;
}

enum lcl_status lcl_match_tree_init(struct lcl_match_tree *T,
                                    struct lcl_matcher *m,
                                    const struct lcl_match_parts *P,
                                    const struct lcl_match_graph *G,
                                    int64_t most)
{
    struct lcl_match_levels *L = lcl_calloc(1, sizeof *L);
    struct order O = {0};
    struct rows R = {0};
    enum lcl_status st;
    lcl_task_next(m->ctx, LCL_TASK_PARTITION);
    // part[]; perm[], written twice and read once
    lcl_task_bytes(m->ctx, 4 * sizeof(int32_t) * (uint64_t)m->A->block_rows);
    if (!L)
        return lcl_fail_memory(m->log, "the subdomains");
    if ((st = compress(T, &R, m, P)) < 0 || (st = list_rows(&R, m, T, P)) < 0)
        goto out;
    L->graph[0].n = T->parts;
    if (T->parts > most &&
        (st = part_graph(&L->graph[0], m, G, &R, P->part)) < 0)
        goto out;
    if ((st = order_parts(&O, T, m, L, most)) < 0 ||
        (st = place_parts(T, m, &R, &O)) < 0)
        goto out;
    T->aggregate = O.aggregate;
    O.aggregate = NULL;
out:
    order_finish(&O);
    rows_finish(&R);
    lcl_match_levels_finish(L);
    lcl_free(L);
    return st;
}
