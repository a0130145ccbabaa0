// SPDX-License-Identifier: BSD-3-Clause
// Rows of matrices on the devices that ranks send each other.
#include "lib/multilevel/row_exchange.h"

#include "host/alloc.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/outbox.h"
#include "host/runtime.h"
#include "lib/storage/row_union.h"
#include "lib/vector/vector.h"

static const char what[] = "rows for other ranks";

enum lcl_status lcl_ghost_rows_kernel(lcl_kernel **out, lcl_context *ctx,
                                      const char *name)
{
    return lcl_vector_kernel(out, ctx, "ghost_rows.cl", name);
}

enum lcl_status lcl_upload_ghosts(lcl_buffer **ghost, int32_t *lower,
                                  lcl_context *ctx,
                                  const struct lcl_halo_plan *columns)
{
    *lower = 0;
    while (*lower < columns->ghosts && columns->ghost[*lower] < columns->first)
        ++*lower;
    return lcl_buffer_create_from(ghost, ctx, columns->ghost, columns->ghosts,
                                  sizeof *columns->ghost, what);
}

// ------------------------------------------------------------------- columns

enum lcl_status lcl_whole_columns_update(const struct lcl_whole_columns *W,
                                         lcl_context *ctx,
                                         const struct lcl_device_matrix *A)
{
    const int shift = lcl_row_shift(ctx, lcl_row_values(A));
    lcl_kernel *kernel;
    const enum lcl_status st =
        lcl_ghost_rows_kernel(&kernel, ctx, "rows_leave");
    return st < 0 ? st
                  : LCL_LAUNCH(kernel, A->groups, lcl_arg_long(A->n),
                               lcl_arg_int(shift), lcl_arg_int(W->own),
                               lcl_arg_long(W->first), lcl_arg_int(W->lower),
                               lcl_arg_buffer(W->ghost),
                               lcl_arg_buffer(A->row_ptr),
                               lcl_arg_buffer(A->col), lcl_arg_buffer(A->val),
                               lcl_arg_buffer(W->col), lcl_arg_buffer(W->val));
}

enum lcl_status lcl_whole_columns_init(struct lcl_whole_columns *W,
                                       lcl_context *ctx,
                                       const struct lcl_device_matrix *A,
                                       const struct lcl_halo_plan *columns)
{
    const struct lcl_buffer_plan all[] = {
        {&W->col, A->blocks, sizeof(int64_t), what},
        {&W->val, A->blocks, sizeof(double), what},
    };
    enum lcl_status st;
    *W = (struct lcl_whole_columns){.first = columns->first,
                                    .own = (int32_t)columns->rows};
    if ((st = lcl_buffers_create(ctx, all, sizeof all / sizeof *all)) < 0 ||
        (st = lcl_upload_ghosts(&W->ghost, &W->lower, ctx, columns)) < 0)
        return st;
    return lcl_whole_columns_update(W, ctx, A);
}

void lcl_whole_columns_finish(struct lcl_whole_columns *W)
{
    lcl_buffer_destroy(&W->col);
    lcl_buffer_destroy(&W->val);
    lcl_buffer_destroy(&W->ghost);
}

uint64_t lcl_whole_columns_bytes(const struct lcl_whole_columns *W)
{
    return lcl_buffer_bytes(W->col) + lcl_buffer_bytes(W->val) +
           lcl_buffer_bytes(W->ghost);
}

// ------------------------------------------------------------------- lengths

static const struct lcl_log *log_of(const struct lcl_row_exchange *X)
{
    return &X->route.comm->log;
}

// Entries before each peer's, from row pointers.
static void find_starts(int64_t *start, const struct lcl_halo_peer *peer,
                        int peers, const uint32_t *ptr, int64_t rows)
{
    for (int k = 0; k < peers; ++k)
        start[k] = ptr[peer[k].start];
    start[peers] = ptr[rows];
}

static enum lcl_status sum_up(struct lcl_row_exchange *X, uint32_t *ptr)
{
    const struct lcl_halo_plan *P = X->route.plan;
    int64_t entries = 0;
    ptr[0] = 0;
    for (int64_t r = 1; r <= P->ghosts; ++r) {
        entries += ptr[r];
        ptr[r] = (uint32_t)entries;
    }
    if (lcl_needs_wide(entries))
        return lcl_refuse_wide(entries, "rows of other ranks", log_of(X));
    X->came.rows = P->ghosts;
    X->came.entries = entries;
    find_starts(X->taken, P->from, P->froms, ptr, P->ghosts);
    return LCL_OK;
}

// ptr[] = the row pointers of those that come, from those that are sent.
static enum lcl_status carry_lengths(struct lcl_row_exchange *X, uint32_t *ptr,
                                     uint32_t *sent)
{
    const struct lcl_halo_plan *P = X->route.plan;
    enum lcl_status st = lcl_buffer_read(X->listed.row_ptr, sent,
                                         ((size_t)P->sends + 1) * sizeof *sent);
    if (st < 0)
        return st;
    find_starts(X->sent, P->to, P->tos, sent, P->sends);
    for (int64_t k = 0; k < P->sends; ++k)
        sent[k] = sent[k + 1] - sent[k];
    st = lcl_halo_plan_carry(P, X->route.comm, sent, sizeof *sent, ptr + 1);
    return st < 0 ? st : sum_up(X, ptr);
}

static enum lcl_status count(struct lcl_row_exchange *X)
{
    const struct lcl_halo_plan *P = X->route.plan;
    uint32_t *ptr = lcl_malloc((size_t)P->ghosts + 1, sizeof *ptr);
    uint32_t *sent = lcl_malloc((size_t)P->sends + 1, sizeof *sent);
    X->sent = lcl_malloc((size_t)P->tos + 1, sizeof *X->sent);
    X->taken = lcl_malloc((size_t)P->froms + 1, sizeof *X->taken);
    enum lcl_status st = ptr && sent && X->sent && X->taken
                             ? carry_lengths(X, ptr, sent)
                             : lcl_fail_memory(log_of(X), what);
    if (st == LCL_OK)
        st = lcl_buffer_create_from(&X->came.row_ptr, X->route.ctx, ptr,
                                    P->ghosts + 1, sizeof *ptr, what);
    lcl_free(sent);
    lcl_free(ptr);
    return st;
}

// ------------------------------------------------------------------- entries

// The part of each peer: elements start[k] .. start[k + 1] - 1.
static void list_messages(struct lcl_message *message,
                          const struct lcl_halo_peer *peer, int peers,
                          const int64_t *start, const char *data, size_t size)
{
    for (int k = 0; k < peers; ++k)
        message[k] = (struct lcl_message){
            peer[k].rank, data ? data + (size_t)start[k] * size : NULL,
            (size_t)(start[k + 1] - start[k]) * size};
}

static enum lcl_status receive(const struct lcl_row_exchange *X,
                               const struct lcl_exchange_plan *messages,
                               lcl_buffer *to, size_t size)
{
    enum lcl_status st = LCL_OK;
    for (int k = 0; k < messages->ins && st == LCL_OK; ++k)
        st = lcl_buffer_write_at(to, (size_t)X->taken[k] * size,
                                 messages->in[k].data, messages->in[k].bytes);
    return st;
}

// Sends elements of `size` bytes from `data`, which others read until all
// agree.
static enum lcl_status exchange(const struct lcl_row_exchange *X,
                                struct lcl_exchange_plan *M, const void *data,
                                lcl_buffer *to, size_t size)
{
    const struct lcl_halo_plan *P = X->route.plan;
    struct lcl_comm *C = X->route.comm;
    enum lcl_status st;
    list_messages(M->out, P->to, P->tos, X->sent, data, size);
    list_messages(M->in, P->from, P->froms, X->taken, NULL, size);
    if ((st = lcl_comm_begin(C, M)) < 0 || (st = lcl_comm_end(C, M)) < 0 ||
        (st = receive(X, M, to, size)) < 0)
        return st;
    return lcl_comm_agree(C, st, what);
}

// Elements of `size` bytes, one of each entry.
static enum lcl_status carry(const struct lcl_row_exchange *X,
                             const lcl_buffer *from, lcl_buffer *to,
                             size_t size)
{
    const size_t bytes = (size_t)X->listed.blocks * size;
    struct lcl_comm *C = X->route.comm;
    struct lcl_exchange_plan M;
    void *sent;
    enum lcl_status st = lcl_halo_plan_messages(&M, X->route.plan, &C->log);
    if (st == LCL_OK &&
        (st = lcl_context_outbox(&sent, X->route.ctx, bytes)) == LCL_OK &&
        (st = lcl_buffer_read(from, sent, bytes)) == LCL_OK)
        st = exchange(X, &M, sent, to, size);
    if (st < 0)
        lcl_comm_fail(C);
    lcl_free(M.in);
    lcl_free(M.out);
    return st;
}

static enum lcl_status make_buffers(struct lcl_row_exchange *X)
{
    const struct lcl_buffer_plan all[] = {
        {&X->came.col, X->came.entries, sizeof(int64_t), what},
        {&X->came.val, X->came.entries, sizeof(double), what},
    };
    return lcl_buffers_create(X->route.ctx, all, sizeof all / sizeof *all);
}

static struct lcl_composition list_of(const struct lcl_row_exchange *X,
                                      const struct lcl_device_matrix *A)
{
    return (struct lcl_composition){.B = A, .place = X->route.place};
}

enum lcl_status lcl_row_exchange_init(struct lcl_row_exchange *X,
                                      const struct lcl_row_route *route,
                                      const struct lcl_device_matrix *A,
                                      const struct lcl_halo_plan *columns)
{
    lcl_context *ctx = route->ctx;
    enum lcl_status st;
    *X = (struct lcl_row_exchange){.route = *route};
    const struct lcl_composition listed = list_of(X, A);
    if ((st = lcl_compose(&X->listed, ctx, route->plan->sends, A->block_cols,
                          &listed)) < 0 ||
        (st = count(X)) < 0 || (st = make_buffers(X)) < 0 ||
        (st = lcl_whole_columns_init(&X->out, ctx, &X->listed, columns)) < 0 ||
        (st = carry(X, X->out.col, X->came.col, sizeof(int64_t))) < 0)
        return st;
    return carry(X, X->out.val, X->came.val, sizeof(double));
}

enum lcl_status lcl_row_exchange_update(const struct lcl_row_exchange *X,
                                        const struct lcl_device_matrix *A)
{
    const struct lcl_composition listed = list_of(X, A);
    lcl_context *ctx = X->route.ctx;
    enum lcl_status st;
    if ((st = lcl_compose_values(&X->listed, ctx, &listed)) < 0 ||
        (st = lcl_whole_columns_update(&X->out, ctx, &X->listed)) < 0)
        return st;
    return carry(X, X->out.val, X->came.val, sizeof(double));
}

void lcl_row_exchange_finish(struct lcl_row_exchange *X)
{
    lcl_buffer_destroy(&X->came.row_ptr);
    lcl_buffer_destroy(&X->came.col);
    lcl_buffer_destroy(&X->came.val);
    lcl_whole_columns_finish(&X->out);
    lcl_device_matrix_finish(&X->listed);
    lcl_free(X->sent);
    lcl_free(X->taken);
    *X = (struct lcl_row_exchange){.sent = NULL};
}

uint64_t lcl_row_exchange_bytes(const struct lcl_row_exchange *X)
{
    return lcl_device_matrix_bytes(&X->listed) +
           lcl_whole_columns_bytes(&X->out) +
           lcl_buffer_bytes(X->came.row_ptr) + lcl_buffer_bytes(X->came.col) +
           lcl_buffer_bytes(X->came.val);
}
