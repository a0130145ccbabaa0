// SPDX-License-Identifier: BSD-3-Clause
// The ghosts of vectors in fp32 of a level of several ranks.
#include "lib/multilevel/level_halo.h"

#include "host/alloc.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/runtime.h"

static const char what[] = "ghosts of a level";

enum lcl_status lcl_ghosts_kernel(lcl_kernel **out, lcl_context *ctx,
                                  const char *name)
{
    return lcl_vector_kernel(out, ctx, "ghosts.cl", name);
}

// ------------------------------------------------------------------- pairs

// pair[] = the peers of `peer`, whose parts are pairs. Returns how many pairs.
static int64_t list_peers(struct lcl_halo_peer *pair,
                          const struct lcl_halo_peer *peer, int peers)
{
    int64_t pairs = 0;
    for (int k = 0; k < peers; ++k) {
        const int64_t count = (peer[k].count + 1) / 2;
        pair[k] = (struct lcl_halo_peer){peer[k].rank, pairs, count};
        pairs += count;
    }
    return pairs;
}

// The plan of pairs.
static enum lcl_status pair_up(struct lcl_halo_plan *pairs,
                               const struct lcl_halo_plan *P,
                               const struct lcl_log *log)
{
    *pairs = (struct lcl_halo_plan){.tos = P->tos, .froms = P->froms};
    pairs->to = lcl_malloc((size_t)P->tos, sizeof *pairs->to);
    pairs->from = lcl_malloc((size_t)P->froms, sizeof *pairs->from);
    if (!pairs->to || !pairs->from)
        return lcl_fail_memory(log, what);
    pairs->rows = pairs->sends = list_peers(pairs->to, P->to, P->tos);
    pairs->ghosts = list_peers(pairs->from, P->from, P->froms);
    return lcl_halo_plan_send_in_order(pairs, log);
}

// An odd part repeats its last row.
static void list_leaving(int32_t *row, const int32_t *sent,
                         const struct lcl_halo_plan *P)
{
    for (int k = 0; k < P->tos; ++k) {
        const int32_t *from = sent + P->to[k].start;
        const int64_t count = P->to[k].count;
        for (int64_t t = 0; t < count; ++t)
            *row++ = from[t];
        if (count % 2)
            *row++ = from[count - 1];
    }
}

static void list_coming(int32_t *place, const struct lcl_halo_plan *P)
{
    int32_t at = 0;
    for (int k = 0; k < P->froms; ++k) {
        for (int64_t t = 0; t < P->from[k].count; ++t)
            *place++ = at++;
        at += P->from[k].count % 2;
    }
}

// ------------------------------------------------------------------- creation

static enum lcl_status upload_lists(struct lcl_level_halo *H)
{
    const struct lcl_halo_plan *P = &H->plan;
    lcl_context *ctx = H->halo.space.ctx;
    const int64_t entries = 2 * H->halo.plan.sends;
    const size_t size = sizeof(int32_t);
    int32_t *leaving = lcl_malloc((size_t)entries, size);
    int32_t *coming = lcl_malloc((size_t)P->ghosts, size);
    enum lcl_status st = LCL_ENOMEM;
    if (leaving && coming) {
        list_leaving(leaving, H->sent, P);
        list_coming(coming, P);
        if ((st = lcl_buffer_create_from(&H->leaving, ctx, leaving, entries,
                                         size, what)) == LCL_OK &&
            (st = lcl_buffer_create_from(&H->coming, ctx, coming, P->ghosts,
                                         size, what)) == LCL_OK)
            st = lcl_buffer_create_from(&H->send, ctx, H->sent, P->sends, size,
                                        what);
    } else {
        st = lcl_fail_memory(lcl_context_log(ctx), what);
    }
    lcl_free(coming);
    lcl_free(leaving);
    return st;
}

static enum lcl_status open_pairs(struct lcl_level_halo *H,
                                  const struct lcl_space *V)
{
    static const struct lcl_halo_layout single = {1, 1, 1, 1};
    struct lcl_halo_plan pairs;
    enum lcl_status st = pair_up(&pairs, &H->plan, &V->comm->log);
    if (st == LCL_OK)
        st = lcl_halo_init(&H->halo, V, &pairs, &single, LCL_HALO_ROWS);
    lcl_halo_plan_finish(&pairs);
    return st;
}

enum lcl_status lcl_level_halo_init(struct lcl_level_halo *H,
                                    const struct lcl_space *V,
                                    struct lcl_halo_plan *plan)
{
    enum lcl_status st;
    *H = (struct lcl_level_halo){
        .plan = *plan, .rows = V->n, .sent = plan->send};
    *plan = (struct lcl_halo_plan){.rows = 0};
    if ((st = lcl_halo_plan_send_in_order(&H->plan, &V->comm->log)) < 0 ||
        (st = open_pairs(H, V)) < 0 || (st = upload_lists(H)) < 0 ||
        (st = lcl_ghosts_kernel(&H->gather, V->ctx, "ghosts_gather")) < 0)
        return st;
    return lcl_buffer_create(&H->packed, V->ctx, H->halo.plan.sends,
                             sizeof(double), what);
}

void lcl_level_halo_finish(struct lcl_level_halo *H)
{
    lcl_halo_finish(&H->halo);
    lcl_halo_plan_finish(&H->plan);
    lcl_buffer_destroy(&H->send);
    lcl_buffer_destroy(&H->leaving);
    lcl_buffer_destroy(&H->coming);
    lcl_buffer_destroy(&H->packed);
    lcl_free(H->sent);
}

// ------------------------------------------------------------------- exchange

enum lcl_status lcl_level_halo_fetch(struct lcl_level_halo *H, lcl_buffer *x)
{
    const int64_t leaving = 2 * H->halo.plan.sends, ghosts = H->plan.ghosts;
    const int groups = H->halo.space.groups;
    enum lcl_status st = LCL_OK;
    if (leaving > 0)
        st = LCL_LAUNCH(H->gather, groups, lcl_arg_long(leaving),
                        lcl_arg_long(0), lcl_arg_buffer(H->leaving),
                        lcl_arg_buffer(x), lcl_arg_buffer(H->packed));
    if (st < 0 || (st = lcl_halo_begin(&H->halo, H->packed)) < 0 ||
        (st = lcl_halo_receive(&H->halo)) < 0 || ghosts == 0)
        return st;
    return LCL_LAUNCH(H->gather, groups, lcl_arg_long(ghosts),
                      lcl_arg_long(H->rows), lcl_arg_buffer(H->coming),
                      lcl_arg_buffer(H->halo.ghost), lcl_arg_buffer(x));
}

static enum lcl_status read_sends(double *packed,
                                  const struct lcl_level_halo *H,
                                  const lcl_buffer *t)
{
    const int64_t sends = H->plan.sends;
    const size_t size = sizeof *packed;
    lcl_buffer *wide = NULL;
    enum lcl_status st =
        lcl_buffer_create(&wide, H->halo.space.ctx, sends, size, what);
    if (st == LCL_OK &&
        (st = lcl_gather(&H->halo.ops, sends, H->send, t, wide)) == LCL_OK)
        st = lcl_buffer_read(wide, packed, (size_t)sends * size);
    lcl_buffer_destroy(&wide);
    return st;
}

static enum lcl_status carry(const struct lcl_level_halo *H, double *packed,
                             double *ghost, lcl_buffer *t)
{
    const struct lcl_halo_plan *P = &H->plan;
    const size_t size = sizeof *packed;
    enum lcl_status st;
    if ((st = read_sends(packed, H, t)) < 0 ||
        (st = lcl_halo_plan_carry(P, H->halo.space.comm, packed, size, ghost)) <
            0)
        return st;
    return lcl_buffer_write_at(t, (size_t)H->rows * size, ghost,
                               (size_t)P->ghosts * size);
}

enum lcl_status lcl_level_halo_complete(const struct lcl_level_halo *H,
                                        lcl_buffer *t)
{
    const struct lcl_halo_plan *P = &H->plan;
    double *packed = lcl_malloc((size_t)P->sends, sizeof *packed);
    double *ghost = lcl_malloc((size_t)P->ghosts, sizeof *ghost);
    const enum lcl_status st =
        packed && ghost ? carry(H, packed, ghost, t)
                        : lcl_fail_memory(&H->halo.space.comm->log, what);
    lcl_free(ghost);
    lcl_free(packed);
    return st;
}

int lcl_level_halo_launches(const struct lcl_level_halo *H)
{
    return (H->plan.sends > 0) + lcl_halo_launches(&H->halo) +
           (H->plan.ghosts > 0);
}

uint64_t lcl_level_halo_bytes(const struct lcl_level_halo *H)
{
    return lcl_halo_bytes(&H->halo) + lcl_buffer_bytes(H->send) +
           lcl_buffer_bytes(H->leaving) + lcl_buffer_bytes(H->coming) +
           lcl_buffer_bytes(H->packed);
}
