// SPDX-License-Identifier: BSD-3-Clause
// Aggregates that do not depend on the number of ranks.
#include "lib/multilevel/coarse_parts.h"

#include "host/alloc.h"
#include "host/buffer.h"
#include "host/log.h"
#include "host/order.h"
#include "host/runtime.h"
#include "lib/multilevel/aggregate.h"
#include "lib/multilevel/rank_rows.h"

#include <stdlib.h>

static const char what[] = "aggregates of several ranks";

// ------------------------------------------------------------------- pattern

enum lcl_status lcl_coarse_parts_pattern(struct lcl_coarse_pattern *C,
                                         lcl_context *ctx,
                                         const struct lcl_subdomains *P)
{
    const int64_t parts = P->parts;
    int32_t *own = lcl_malloc((size_t)parts + 1, sizeof *own);
    *C = (struct lcl_coarse_pattern){
        .n = P->n, .parts = parts, .aggregates = parts};
    if (!own)
        return lcl_fail_memory(lcl_context_log(ctx), what);
    for (int64_t p = 0; p <= parts; ++p)
        own[p] = (int32_t)p;
    enum lcl_status st = lcl_buffer_create_from(&C->agg_ptr, ctx, own,
                                                parts + 1, sizeof *own, what);
    if (st == LCL_OK)
        st = lcl_buffer_create_narrow(&C->part_ptr, ctx, P->part_ptr, parts + 1,
                                      what);
    lcl_free(own);
    return st;
}

// ------------------------------------------------------------------- order

struct first {
    int32_t row, part;
};

static int compare_firsts(const void *a, const void *b)
{
    const struct first *x = a, *y = b;
    return (x->row > y->row) - (x->row < y->row);
}

enum lcl_status lcl_coarse_parts_order(int32_t *place,
                                       const struct lcl_subdomains *P,
                                       int block, const int32_t *perm,
                                       const struct lcl_log *log)
{
    struct first *all = lcl_malloc((size_t)P->parts, sizeof *all);
    if (!all)
        return lcl_fail_memory(log, what);
    for (int64_t p = 0; p < P->parts; ++p) {
        all[p] = (struct first){INT32_MAX, (int32_t)p};
        for (int64_t i = P->part_ptr[p]; i < P->part_ptr[p + 1]; ++i)
            if (perm[i * block] < all[p].row)
                all[p].row = perm[i * block];
    }
    qsort(all, (size_t)P->parts, sizeof *all, compare_firsts);
    for (int64_t p = 0; p < P->parts; ++p)
        place[all[p].part] = (int32_t)p;
    lcl_free(all);
    return LCL_OK;
}

// ------------------------------------------------------------------- graph

// Counts the entries that couple subdomains; lists them in key[], unless NULL,
// as row * total + column.
static int64_t list_couplings(int64_t *key, const struct lcl_coarse_parts *Q)
{
    const struct lcl_halo_plan *P = Q->plan;
    int64_t count = 0;
    for (int64_t r = 0; r < P->boundary; ++r) {
        const int64_t own = Q->row[P->row[r]] / Q->block;
        for (int64_t k = P->ptr[r]; k < P->ptr[r + 1]; ++k) {
            const int64_t j = P->col[k];
            const int64_t q = j < P->rows ? Q->first + Q->row[j] / Q->block
                                          : Q->ghost[j - P->rows] / Q->block;
            if (q == Q->first + own)
                continue;
            if (key)
                key[count] = own * Q->total + q;
            ++count;
        }
    }
    return count;
}

// The couplings of each subdomain of the rank, each pair once, with its number
// of entries.
static void fill_rows(struct lcl_bsr *G, const struct lcl_coarse_parts *Q,
                      const int64_t *key, int64_t count)
{
    int64_t at = -1, row = 0;
    for (int64_t k = 0; k < count; ++k) {
        if (k == 0 || key[k] != key[k - 1]) {
            for (++at; row <= key[k] / Q->total; ++row)
                G->row_ptr[row] = at;
            G->col_ind[at] = (int32_t)(key[k] % Q->total);
            G->val[at] = 0;
        }
        ++G->val[at];
    }
    G->nnz = at + 1;
    for (; row <= G->rows; ++row)
        G->row_ptr[row] = G->nnz;
}

static enum lcl_status make_rows(struct lcl_bsr *G,
                                 const struct lcl_coarse_parts *Q,
                                 const struct lcl_log *log)
{
    const int64_t count = list_couplings(NULL, Q);
    int64_t *key = lcl_malloc((size_t)count, sizeof *key);
    *G = (struct lcl_bsr){
        .rows = Q->own,
        .cols = Q->total,
        .block_size = 1,
        .row_ptr = lcl_malloc((size_t)Q->own + 1, sizeof *G->row_ptr),
        .col_ind = lcl_malloc((size_t)count, sizeof *G->col_ind),
        .val = lcl_malloc((size_t)count, sizeof *G->val),
    };
    const bool made = key && G->row_ptr && G->col_ind && G->val;
    if (made) {
        list_couplings(key, Q);
        lcl_sort_int64(key, count);
        fill_rows(G, Q, key, count);
    }
    lcl_free(key);
    return made ? LCL_OK : lcl_fail_memory(log, what);
}

static enum lcl_status gather_graph(struct lcl_bsr *all,
                                    const struct lcl_coarse_parts *Q,
                                    struct lcl_comm *comm)
{
    struct lcl_bsr own;
    struct lcl_ownership O = {0};
    enum lcl_status st;
    if ((st = make_rows(&own, Q, &comm->log)) == LCL_OK &&
        (st = lcl_ownership_init(&O, comm, Q->own)) == LCL_OK)
        st = lcl_gather_rows(all, &own, &O);
    lcl_ownership_finish(&O);
    lcl_bsr_finish(&own);
    return st;
}

static enum lcl_status merge_graph(int32_t *aggregate, int64_t *count,
                                   const struct lcl_coarse_parts *Q,
                                   int64_t most, struct lcl_comm *comm)
{
    struct lcl_bsr all = {.rows = 0};
    enum lcl_status st = gather_graph(&all, Q, comm);
    struct lcl_csr G = {.rows = all.rows, // takes the arrays
                        .cols = all.cols,
                        .nnz = all.nnz,
                        .row_ptr = all.row_ptr,
                        .col_ind = all.col_ind,
                        .val = all.val};
    if (st == LCL_OK)
        st = lcl_aggregate_graph(aggregate, count, &G, most, &comm->log);
    lcl_csr_finish(&G);
    return st;
}

enum lcl_status lcl_coarse_parts_merge(int32_t *aggregate, int64_t *count,
                                       const struct lcl_coarse_parts *Q,
                                       int64_t most, struct lcl_comm *comm)
{
    if (Q->total > most)
        return merge_graph(aggregate, count, Q, most, comm);
    for (int64_t p = 0; p < Q->total; ++p)
        aggregate[p] = (int32_t)p;
    *count = Q->total;
    return LCL_OK;
}
