// SPDX-License-Identifier: BSD-3-Clause
// The exchange of a distributed operator.
#include "lib/storage/halo.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/queue.h"
#include "host/runtime.h"
#include "lib/storage/matrix.h"
#include "lib/storage/properties.h"

#include <math.h>

// ------------------------------------------------------------------- creation

// Lists, row by row, the places of the elements of stages first .. end - 1 of
// `count` rows; returns the end of the list.
static int32_t *list_rows(int32_t *place, const struct lcl_halo_layout *L,
                          const int32_t *row, int64_t count, int first, int end)
{
    for (int64_t k = 0; k < count; ++k)
        for (int c = 0; c < L->block; ++c) {
            const int64_t i = (int64_t)row[k] * L->block + c;
            for (int j = first; j < end; ++j)
                *place++ = (int32_t)(i * L->by_row + j * L->by_stage);
        }
    return place;
}

// Lists the send map of Ma et al. (2025), Algorithm 6: their map composed with
// the index array of Algorithm 5.
static void list_stages(int32_t *place, const struct lcl_halo *H)
{
    const struct lcl_halo_plan *P = &H->plan;
    for (int p = 0; p < P->tos; ++p)
        for (int j = 0; j < H->layout.stages; ++j)
            place = list_rows(place, &H->layout, P->send + P->to[p].start,
                              P->to[p].count, j, j + 1);
}

// Lists the places of the elements of an exchange.
static void list_elements(int32_t *place, const struct lcl_halo *H, int round)
{
    const struct lcl_halo_plan *P = &H->plan;
    const bool all = H->rounds == 1;
    if (H->order == LCL_HALO_STAGES)
        list_stages(place, H);
    else
        list_rows(place, &H->layout, P->send, P->sends, all ? 0 : round,
                  all ? H->layout.stages : round + 1);
}

// Lists the receive map of Algorithm 6.
static void list_arrived(int32_t *place, const struct lcl_halo *H)
{
    const struct lcl_halo_plan *P = &H->plan;
    const int64_t block = H->layout.block;
    for (int j = 0; j < H->layout.stages; ++j)
        for (int p = 0; p < P->froms; ++p) {
            const int64_t count = P->from[p].count * block;
            const int64_t start = P->from[p].start * H->per_row + j * count;
            for (int64_t k = 0; k < count; ++k)
                *place++ = (int32_t)(start + k);
        }
}

static enum lcl_status open_window(struct lcl_halo *H, struct lcl_halo_round *R)
{
    const int64_t elements = H->plan.sends * H->per_row;
    if (elements == 0)
        return LCL_OK;
    const enum lcl_status st =
        lcl_buffer_create(&R->packed, H->space.ctx, elements, sizeof(double),
                          "vector entries for other ranks");
    return st < 0 ? st : lcl_window_create(&R->window, R->packed);
}

static enum lcl_status open_relay(struct lcl_halo *H, struct lcl_halo_round *R)
{
    const struct lcl_halo_plan *P = &H->plan;
    const struct lcl_relay_plan plan = {P->sends, P->ghosts, H->per_row, P->to,
                                        P->from,  P->tos,    P->froms};
    return lcl_relay_open(&R->relayed, H->space.comm->relay, &plan);
}

static enum lcl_status create_round(struct lcl_halo *H, int round)
{
    struct lcl_halo_round *R = &H->round[round];
    const int64_t elements = H->plan.sends * H->per_row;
    int32_t *place = lcl_malloc((size_t)elements, sizeof *place);
    if (!place)
        return lcl_fail_memory(&H->space.comm->log, "messages");
    list_elements(place, H, round);
    const enum lcl_status st = lcl_buffer_create_from(
        &R->send, H->space.ctx, place, elements, sizeof *place, "messages");
    lcl_free(place);
    return st < 0                 ? st
           : H->space.comm->relay ? open_relay(H, R)
                                  : open_window(H, R);
}

static void set_layout(struct lcl_halo *H, const struct lcl_halo_layout *layout,
                       enum lcl_halo_order order)
{
    const int64_t stage = H->plan.ghosts * layout->block;
    const bool together = order == LCL_HALO_ROWS;
    H->order = order;
    H->layout = H->ghost_layout = *layout;
    H->rounds = order == LCL_HALO_STAGED ? layout->stages : 1;
    H->per_row = layout->block * layout->stages / H->rounds;
    H->ghost_layout.by_row = together ? layout->stages : 1;
    H->ghost_layout.by_stage = together ? 1 : stage;
}

static enum lcl_status create_ghosts(struct lcl_halo *H)
{
    lcl_context *ctx = H->space.ctx;
    const int64_t count = H->plan.ghosts * H->per_row * H->rounds;
    enum lcl_status st =
        lcl_buffer_create(&H->ghost, ctx, count, sizeof(double), "ghosts");
    if (st < 0 || H->order != LCL_HALO_STAGES)
        return st;
    int32_t *place = lcl_malloc((size_t)count, sizeof *place);
    if (!place)
        return lcl_fail_memory(&H->space.comm->log, "messages");
    list_arrived(place, H);
    st = lcl_buffer_create_from(&H->place, ctx, place, count, sizeof *place,
                                "messages");
    lcl_free(place);
    return st < 0 ? st
                  : lcl_buffer_create(&H->arrived, ctx, count, sizeof(double),
                                      "ghosts");
}

enum lcl_status lcl_halo_init(struct lcl_halo *H, const struct lcl_space *V,
                              struct lcl_halo_plan *plan,
                              const struct lcl_halo_layout *layout,
                              enum lcl_halo_order order)
{
    enum lcl_status st;
    *H = (struct lcl_halo){.space = *V, .plan = *plan};
    *plan = (struct lcl_halo_plan){.rows = 0};
    set_layout(H, layout, order);
    if ((st = lcl_halo_plan_messages(&H->messages, &H->plan, &V->comm->log)) <
            0 ||
        (st = lcl_vector_ops_init(&H->ops, V->ctx, 1)) < 0)
        return st;
    for (int k = 0; k < H->rounds && st == LCL_OK; ++k)
        st = create_round(H, k);
    return st < 0 ? st : create_ghosts(H);
}

static void round_finish(struct lcl_halo_round *R)
{
    lcl_window_destroy(&R->window);
    lcl_relay_close(&R->relayed);
    lcl_buffer_destroy(&R->send);
    lcl_buffer_destroy(&R->packed);
}

void lcl_halo_finish(struct lcl_halo *H)
{
    for (int k = 0; k < H->rounds; ++k)
        round_finish(&H->round[k]);
    lcl_buffer **const all[] = {&H->row,   &H->row_ptr, &H->col,  &H->val,
                                &H->ghost, &H->arrived, &H->place};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        lcl_buffer_destroy(all[k]);
    lcl_free(H->messages.out);
    lcl_free(H->messages.in);
    lcl_free(H->host);
    lcl_halo_plan_finish(&H->plan);
}

// ------------------------------------------------------------------- rows

static enum lcl_status get_kernels(struct lcl_halo *H)
{
    lcl_context *ctx = H->space.ctx;
    struct lcl_spec spec = {.source = "halo.cl",
                            .group = lcl_vector_group(lcl_context_caps(ctx))};
    const struct lcl_kernel_plan all[] = {{&H->plain, "halo_plain"},
                                          {&H->dot, "halo_dot"}};
    lcl_spec_set(&spec, "LANES_PER_ROW", 1 << lcl_row_shift(ctx, H->plan.mean));
    return lcl_kernels_get(ctx, &spec, all, 2);
}

static enum lcl_status create_rows(struct lcl_halo *H)
{
    lcl_context *ctx = H->space.ctx;
    const struct lcl_halo_plan *P = &H->plan;
    const char *what = "rows at the boundary of a rank";
    enum lcl_status st;
    if ((st = lcl_buffer_create(&H->val, ctx, P->entries, sizeof(double),
                                what)) < 0 ||
        (st = lcl_buffer_create_from(&H->row, ctx, P->row, P->boundary,
                                     sizeof *P->row, what)) < 0 ||
        (st = lcl_buffer_create_from(&H->col, ctx, P->col, P->entries,
                                     sizeof *P->col, what)) < 0)
        return st;
    return lcl_buffer_create_narrow(&H->row_ptr, ctx, P->ptr, P->boundary + 1,
                                    what);
}

enum lcl_status lcl_halo_add_rows(struct lcl_halo *H)
{
    const struct lcl_log *log = &H->space.comm->log;
    const int64_t entries = H->plan.entries;
    if (lcl_needs_wide(entries))
        return lcl_refuse_wide(entries, "rows at the boundary of a rank", log);
    H->host = lcl_malloc((size_t)entries, sizeof *H->host);
    if (!H->host)
        return lcl_fail_memory(log, "rows at the boundary of a rank");
    const enum lcl_status st = create_rows(H);
    return st < 0 ? st : get_kernels(H);
}

// ------------------------------------------------------------------- numbering

// Writes `count` rows, columns or ghosts, in the caller's numbering, in the
// numbering of the device: place[k] is the new number of block k; NULL: the
// numbers stay.
static enum lcl_status write_numbers(lcl_buffer *to, const int32_t *numbers,
                                     int64_t count,
                                     const struct lcl_numbering *N,
                                     const lcl_buffer *place)
{
    const enum lcl_status st =
        lcl_buffer_write(to, numbers, (size_t)count * sizeof *numbers);
    return st < 0 || !place || count == 0
               ? st
               : lcl_map_places(&N->ops, count, place, to);
}

static enum lcl_status write_all(struct lcl_halo *H,
                                 const struct lcl_numbering *N,
                                 const lcl_buffer *place)
{
    const struct lcl_halo_plan *P = &H->plan;
    enum lcl_status st;
    if ((st = write_numbers(H->round[0].send, P->send, P->sends, N, place)) <
            0 ||
        (st = write_numbers(H->row, P->row, P->boundary, N, place)) < 0)
        return st;
    return write_numbers(H->col, P->col, P->entries, N, place);
}

// Ghosts, behind the rows, keep their numbers.
static enum lcl_status keep_ghosts(lcl_buffer *place, int64_t first,
                                   int64_t count, const struct lcl_log *log)
{
    uint32_t *same = lcl_malloc((size_t)count, sizeof *same);
    if (!same)
        return lcl_fail_memory(log, "ghosts");
    for (int64_t k = 0; k < count; ++k)
        same[k] = (uint32_t)(first + k);
    const enum lcl_status st =
        lcl_buffer_write_at(place, (size_t)first * sizeof *same, same,
                            (size_t)count * sizeof *same);
    lcl_free(same);
    return st;
}

// *place = the number on the device of each of the caller's blocks and of each
// ghost.
static enum lcl_status make_places(lcl_buffer **place, const struct lcl_halo *H,
                                   const struct lcl_numbering *N)
{
    const int64_t blocks = N->n / N->block,
                  more = H->plan.ghosts / N->block + 1;
    enum lcl_status st;
    if ((st = lcl_buffer_create(place, N->ctx, blocks + more, sizeof(uint32_t),
                                "a permutation")) < 0 ||
        (st = keep_ghosts(*place, blocks, more, &H->space.comm->log)) < 0)
        return st;
    return lcl_map_invert(&N->ops, blocks, N->perm, *place);
}

enum lcl_status lcl_halo_renumber(struct lcl_halo *H,
                                  const struct lcl_numbering *N)
{
    lcl_buffer *place = NULL;
    enum lcl_status st = N->perm ? make_places(&place, H, N) : LCL_OK;
    if (st == LCL_OK)
        st = write_all(H, N, place);
    lcl_buffer_destroy(&place);
    return st;
}

// ------------------------------------------------------------------- values

bool lcl_halo_differs(const struct lcl_halo *H, const double *val)
{
    return lcl_halo_plan_differs(&H->plan, val, H->host);
}

enum lcl_status lcl_halo_update(struct lcl_halo *H, const double *val)
{
    const struct lcl_halo_plan *P = &H->plan;
    lcl_halo_plan_boundary_values(P, val, H->host);
    return lcl_buffer_write(H->val, H->host,
                            (size_t)P->entries * sizeof *H->host);
}

void lcl_halo_asymmetry(const struct lcl_halo *H, double sum[2])
{
    const struct lcl_halo_plan *P = &H->plan;
    for (int64_t r = 0; r < P->boundary; ++r)
        for (int64_t k = P->ptr[r]; k < P->ptr[r + 1]; ++k)
            if (P->col[k] >= P->rows)
                lcl_properties_add_asymmetry(sum, P->first + P->row[r],
                                             P->ghost[P->col[k] - P->rows],
                                             H->host[k]);
}

uint64_t lcl_halo_bytes(const struct lcl_halo *H)
{
    uint64_t bytes = lcl_buffer_bytes(H->ghost) + lcl_buffer_bytes(H->arrived) +
                     lcl_buffer_bytes(H->place);
    for (int k = 0; k < H->rounds; ++k)
        bytes += lcl_buffer_bytes(H->round[k].send) +
                 lcl_buffer_bytes(H->round[k].packed) +
                 lcl_relay_bytes(H->round[k].relayed);
    return bytes + lcl_buffer_bytes(H->row) + lcl_buffer_bytes(H->row_ptr) +
           lcl_buffer_bytes(H->col) + lcl_buffer_bytes(H->val);
}

enum lcl_communication lcl_halo_communication(const struct lcl_halo *H)
{
    return H->space.comm->relay ? LCL_COMMUNICATION_AHEAD
                                : LCL_COMMUNICATION_STEP;
}

int lcl_halo_launches(const struct lcl_halo *H)
{
    const int packs = H->round[0].relayed ? 2 : H->plan.sends > 0;
    return packs * H->rounds + (H->arrived && H->plan.ghosts > 0) +
           (H->plan.boundary > 0);
}

// ------------------------------------------------------------------- exchange

static lcl_buffer *arrivals(struct lcl_halo *H)
{
    return H->arrived ? H->arrived : H->ghost;
}

static enum lcl_status relay_ghosts(struct lcl_halo *H, int round,
                                    lcl_launch_fn *launch)
{
    return lcl_relay_receive(H->round[round].relayed, arrivals(H),
                             H->plan.ghosts * H->per_row * round, launch);
}

// A relay unpacks ghosts on a second queue while the product runs. The kernel
// is enqueued before the others, which could otherwise leave no room for its
// groups.
static enum lcl_status begin_overlapped(struct lcl_halo *H)
{
    const lcl_context *ctx = H->space.ctx;
    enum lcl_status st = LCL_OK;
    if (!H->beside || !H->space.comm->relay || H->plan.ghosts == 0 ||
        !lcl_context_caps(ctx)->queues_overlap ||
        (st = lcl_fork(H->space.ctx)) < 0)
        return st;
    H->forked = true;
    for (int k = 0; k < H->rounds && st == LCL_OK; ++k)
        st = relay_ghosts(H, k, lcl_launch_aux);
    return st;
}

static enum lcl_status end_overlapped(struct lcl_halo *H)
{
    const bool forked = H->forked;
    H->forked = false;
    return forked ? lcl_join(H->space.ctx) : LCL_OK;
}

// Keeps the next exchange from sending the data that was packed for this one.
void lcl_halo_cancel(struct lcl_halo *H)
{
    const void *packed;
    (void)end_overlapped(H);
    for (int k = 0; k < H->rounds; ++k)
        if (H->round[k].posted)
            (void)lcl_window_fetch(H->round[k].window, &packed);
    for (int k = 0; k < H->rounds; ++k)
        H->round[k].posted = false;
}

static enum lcl_status pack(struct lcl_halo *H, struct lcl_halo_round *R,
                            const lcl_buffer *x)
{
    const int64_t elements = H->plan.sends * H->per_row;
    return R->relayed  ? lcl_relay_send(R->relayed, R->send, x)
           : R->window ? lcl_gather(&H->ops, elements, R->send, x, R->packed)
                       : LCL_OK;
}

static enum lcl_status post(struct lcl_halo_round *R)
{
    const enum lcl_status st = R->window ? lcl_window_post(R->window) : LCL_OK;
    R->posted = R->window && st == LCL_OK;
    return st;
}

enum lcl_status lcl_halo_begin(struct lcl_halo *H, const lcl_buffer *x)
{
    const bool blocks = !H->space.comm->relay && H->messages.ins > 0;
    enum lcl_status st = begin_overlapped(H);
    for (int k = 0; k < H->rounds && st == LCL_OK; ++k)
        st = pack(H, &H->round[k], x);
    if (st == LCL_OK && blocks) // a second queue unpacks the ghosts during the
                                // product
        st = lcl_fork(H->space.ctx);
    for (int k = 0; k < H->rounds && st == LCL_OK; ++k)
        st = post(&H->round[k]);
    if (st < 0)
        lcl_halo_cancel(H);
    return st;
}

// Splits the packed elements into the messages for the peers.
static enum lcl_status fetch_packed(struct lcl_halo *H, int round)
{
    struct lcl_halo_round *R = &H->round[round];
    const void *packed = NULL;
    R->posted = false;
    const enum lcl_status st =
        R->window ? lcl_window_fetch(R->window, &packed) : LCL_OK;
    if (st == LCL_OK)
        lcl_halo_plan_address(&H->messages, &H->plan, packed,
                              (size_t)H->per_row * sizeof(double));
    return st;
}

static enum lcl_status write_ghosts(struct lcl_halo *H, int round)
{
    const struct lcl_halo_plan *P = &H->plan;
    const double start = lcl_now();
    enum lcl_status st = LCL_OK;
    for (int k = 0; k < P->froms && st == LCL_OK; ++k) {
        const int64_t at = (P->ghosts * round + P->from[k].start) * H->per_row;
        st = lcl_write_aux(H->space.ctx, arrivals(H),
                           (size_t)at * sizeof(double), H->messages.in[k].data,
                           H->messages.in[k].bytes);
    }
    H->space.comm->exchanged.halo_seconds += lcl_now() - start;
    return st;
}

static enum lcl_status exchange(struct lcl_halo *H, int round)
{
    struct lcl_comm *C = H->space.comm;
    enum lcl_status st;
    if (H->round[round].relayed)
        return relay_ghosts(H, round, lcl_launch);
    if ((st = fetch_packed(H, round)) < 0 ||
        (st = lcl_comm_begin(C, &H->messages)) < 0 ||
        (st = lcl_comm_end(C, &H->messages)) < 0)
        return st;
    return write_ghosts(H, round);
}

static enum lcl_status sort_ghosts(struct lcl_halo *H)
{
    const int64_t count = H->plan.ghosts * H->per_row;
    return H->arrived && count > 0
               ? lcl_gather(&H->ops, count, H->place, H->arrived, H->ghost)
               : LCL_OK;
}

static enum lcl_status fetch_rounds(struct lcl_halo *H)
{
    enum lcl_status st = LCL_OK;
    if (H->forked)
        return end_overlapped(H);
    for (int k = 0; k < H->rounds && st == LCL_OK; ++k)
        st = exchange(H, k);
    return st;
}

enum lcl_status lcl_halo_receive(struct lcl_halo *H)
{
    enum lcl_status st = fetch_rounds(H);
    if (st == LCL_OK)
        st = sort_ghosts(H);
    if (st < 0)
        lcl_halo_cancel(H);
    return st;
}

enum lcl_status lcl_halo_end(struct lcl_halo *H, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    const struct lcl_halo_plan *P = &H->plan;
    const enum lcl_status st = lcl_halo_receive(H);
    if (st < 0 || P->boundary == 0)
        return st;
    return LCL_LAUNCH(
        mode == LCL_APPLY ? H->plain : H->dot, H->space.groups,
        lcl_arg_long(P->boundary), lcl_arg_buffer(H->row),
        lcl_arg_buffer(H->row_ptr), lcl_arg_buffer(H->col),
        lcl_arg_buffer(H->val), lcl_arg_long(P->rows), lcl_arg_buffer(v->x),
        lcl_arg_buffer(H->ghost), lcl_arg_buffer(v->w), lcl_arg_buffer(v->y),
        lcl_arg_buffer(v->sums), lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}
