// SPDX-License-Identifier: BSD-3-Clause
// Rows of matrices on the devices that ranks send each other.
#include "lib/multilevel/row_exchange.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/outbox.h"
#include "host/runtime.h"
#include "lib/operator/compose.h"

static const char what[] = "rows for other ranks";

enum lcl_status lcl_ghost_rows_kernel(lcl_kernel **out, lcl_context *ctx,
                                      const char *name)
{
    const struct lcl_spec spec = {
        .source = "ghost_rows.cl",
        .kernel = name,
        .group = lcl_vector_group(lcl_context_caps(ctx)),
    };
    return lcl_kernel_get(out, ctx, &spec);
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

static const struct lcl_log *log_of(const struct lcl_row_exchange *X)
{
    return &X->route.comm->log;
}

// ------------------------------------------------------------------- messages

// The parts of an exchange: peer k gets or gives `count[k]` elements.
struct parts {
    const struct lcl_halo_peer *peer;
    int peers;
    const int64_t *ptr; // NULL: rows, else entries before each peer's
};

static int64_t start_of(const struct parts *p, int k)
{
    return p->ptr ? p->ptr[k] : p->peer[k].start;
}

static int64_t count_of(const struct parts *p, int k)
{
    return p->ptr ? p->ptr[k + 1] - p->ptr[k] : p->peer[k].count;
}

static void list_messages(struct lcl_message *message, const struct parts *p,
                          const char *data, size_t size)
{
    for (int k = 0; k < p->peers; ++k)
        message[k] = (struct lcl_message){
            p->peer[k].rank, data ? data + (size_t)start_of(p, k) * size : NULL,
            (size_t)count_of(p, k) * size};
}

// Takes what has come from peer k.
typedef enum lcl_status take_fn(void *arg, int k, const void *data);

// Sends elements of `size` bytes from `data`, which others read until all
// agree.
static enum lcl_status exchange(const struct lcl_row_exchange *X,
                                const struct parts *out, const struct parts *in,
                                const void *data, size_t size, take_fn *take,
                                void *arg)
{
    struct lcl_comm *C = X->route.comm;
    struct lcl_exchange_plan P = {
        .out = lcl_malloc((size_t)out->peers, sizeof *P.out),
        .in = lcl_malloc((size_t)in->peers, sizeof *P.in),
        .outs = out->peers,
        .ins = in->peers};
    enum lcl_status st =
        P.out && P.in ? LCL_OK : lcl_fail_memory(&C->log, what);
    if (st == LCL_OK) {
        list_messages(P.out, out, data, size);
        list_messages(P.in, in, NULL, size);
        if ((st = lcl_comm_begin(C, &P)) == LCL_OK)
            st = lcl_comm_end(C, &P);
    }
    for (int k = 0; k < in->peers && st == LCL_OK; ++k)
        st = take(arg, k, P.in[k].data);
    if (st < 0 || (st = lcl_comm_agree(C, st, what)) < 0)
        lcl_comm_fail(C);
    lcl_free(P.in);
    lcl_free(P.out);
    return st;
}

static struct parts rows_out(const struct lcl_row_exchange *X)
{
    const struct lcl_halo_plan *P = X->route.plan;
    return (struct parts){P->to, P->tos, NULL};
}

static struct parts rows_in(const struct lcl_row_exchange *X)
{
    const struct lcl_halo_plan *P = X->route.plan;
    return (struct parts){P->from, P->froms, NULL};
}

static struct parts entries_out(const struct lcl_row_exchange *X)
{
    const struct lcl_halo_plan *P = X->route.plan;
    return (struct parts){P->to, P->tos, X->sent};
}

static struct parts entries_in(const struct lcl_row_exchange *X)
{
    const struct lcl_halo_plan *P = X->route.plan;
    return (struct parts){P->from, P->froms, X->taken};
}

// ------------------------------------------------------------------- lengths

struct lengths {
    const struct lcl_row_exchange *X;
    uint32_t *ptr; // that of row r is ptr[r + 1] before the sum
};

static enum lcl_status take_lengths(void *arg, int k, const void *data)
{
    const struct lengths *L = arg;
    const struct lcl_halo_peer *peer = &L->X->route.plan->from[k];
    const uint32_t *length = data;
    for (int64_t t = 0; t < peer->count; ++t)
        L->ptr[peer->start + t + 1] = length[t];
    return LCL_OK;
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
    const struct parts out = rows_out(X), in = rows_in(X);
    struct lengths L = {X, ptr};
    enum lcl_status st = lcl_buffer_read(X->listed.row_ptr, sent,
                                         ((size_t)P->sends + 1) * sizeof *sent);
    if (st < 0)
        return st;
    find_starts(X->sent, P->to, P->tos, sent, P->sends);
    for (int64_t k = 0; k < P->sends; ++k)
        sent[k] = sent[k + 1] - sent[k];
    st = exchange(X, &out, &in, sent, sizeof *sent, take_lengths, &L);
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

struct arrivals {
    const struct lcl_row_exchange *X;
    lcl_buffer *to;
    size_t size;
};

static enum lcl_status take_entries(void *arg, int k, const void *data)
{
    const struct arrivals *a = arg;
    const struct parts in = entries_in(a->X);
    return lcl_buffer_write_at(a->to, (size_t)start_of(&in, k) * a->size, data,
                               (size_t)count_of(&in, k) * a->size);
}

// Elements of `size` bytes, one of each entry.
static enum lcl_status carry(const struct lcl_row_exchange *X,
                             const lcl_buffer *from, lcl_buffer *to,
                             size_t size)
{
    const struct parts out = entries_out(X), in = entries_in(X);
    const size_t bytes = (size_t)X->listed.blocks * size;
    struct arrivals a = {X, to, size};
    void *sent;
    enum lcl_status st;
    if ((st = lcl_context_outbox(&sent, X->route.ctx, bytes)) < 0 ||
        (st = lcl_buffer_read(from, sent, bytes)) < 0)
        return st;
    return exchange(X, &out, &in, sent, size, take_entries, &a);
}

// With columns of the whole matrix.
static enum lcl_status leave(const struct lcl_row_exchange *X)
{
    const struct lcl_device_matrix *D = &X->listed;
    lcl_context *ctx = X->route.ctx;
    lcl_kernel *kernel;
    const enum lcl_status st =
        lcl_ghost_rows_kernel(&kernel, ctx, "rows_leave");
    return st < 0
               ? st
               : LCL_LAUNCH(kernel, D->groups, lcl_arg_long(D->n),
                            lcl_arg_int(lcl_row_shift(ctx, lcl_row_values(D))),
                            lcl_arg_int((int32_t)X->own),
                            lcl_arg_long(X->first), lcl_arg_int(X->lower),
                            lcl_arg_buffer(X->ghost),
                            lcl_arg_buffer(D->row_ptr), lcl_arg_buffer(D->col),
                            lcl_arg_buffer(D->val), lcl_arg_buffer(X->col),
                            lcl_arg_buffer(X->val));
}

static enum lcl_status make_buffers(struct lcl_row_exchange *X)
{
    const struct lcl_buffer_plan all[] = {
        {&X->col, X->listed.blocks, sizeof(int64_t), what},
        {&X->val, X->listed.blocks, sizeof(double), what},
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
    *X = (struct lcl_row_exchange){
        .route = *route, .own = columns->rows, .first = columns->first};
    const struct lcl_composition listed = list_of(X, A);
    enum lcl_status st;
    if ((st = lcl_compose(&X->listed, route->ctx, route->plan->sends,
                          A->block_cols, &listed)) < 0 ||
        (st = count(X)) < 0 || (st = make_buffers(X)) < 0 ||
        (st = lcl_upload_ghosts(&X->ghost, &X->lower, route->ctx, columns)) <
            0 ||
        (st = leave(X)) < 0 ||
        (st = carry(X, X->col, X->came.col, sizeof(int64_t))) < 0)
        return st;
    return carry(X, X->val, X->came.val, sizeof(double));
}

enum lcl_status lcl_row_exchange_update(const struct lcl_row_exchange *X,
                                        const struct lcl_device_matrix *A)
{
    const struct lcl_composition listed = list_of(X, A);
    enum lcl_status st;
    if ((st = lcl_compose_values(&X->listed, X->route.ctx, &listed)) < 0 ||
        (st = leave(X)) < 0)
        return st;
    return carry(X, X->val, X->came.val, sizeof(double));
}

void lcl_row_exchange_finish(struct lcl_row_exchange *X)
{
    lcl_buffer **const all[] = {&X->came.row_ptr, &X->came.col, &X->came.val,
                                &X->col,          &X->val,      &X->ghost};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        lcl_buffer_destroy(all[k]);
    lcl_device_matrix_finish(&X->listed);
    lcl_free(X->sent);
    lcl_free(X->taken);
    *X = (struct lcl_row_exchange){.sent = NULL};
}

uint64_t lcl_row_exchange_bytes(const struct lcl_row_exchange *X)
{
    const lcl_buffer *const all[] = {X->came.row_ptr, X->came.col, X->came.val,
                                     X->col,          X->val,      X->ghost};
    uint64_t bytes = lcl_device_matrix_bytes(&X->listed);
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        bytes += lcl_buffer_bytes(all[k]);
    return bytes;
}
