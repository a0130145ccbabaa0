// SPDX-License-Identifier: BSD-3-Clause
// Aggregates of the rows of a rank and of its ghosts.
#include "lib/multilevel/ghost_aggregates.h"

#include "host/alloc.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"

static const char what[] = "aggregates of ghosts";

struct work {
    const struct lcl_aggregates *G;
    const struct lcl_level_halo *halo;
    const struct lcl_ownership *owners;
};

static lcl_context *context_of(const struct work *w)
{
    return w->halo->halo.space.ctx;
}

static const struct lcl_log *log_of(const struct work *w)
{
    return &w->owners->comm->log;
}

// ------------------------------------------------------------------- exchange

// The aggregates, on this rank, of the rows that others have as ghosts.
static enum lcl_status pack(int32_t *sent, const struct work *w)
{
    const struct lcl_level_halo *H = w->halo;
    const int64_t sends = H->plan.sends;
    lcl_buffer *packed = NULL;
    lcl_kernel *kernel;
    enum lcl_status st =
        lcl_ghosts_kernel(&kernel, context_of(w), "ghosts_aggregates");
    if (st == LCL_OK &&
        (st = lcl_buffer_create(&packed, context_of(w), sends, sizeof *sent,
                                what)) == LCL_OK &&
        (st = LCL_LAUNCH(kernel, H->halo.space.groups, lcl_arg_long(sends),
                         lcl_arg_buffer(H->send),
                         lcl_arg_buffer(w->G->aggregate),
                         lcl_arg_buffer(packed))) == LCL_OK)
        st = lcl_buffer_read(packed, sent, (size_t)sends * sizeof *sent);
    lcl_buffer_destroy(&packed);
    return st;
}

static enum lcl_status carry(int32_t *came, const struct work *w)
{
    const struct lcl_halo_plan *P = &w->halo->plan;
    int32_t *sent = lcl_malloc((size_t)P->sends, sizeof *sent);
    enum lcl_status st =
        sent ? pack(sent, w) : lcl_fail_memory(log_of(w), what);
    if (st == LCL_OK)
        st = lcl_halo_plan_carry(P, w->owners->comm, sent, sizeof *sent, came);
    lcl_free(sent);
    return st;
}

// ------------------------------------------------------------------- numbering

// Replaces the numbers of aggregates on their ranks by those of all ranks.
static void number_globally(int64_t *all, const int32_t *came,
                            const struct work *w)
{
    const struct lcl_halo_plan *P = &w->halo->plan;
    for (int k = 0; k < P->froms; ++k)
        for (int64_t j = 0; j < P->from[k].count; ++j) {
            const int64_t g = P->from[k].start + j;
            all[g] =
                came[g] < 0 ? -1 : w->owners->first[P->from[k].rank] + came[g];
        }
}

// *columns = the rank's aggregates and those of the ghosts that have one.
static enum lcl_status list_columns(struct lcl_halo_plan *columns,
                                    const int64_t *all, const struct work *w)
{
    struct lcl_halo_plan base = lcl_own_columns(w->owners);
    const int64_t ghosts = w->halo->plan.ghosts;
    base.ghost = lcl_malloc((size_t)ghosts, sizeof *base.ghost);
    if (!base.ghost)
        return lcl_fail_memory(log_of(w), what);
    for (int64_t g = 0; g < ghosts; ++g)
        if (all[g] >= 0)
            base.ghost[base.ghosts++] = all[g];
    const enum lcl_status st = lcl_ghosts_of(columns, &base, 1, log_of(w));
    lcl_free(base.ghost);
    return st;
}

// Replaces the numbers on other ranks by those of *columns.
static enum lcl_status number(int32_t *came, struct lcl_halo_plan *columns,
                              const struct work *w)
{
    const int64_t ghosts = w->halo->plan.ghosts;
    int64_t *all = lcl_malloc((size_t)ghosts, sizeof *all);
    if (!all)
        return lcl_fail_memory(log_of(w), what);
    number_globally(all, came, w);
    enum lcl_status st = list_columns(columns, all, w);
    for (int64_t g = 0; g < ghosts && st == LCL_OK; ++g)
        came[g] =
            all[g] < 0 ? -1 : (int32_t)lcl_halo_plan_column(columns, all[g]);
    lcl_free(all);
    return st;
}

// ------------------------------------------------------------------- all

enum lcl_status lcl_ghost_aggregates(struct lcl_aggregates *G,
                                     struct lcl_halo_plan *columns,
                                     const struct lcl_level_halo *halo,
                                     const struct lcl_ownership *O)
{
    const struct work w = {G, halo, O};
    const struct lcl_halo_plan *P = &halo->plan;
    int32_t *came = lcl_malloc((size_t)P->ghosts, sizeof *came);
    enum lcl_status st =
        came ? carry(came, &w) : lcl_fail_memory(log_of(&w), what);
    if (st == LCL_OK && (st = number(came, columns, &w)) == LCL_OK)
        st = lcl_buffer_write_at(G->aggregate, (size_t)P->rows * sizeof *came,
                                 came, (size_t)P->ghosts * sizeof *came);
    G->aggregates = columns->rows + columns->ghosts;
    lcl_free(came);
    return st;
}
