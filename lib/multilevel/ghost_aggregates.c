// SPDX-License-Identifier: BSD-3-Clause
// Aggregates of the rows of a rank and of its ghosts.
#include "lib/multilevel/ghost_aggregates.h"

#include "host/alloc.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"

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

// *columns = the rank's aggregates and those of the ghosts that have one.
static enum lcl_status list_columns(struct lcl_halo_plan *columns,
                                    const struct member *came,
                                    const struct source *w)
{
    const struct lcl_halo_plan *P = &w->halo->halo.plan;
    struct lcl_halo_plan base = lcl_own_columns(w->owners);
    base.ghost = lcl_malloc((size_t)P->ghosts, sizeof *base.ghost);
    if (!base.ghost)
        return lcl_fail_memory(log_of(w), what);
    for (int k = 0; k < P->froms; ++k)
        for (int64_t j = 0; j < P->from[k].count; ++j) {
            const int32_t a = came[P->from[k].start + j].aggregate;
            if (a >= 0)
                base.ghost[base.ghosts++] =
                    w->owners->first[P->from[k].rank] + a;
        }
    const enum lcl_status st = lcl_ghosts_of(columns, &base, 1, log_of(w));
    lcl_free(base.ghost);
    return st;
}

static void list_tails(struct tails *t, const struct lcl_halo_plan *columns,
                       const struct member *came, const struct source *w)
{
    const struct lcl_halo_plan *P = &w->halo->halo.plan;
    for (int k = 0; k < P->froms; ++k)
        for (int64_t j = 0; j < P->from[k].count; ++j) {
            const int64_t g = P->from[k].start + j;
            const int64_t first = w->owners->first[P->from[k].rank];
            const int64_t column =
                came[g].aggregate < 0
                    ? -1
                    : lcl_halo_plan_column(columns, first + came[g].aggregate);
            t->aggregate[g] = (int32_t)column;
            t->weight[g] = came[g].weight;
            if (column >= 0)
                t->sum[column - columns->rows] = came[g].sum;
        }
}

static enum lcl_status number(struct tails *t, struct lcl_halo_plan *columns,
                              const struct member *came, const struct source *w)
{
    const size_t ghosts = (size_t)w->halo->halo.plan.ghosts;
    const enum lcl_status st = list_columns(columns, came, w);
    if (st < 0)
        return st;
    t->aggregate = lcl_malloc(ghosts, sizeof *t->aggregate);
    t->weight = lcl_malloc(ghosts, sizeof *t->weight);
    t->sum = lcl_malloc((size_t)columns->ghosts, sizeof *t->sum);
    if (!t->aggregate || !t->weight || !t->sum)
        return lcl_fail_memory(log_of(w), what);
    list_tails(t, columns, came, w);
    return LCL_OK;
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
