// SPDX-License-Identifier: BSD-3-Clause
// The exchange of a distributed operator.
#include "lib/operator/halo.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/queue.h"
#include "host/runtime.h"
#include "lib/operator/matrix.h"
#include "lib/operator/symmetry.h"

#include <math.h>

// ------------------------------------------------------------------- creation

static enum lcl_status get_kernels(struct lcl_halo *H)
{
    lcl_context *ctx = H->space.ctx;
    const struct lcl_halo_plan *P = &H->plan;
    const int64_t mean = P->boundary > 0 ? P->entries / P->boundary : 1;
    struct lcl_spec spec = {.source = "halo.cl",
                            .group = lcl_vector_group(lcl_context_caps(ctx))};
    const struct lcl_kernel_plan all[] = {{&H->plain, "halo_plain"},
                                          {&H->dot, "halo_dot"}};
    lcl_spec_set(&spec, "LANES_PER_ROW", 1 << lcl_row_shift(ctx, mean));
    const enum lcl_status st = lcl_vector_ops_init(&H->ops, ctx, 1);
    return st < 0 ? st : lcl_kernels_get(ctx, &spec, all, 2);
}

static enum lcl_status open_relay(struct lcl_halo *H)
{
    const struct lcl_halo_plan *P = &H->plan;
    return lcl_relay_open(&H->relayed, H->space.comm->relay,
                          &(struct lcl_relay_plan){P->sends, P->ghosts, P->to,
                                                   P->from, P->tos, P->froms});
}

static enum lcl_status open_window(struct lcl_halo *H)
{
    const int64_t sends = H->plan.sends;
    if (sends == 0)
        return LCL_OK;
    const enum lcl_status st =
        lcl_buffer_create(&H->packed, H->space.ctx, sends, sizeof(double),
                          "vector entries for other ranks");
    return st < 0 ? st : lcl_window_create(&H->window, H->packed);
}

static enum lcl_status create_buffers(struct lcl_halo *H)
{
    lcl_context *ctx = H->space.ctx;
    const struct lcl_halo_plan *P = &H->plan;
    const char *what = "rows at the boundary of a rank";
    const struct lcl_buffer_plan all[] = {
        {&H->val, P->entries, sizeof(double), what},
        {&H->ghost, P->ghosts, sizeof(double), "ghosts"},
    };
    enum lcl_status st;
    if ((st = lcl_buffers_create(ctx, all, sizeof all / sizeof *all)) < 0 ||
        (st = lcl_buffer_create_from(&H->send, ctx, P->send, P->sends,
                                     sizeof *P->send, what)) < 0 ||
        (st = lcl_buffer_create_from(&H->row, ctx, P->row, P->boundary,
                                     sizeof *P->row, what)) < 0 ||
        (st = lcl_buffer_create_from(&H->col, ctx, P->col, P->entries,
                                     sizeof *P->col, what)) < 0 ||
        (st = lcl_buffer_create_narrow(&H->row_ptr, ctx, P->ptr,
                                       P->boundary + 1, what)) < 0)
        return st;
    return H->space.comm->relay ? open_relay(H) : open_window(H);
}

static enum lcl_status list_messages(struct lcl_halo *H)
{
    const struct lcl_halo_plan *P = &H->plan;
    struct lcl_exchange_plan *X = &H->messages;
    X->outs = P->tos;
    X->ins = P->froms;
    X->out = lcl_calloc((size_t)P->tos, sizeof *X->out);
    X->in = lcl_calloc((size_t)P->froms, sizeof *X->in);
    H->host = lcl_malloc((size_t)P->entries, sizeof *H->host);
    if (!X->out || !X->in || !H->host)
        return lcl_fail_memory(&H->space.comm->log, "messages");
    for (int k = 0; k < P->froms; ++k)
        X->in[k] = (struct lcl_message){
            P->from[k].rank, NULL, (size_t)P->from[k].count * sizeof(double)};
    return LCL_OK;
}

enum lcl_status lcl_halo_init(struct lcl_halo *H, const struct lcl_space *V,
                              struct lcl_halo_plan *plan)
{
    enum lcl_status st;
    *H = (struct lcl_halo){.space = *V, .plan = *plan};
    *plan = (struct lcl_halo_plan){.rows = 0};
    if (lcl_needs_wide(H->plan.entries))
        return lcl_refuse_wide(H->plan.entries,
                               "rows at the boundary of a rank", &V->comm->log);
    return (st = list_messages(H)) < 0 || (st = create_buffers(H)) < 0
               ? st
               : get_kernels(H);
}

void lcl_halo_finish(struct lcl_halo *H)
{
    lcl_window_destroy(&H->window);
    lcl_relay_close(&H->relayed);
    lcl_buffer **const all[] = {&H->send, &H->row,    &H->row_ptr, &H->col,
                                &H->val,  &H->packed, &H->ghost};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        lcl_buffer_destroy(all[k]);
    lcl_free(H->messages.out);
    lcl_free(H->messages.in);
    lcl_free(H->host);
    lcl_halo_plan_finish(&H->plan);
}

// ------------------------------------------------------------------- numbering

// Writes `count` rows, columns or ghosts of the caller's numbering in that of
// the device: `place` is the new number of each row, NULL: the old one.
static enum lcl_status write_numbers(lcl_buffer *to, const int32_t *numbers,
                                     int64_t count, const int32_t *place,
                                     int64_t rows)
{
    int32_t *moved = lcl_malloc((size_t)count, sizeof *moved);
    if (!moved)
        return LCL_ENOMEM;
    for (int64_t k = 0; k < count; ++k)
        moved[k] = place && numbers[k] < rows ? place[numbers[k]] : numbers[k];
    const enum lcl_status st =
        lcl_buffer_write(to, moved, (size_t)count * sizeof *moved);
    lcl_free(moved);
    return st;
}

static enum lcl_status write_all(struct lcl_halo *H, const int32_t *place)
{
    const struct lcl_halo_plan *P = &H->plan;
    enum lcl_status st;
    if ((st = write_numbers(H->send, P->send, P->sends, place, P->rows)) ==
            LCL_OK &&
        (st = write_numbers(H->row, P->row, P->boundary, place, P->rows)) ==
            LCL_OK)
        st = write_numbers(H->col, P->col, P->entries, place, P->rows);
    return st == LCL_ENOMEM
               ? lcl_fail_memory(&H->space.comm->log, "rows at the boundary")
               : st;
}

enum lcl_status lcl_halo_renumber(struct lcl_halo *H,
                                  const struct lcl_numbering *N)
{
    int32_t *perm, *place = NULL;
    enum lcl_status st;
    if (!N->perm)
        return write_all(H, NULL);
    if ((st = lcl_numbering_rows(N, &perm)) < 0)
        return st;
    place = lcl_malloc((size_t)N->n, sizeof *place);
    for (int64_t i = 0; i < N->n && place; ++i)
        place[perm[i]] = (int32_t)i;
    st = place ? write_all(H, place)
               : lcl_fail_memory(&H->space.comm->log, "rows at the boundary");
    lcl_free(place);
    lcl_free(perm);
    return st;
}

// ------------------------------------------------------------------- values

enum lcl_status lcl_halo_update(struct lcl_halo *H, const double *val)
{
    const struct lcl_halo_plan *P = &H->plan;
    for (int64_t k = 0; k < P->entries; ++k)
        H->host[k] = val[P->place[k]];
    return lcl_buffer_write(H->val, H->host,
                            (size_t)P->entries * sizeof *H->host);
}

void lcl_halo_asymmetry(const struct lcl_halo *H, double sum[2])
{
    const struct lcl_halo_plan *P = &H->plan;
    for (int64_t r = 0; r < P->boundary; ++r)
        for (int64_t k = P->ptr[r]; k < P->ptr[r + 1]; ++k)
            if (P->col[k] >= P->rows)
                lcl_symmetry_add(sum, P->first + P->row[r],
                                 P->ghost[P->col[k] - P->rows], H->host[k]);
}

uint64_t lcl_halo_bytes(const struct lcl_halo *H)
{
    return lcl_buffer_bytes(H->send) + lcl_buffer_bytes(H->row) +
           lcl_buffer_bytes(H->row_ptr) + lcl_buffer_bytes(H->col) +
           lcl_buffer_bytes(H->val) + lcl_buffer_bytes(H->packed) +
           lcl_buffer_bytes(H->ghost) + lcl_relay_bytes(H->relayed);
}

// ------------------------------------------------------------------- exchange

enum lcl_status lcl_halo_begin(struct lcl_halo *H, const lcl_buffer *x)
{
    enum lcl_status st;
    if (H->relayed)
        return lcl_relay_send(H->relayed, H->send, x);
    if (!H->window)
        return LCL_OK;
    if ((st = lcl_gather(&H->ops, H->plan.sends, H->send, x, H->packed)) < 0 ||
        (st = lcl_fork(H->space.ctx)) < 0) // ghosts arrive beside the product
        return st;
    return lcl_window_post(H->window);
}

// So that the next exchange does not send what was packed for this one.
void lcl_halo_cancel(struct lcl_halo *H)
{
    const void *packed;
    if (H->window)
        (void)lcl_window_take(H->window, &packed);
}

// The messages for the peers are parts of the packed vector.
static enum lcl_status take_packed(struct lcl_halo *H)
{
    const struct lcl_halo_plan *P = &H->plan;
    const void *packed;
    if (!H->window)
        return LCL_OK;
    const enum lcl_status st = lcl_window_take(H->window, &packed);
    for (int k = 0; k < P->tos && st == LCL_OK; ++k)
        H->messages.out[k] = (struct lcl_message){
            P->to[k].rank, (const double *)packed + P->to[k].start,
            (size_t)P->to[k].count * sizeof(double)};
    return st;
}

static enum lcl_status write_ghosts(struct lcl_halo *H)
{
    const struct lcl_halo_plan *P = &H->plan;
    enum lcl_status st = LCL_OK;
    for (int k = 0; k < P->froms && st == LCL_OK; ++k)
        st = lcl_write_aux(H->space.ctx, H->ghost,
                           (size_t)P->from[k].start * sizeof(double),
                           H->messages.in[k].data, H->messages.in[k].bytes);
    return st;
}

static enum lcl_status receive(struct lcl_halo *H)
{
    struct lcl_comm *C = H->space.comm;
    enum lcl_status st;
    if (H->relayed)
        return lcl_relay_receive(H->relayed, H->ghost);
    if ((st = take_packed(H)) < 0 ||
        (st = lcl_comm_begin(C, &H->messages)) < 0 ||
        (st = lcl_comm_end(C, &H->messages)) < 0)
        return st;
    return write_ghosts(H);
}

enum lcl_status lcl_halo_end(struct lcl_halo *H, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    const struct lcl_halo_plan *P = &H->plan;
    const enum lcl_status st = receive(H);
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
