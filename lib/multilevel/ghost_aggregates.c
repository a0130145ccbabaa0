// SPDX-License-Identifier: BSD-3-Clause
// Aggregates of the rows of a rank and of its ghosts.
#include "lib/multilevel/ghost_aggregates.h"

#include "host/alloc.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/matrix/bsr.h"
#include "lib/matrix/rows.h"

static const char what[] = "aggregates of ghosts";

// A row for other ranks, as the kernel packs it.
struct member {
    int32_t aggregate; // on its rank; -1: none
    uint32_t weight, sum;
};

// Behind what is the rank's own.
struct tails {
    int32_t *aggregate; // of ghosts, local numbers
    uint32_t *weight;   // of ghosts
    uint32_t *sum;      // of the ghosts' aggregates
};

// Where they come from.
struct source {
    const struct lcl_weighted_aggregates *own;
    const struct lcl_level_halo *halo;
    const struct lcl_ownership *owners;
};

static lcl_context *context_of(const struct source *w)
{
    return w->halo->halo.space.ctx;
}

static const struct lcl_log *log_of(const struct source *w)
{
    return &w->owners->comm->log;
}

// ------------------------------------------------------------------- exchange

static enum lcl_status pack(struct member *sent, const struct source *w)
{
    const struct lcl_level_halo *H = w->halo;
    const int64_t sends = H->halo.plan.sends;
    lcl_buffer *packed = NULL;
    lcl_kernel *kernel;
    enum lcl_status st =
        lcl_ghosts_kernel(&kernel, context_of(w), "ghosts_aggregates");
    if (st == LCL_OK &&
        (st = lcl_buffer_create(&packed, context_of(w), sends, sizeof *sent,
                                what)) == LCL_OK &&
        (st = LCL_LAUNCH(kernel, H->halo.space.groups, lcl_arg_long(sends),
                         lcl_arg_buffer(H->send),
                         lcl_arg_buffer(w->own->aggregates.aggregate),
                         lcl_arg_buffer(w->own->weight),
                         lcl_arg_buffer(w->own->sum),
                         lcl_arg_buffer(packed))) == LCL_OK)
        st = lcl_buffer_read(packed, sent, (size_t)sends * sizeof *sent);
    lcl_buffer_destroy(&packed);
    return st;
}

static enum lcl_status carry(struct member *came, const struct source *w)
{
    const struct lcl_halo_plan *P = &w->halo->halo.plan;
    struct member *sent = lcl_malloc((size_t)P->sends, sizeof *sent);
    enum lcl_status st =
        sent ? pack(sent, w) : lcl_fail_memory(log_of(w), what);
    if (st == LCL_OK)
        st = lcl_halo_plan_carry(P, w->owners->comm, sent, sizeof *sent, came);
    lcl_free(sent);
    return st;
}

// ------------------------------------------------------------------- numbering

// The rows of T of the ghosts: their aggregates as columns.
static void list_columns(struct lcl_rows *T, const struct member *came,
                         const struct source *w)
{
    const struct lcl_halo_plan *P = &w->halo->halo.plan;
    int64_t at = 0;
    T->row_ptr[0] = 0;
    for (int k = 0; k < P->froms; ++k) {
        const int64_t first = w->owners->first[P->from[k].rank];
        const int64_t start = P->from[k].start;
        for (int64_t g = start; g < start + P->from[k].count; ++g) {
            if (came[g].aggregate >= 0) {
                T->col[at] = first + came[g].aggregate;
                T->val[at++] = came[g].sum;
            }
            T->row_ptr[g + 1] = at;
        }
    }
}

static void list_tails(struct tails *t, const struct lcl_bsr *T,
                       const struct member *came, int64_t own)
{
    for (int64_t g = 0; g < T->rows; ++g) {
        const int64_t k = T->row_ptr[g];
        const bool any = T->row_ptr[g + 1] > k;
        t->aggregate[g] = any ? T->col_ind[k] : -1;
        t->weight[g] = came[g].weight;
        if (any)
            t->sum[T->col_ind[k] - own] = came[g].sum;
    }
}

static enum lcl_status number(struct tails *t, struct lcl_halo_plan *columns,
                              const struct member *came, const struct source *w)
{
    const struct lcl_log *log = log_of(w);
    const struct lcl_halo_plan own = lcl_own_columns(w->owners);
    const size_t ghosts = (size_t)w->halo->halo.plan.ghosts;
    struct lcl_rows T = {.rows = (int64_t)ghosts};
    struct lcl_bsr B = {.rows = 0};
    enum lcl_status st = lcl_rows_allocate(&T, T.rows, log);
    if (st == LCL_OK) {
        list_columns(&T, came, w);
        st = lcl_ghosts_of(columns, &own, &T, 1, log);
    }
    if (st == LCL_OK &&
        (st = lcl_rows_number(&B, NULL, &T, columns, log)) == LCL_OK) {
        t->aggregate = lcl_malloc(ghosts, sizeof *t->aggregate);
        t->weight = lcl_malloc(ghosts, sizeof *t->weight);
        t->sum = lcl_malloc((size_t)columns->ghosts, sizeof *t->sum);
        if (t->aggregate && t->weight && t->sum)
            list_tails(t, &B, came, own.rows);
        else
            st = lcl_fail_memory(log, what);
    }
    lcl_bsr_finish(&B);
    lcl_rows_finish(&T);
    return st;
}

// ------------------------------------------------------------------- all

// *all = the `own` numbers of `from`, then the tail.
static enum lcl_status extend(lcl_buffer **all, lcl_context *ctx,
                              const lcl_buffer *from, int64_t own,
                              const uint32_t *tail, int64_t count)
{
    const size_t size = sizeof *tail;
    enum lcl_status st;
    if ((st = lcl_buffer_create(all, ctx, own + count, size, what)) < 0 ||
        (st = lcl_buffer_copy(*all, from)) < 0)
        return st;
    return lcl_buffer_write_at(*all, (size_t)own * size, tail,
                               (size_t)count * size);
}

static enum lcl_status append(struct lcl_weighted_aggregates *all,
                              const struct source *w, const struct tails *t,
                              const struct lcl_halo_plan *columns)
{
    lcl_context *ctx = context_of(w);
    const int64_t n = w->halo->halo.plan.rows;
    const int64_t ghosts = w->halo->halo.plan.ghosts;
    const size_t size = sizeof *t->aggregate;
    enum lcl_status st =
        lcl_buffer_write_at(w->own->aggregates.aggregate, (size_t)n * size,
                            t->aggregate, (size_t)ghosts * size);
    all->aggregates = w->own->aggregates;
    all->aggregates.aggregates = columns->rows + columns->ghosts;
    if (st == LCL_OK && w->own->weight)
        st = extend(&all->weight, ctx, w->own->weight, n, t->weight, ghosts);
    return st < 0 ? st
                  : extend(&all->sum, ctx, w->own->sum, columns->rows, t->sum,
                           columns->ghosts);
}

enum lcl_status lcl_ghost_aggregates_init(
    struct lcl_weighted_aggregates *all, struct lcl_halo_plan *columns,
    const struct lcl_weighted_aggregates *own,
    const struct lcl_level_halo *halo, const struct lcl_ownership *O)
{
    const struct source w = {own, halo, O};
    struct member *came =
        lcl_malloc((size_t)halo->halo.plan.ghosts, sizeof *came);
    struct tails t = {NULL, NULL, NULL};
    enum lcl_status st =
        came ? carry(came, &w) : lcl_fail_memory(log_of(&w), what);
    *all = (struct lcl_weighted_aggregates){.weight = NULL};
    if (st == LCL_OK && (st = number(&t, columns, came, &w)) == LCL_OK)
        st = append(all, &w, &t, columns);
    lcl_free(t.sum);
    lcl_free(t.weight);
    lcl_free(t.aggregate);
    lcl_free(came);
    return st;
}

void lcl_ghost_aggregates_finish(struct lcl_weighted_aggregates *all)
{
    lcl_buffer_destroy(&all->weight);
    lcl_buffer_destroy(&all->sum);
}
