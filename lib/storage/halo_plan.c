// SPDX-License-Identifier: BSD-3-Clause
// Splits the rows of a rank for a product.
#include "lib/storage/halo_plan.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/order.h"
#include "host/parallel.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

// ------------------------------------------------------------------- ranks

// The first row of each rank, followed by the total.
static enum lcl_status gather_firsts(int64_t *firsts, struct lcl_comm *C,
                                     const struct lcl_view *A)
{
    const int64_t own[3] = {A->first, A->rows, A->cols};
    int64_t(*all)[3] = lcl_malloc((size_t)C->size, sizeof *all);
    if (!all)
        return lcl_fail_memory(&C->log, "the rows of all ranks");
    enum lcl_status st = lcl_comm_gather(C, own, sizeof own, all);
    int64_t at = 0;
    for (int r = 0; r < C->size && st == LCL_OK; ++r) {
        if (all[r][0] != at || all[r][2] != A->cols)
            st = lcl_fail(&C->log, LCL_EFORMAT,
                          "rank %d has rows from %" PRId64 " on of %" PRId64
                          ", expected from %" PRId64 " on of %" PRId64,
                          r, all[r][0] + 1, all[r][2], at + 1, A->cols);
        firsts[r] = all[r][0];
        at += all[r][1];
    }
    if (st == LCL_OK && at != A->cols)
        st = lcl_fail(&C->log, LCL_EFORMAT,
                      "the ranks have %" PRId64 " rows, the matrix %" PRId64,
                      at, A->cols);
    firsts[C->size] = A->cols;
    lcl_free(all);
    return st;
}

// ------------------------------------------------------------------- entries

// Sizes of a chunk of rows, or of all chunks before it.
struct sizes {
    int64_t boundary, entries, ghosts; // `ghosts` with repetitions
};

// The work of lcl_parallel(): counts, then lists, each chunk of rows.
struct splitting {
    struct lcl_halo_plan *P;
    const struct lcl_view *A;
    bool all; // also list rows without columns of other ranks
    int64_t chunks;
    struct sizes size[LCL_CHUNKS_MAX + 1];
    atomic_bool malformed; // a boundary row is
};

static bool is_listed(const struct splitting *S, int64_t i)
{
    return S->all || lcl_view_far(S->A, i, i + 1) > 0;
}

static void survey(void *arg, int64_t chunk)
{
    struct splitting *S = arg;
    const struct lcl_view *A = S->A;
    const int64_t start = lcl_chunk_start(A->rows, S->chunks, chunk);
    const int64_t end = lcl_chunk_start(A->rows, S->chunks, chunk + 1);
    struct sizes s = {.ghosts = lcl_view_far(A, start, end)};
    for (int64_t i = start; (S->all || s.ghosts > 0) && i < end; ++i)
        if (is_listed(S, i)) {
            ++s.boundary;
            s.entries += A->row_ptr[i + 1] - A->row_ptr[i];
        }
    S->size[chunk] = s;
}

// Replaces the sizes of chunks by their exclusive prefix sums.
static void add_up(struct splitting *S)
{
    struct sizes sum = {0};
    S->size[S->chunks] = sum;
    for (int64_t c = 0; c <= S->chunks; ++c) {
        const struct sizes own = S->size[c];
        S->size[c] = sum;
        sum.boundary += own.boundary;
        sum.entries += own.entries;
        sum.ghosts += own.ghosts;
    }
}

static enum lcl_status allocate(struct lcl_halo_plan *P,
                                const struct sizes *all,
                                const struct lcl_log *log)
{
    const size_t rows = (size_t)all->boundary;
    P->boundary = all->boundary;
    P->entries = all->entries;
    P->row = lcl_malloc(rows, sizeof *P->row);
    P->ptr = lcl_malloc(rows + 1, sizeof *P->ptr);
    P->start = lcl_malloc(rows, sizeof *P->start);
    P->own_start = lcl_malloc(rows, sizeof *P->own_start);
    P->col = lcl_malloc((size_t)all->entries, sizeof *P->col);
    P->ghost = lcl_malloc((size_t)all->ghosts, sizeof *P->ghost);
    return P->row && P->ptr && P->start && P->own_start && P->col && P->ghost
               ? LCL_OK
               : lcl_fail_memory(log, "the rows of a rank");
}

// Lists all entries of a boundary row.
static void list_row(struct sizes *at, const struct splitting *S, int64_t i)
{
    struct lcl_halo_plan *P = S->P;
    const struct lcl_view *A = S->A;
    const int64_t start = lcl_view_entry(A, i), end = lcl_view_entry(A, i + 1);
    P->row[at->boundary] = (int32_t)i;
    P->start[at->boundary] = start;
    P->own_start[at->boundary] = start - at->ghosts;
    P->ptr[at->boundary++] = at->entries;
    at->entries += end - start;
    for (int64_t k = start; k < end; ++k)
        if (!lcl_halo_plan_owns(P, lcl_view_column(A, k)))
            P->ghost[at->ghosts++] = lcl_view_column(A, k);
}

static void list(void *arg, int64_t chunk)
{
    struct splitting *S = arg;
    const struct lcl_view *A = S->A;
    struct sizes at = S->size[chunk];
    const bool any = S->all || S->size[chunk + 1].ghosts > at.ghosts;
    const int64_t start = lcl_chunk_start(A->rows, S->chunks, chunk);
    const int64_t end = lcl_chunk_start(A->rows, S->chunks, chunk + 1);
    for (int64_t i = start; any && i < end; ++i) {
        if (!is_listed(S, i))
            continue;
        if (!lcl_view_row_is_sound(A, i)) {
            atomic_store(&S->malformed, true);
            return;
        }
        list_row(&at, S, i);
    }
}

// ------------------------------------------------------------------- ghosts

int64_t lcl_halo_plan_column(const struct lcl_halo_plan *P, int64_t column)
{
    int64_t low = 0, high = P->ghosts;
    if (lcl_halo_plan_owns(P, column))
        return column - P->first;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (P->ghost[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < P->ghosts && P->ghost[low] == column ? P->rows + low : -1;
}

// The work of lcl_parallel(): numbers the columns of a chunk of boundary rows.
struct numbering {
    struct lcl_halo_plan *P;
    const struct lcl_view *A;
    int64_t chunks;
};

static void number_chunk(void *arg, int64_t chunk)
{
    const struct numbering *N = arg;
    struct lcl_halo_plan *P = N->P;
    const int64_t end = lcl_chunk_start(P->boundary, N->chunks, chunk + 1);
    for (int64_t r = lcl_chunk_start(P->boundary, N->chunks, chunk); r < end;
         ++r)
        for (int64_t k = P->ptr[r]; k < P->ptr[r + 1]; ++k)
            P->col[k] = (int32_t)lcl_halo_plan_column(
                P, lcl_view_column(N->A, P->start[r] + k - P->ptr[r]));
}

// Sorts the ghosts and then numbers the columns of boundary rows.
static enum lcl_status number_ghosts(struct lcl_halo_plan *P,
                                     const struct lcl_view *A, int64_t count,
                                     const struct lcl_log *log)
{
    struct numbering N = {P, A, lcl_chunks(P->entries)};
    P->ghosts = lcl_sort_once_int64(P->ghost, count);
    if (P->rows + P->ghosts > INT32_MAX)
        return lcl_fail(log, LCL_ERANGE,
                        "%" PRId64 " rows and columns of other ranks on one "
                        "rank: expected at most %d",
                        P->rows + P->ghosts, (int)INT32_MAX);
    lcl_parallel(N.chunks, number_chunk, &N);
    return LCL_OK;
}

static enum lcl_status split(struct lcl_halo_plan *P, const struct lcl_view *A,
                             bool listed, const struct lcl_log *log)
{
    struct splitting S = {
        .P = P, .A = A, .all = listed, .chunks = lcl_chunks(A->rows)};
    const struct sizes *all = &S.size[S.chunks];
    enum lcl_status st;
    lcl_parallel(S.chunks, survey, &S);
    add_up(&S);
    P->nnz = lcl_view_nnz(A);
    P->own = P->nnz - all->ghosts;
    if ((st = allocate(P, all, log)) < 0)
        return st;
    lcl_parallel(S.chunks, list, &S);
    P->ptr[P->boundary] = all->entries;
    return atomic_load(&S.malformed) ? lcl_view_name_fault(A, log)
                                     : number_ghosts(P, A, all->ghosts, log);
}

// ------------------------------------------------------------------- values

void lcl_halo_plan_boundary_values(const struct lcl_halo_plan *P,
                                   const double *val, double *boundary)
{
    for (int64_t r = 0; r < P->boundary; ++r)
        memcpy(boundary + P->ptr[r], val + P->start[r],
               (size_t)(P->ptr[r + 1] - P->ptr[r]) * sizeof *val);
}

bool lcl_halo_plan_differs(const struct lcl_halo_plan *P, const double *val,
                           const double *boundary)
{
    for (int64_t r = 0; r < P->boundary; ++r)
        if (memcmp(boundary + P->ptr[r], val + P->start[r],
                   (size_t)(P->ptr[r + 1] - P->ptr[r]) * sizeof *val) != 0)
            return true;
    return false;
}

// ------------------------------------------------------------------- peers

// Finds the owner of each ghost.
static void list_owners(struct lcl_halo_plan *P, const int64_t *firsts)
{
    int64_t at = 0;
    for (int r = 0; at < P->ghosts; ++r) {
        const int64_t start = at;
        while (at < P->ghosts && P->ghost[at] < firsts[r + 1])
            ++at;
        if (at > start)
            P->from[P->froms++] = (struct lcl_halo_peer){r, start, at - start};
    }
}

// Announces to all ranks how many rows each of them needs of each other one.
static enum lcl_status list_needs(struct lcl_halo_plan *P, struct lcl_comm *C)
{
    const size_t size = (size_t)C->size;
    int64_t *own = lcl_calloc(size, sizeof *own);
    int64_t *all = lcl_malloc(size * size, sizeof *all);
    enum lcl_status st = LCL_OK;
    if (!own || !all)
        st = lcl_fail_memory(&C->log, "the columns of other ranks");
    for (int k = 0; k < P->froms && st == LCL_OK; ++k)
        own[P->from[k].rank] = P->from[k].count;
    if (st == LCL_OK)
        st = lcl_comm_gather(C, own, size * sizeof *own, all);
    for (int r = 0; r < C->size && st == LCL_OK; ++r) {
        const int64_t needed = all[(size_t)r * size + (size_t)C->rank];
        if (needed > 0)
            P->to[P->tos++] = (struct lcl_halo_peer){r, P->sends, needed};
        P->sends += needed;
    }
    lcl_free(all);
    lcl_free(own);
    return st;
}

static enum lcl_status read_requests(struct lcl_halo_plan *P,
                                     const struct lcl_message *in,
                                     const struct lcl_log *log)
{
    for (int k = 0; k < P->tos; ++k) {
        const int64_t *wanted = in[k].data;
        for (int64_t t = 0; t < P->to[k].count; ++t) {
            if (!lcl_halo_plan_owns(P, wanted[t]))
                return lcl_fail(log, LCL_EFORMAT,
                                "rank %d asks for row %" PRId64
                                ", which this rank does not have",
                                P->to[k].rank, wanted[t] + 1);
            P->send[P->to[k].start + t] = (int32_t)(wanted[t] - P->first);
        }
    }
    return LCL_OK;
}

enum lcl_status lcl_halo_plan_send_in_order(struct lcl_halo_plan *P,
                                            const struct lcl_log *log)
{
    P->send = lcl_malloc((size_t)P->sends, sizeof *P->send);
    if (!P->send)
        return lcl_fail_memory(log, "the rows for other ranks");
    for (int64_t k = 0; k < P->sends; ++k)
        P->send[k] = (int32_t)k;
    return LCL_OK;
}

// Index of the first element of a row.
static size_t element(const int64_t *ptr, int64_t row)
{
    return (size_t)(ptr ? ptr[row] : row);
}

// Makes one message for each peer: its part of `data`, elements of `size`
// bytes, one per row or, with `ptr`, those of the row; data NULL: messages to
// receive.
static void list_messages(struct lcl_message *message,
                          const struct lcl_halo_peer *peer, int count,
                          const int64_t *ptr, const void *data, size_t size)
{
    const char *from = data;
    for (int k = 0; k < count; ++k) {
        const size_t start = element(ptr, peer[k].start);
        const size_t end = element(ptr, peer[k].start + peer[k].count);
        message[k] = (struct lcl_message){peer[k].rank,
                                          from ? from + start * size : NULL,
                                          (end - start) * size};
    }
}

enum lcl_status lcl_halo_plan_messages(struct lcl_exchange_plan *X,
                                       const struct lcl_halo_plan *P,
                                       const struct lcl_log *log)
{
    *X = (struct lcl_exchange_plan){
        .out = lcl_malloc((size_t)P->tos, sizeof *X->out),
        .in = lcl_malloc((size_t)P->froms, sizeof *X->in),
        .outs = P->tos,
        .ins = P->froms};
    return X->out && X->in ? LCL_OK : lcl_fail_memory(log, "messages");
}

void lcl_halo_plan_address(const struct lcl_exchange_plan *X,
                           const struct lcl_halo_plan *P, const void *packed,
                           size_t bytes)
{
    list_messages(X->out, P->to, P->tos, NULL, packed, bytes);
    list_messages(X->in, P->from, P->froms, NULL, NULL, bytes);
}

// Sends the row numbers of ghosts to their owners and receives the numbers that
// other ranks request.
static enum lcl_status request_rows(struct lcl_halo_plan *P, struct lcl_comm *C)
{
    const size_t size = (size_t)C->size;
    struct lcl_message *out = lcl_malloc(size, sizeof *out);
    struct lcl_message *in = lcl_malloc(size, sizeof *in);
    struct lcl_exchange_plan X = {
        .out = out, .in = in, .outs = P->froms, .ins = P->tos};
    enum lcl_status st = LCL_OK;
    P->send = lcl_malloc((size_t)P->sends, sizeof *P->send);
    if (out && in && P->send) {
        list_messages(out, P->from, P->froms, NULL, P->ghost, sizeof *P->ghost);
        list_messages(in, P->to, P->tos, NULL, NULL, sizeof *P->ghost);
    } else {
        st = lcl_fail_memory(&C->log, "the rows for other ranks");
    }
    if (st == LCL_OK && (st = lcl_comm_begin(C, &X)) == LCL_OK &&
        (st = lcl_comm_end(C, &X)) == LCL_OK)
        st = read_requests(P, in, &C->log);
    lcl_free(in);
    lcl_free(out);
    return st;
}

static enum lcl_status find_peers(struct lcl_halo_plan *P, struct lcl_comm *C,
                                  const int64_t *firsts)
{
    const size_t size = (size_t)C->size;
    enum lcl_status st;
    P->to = lcl_malloc(size, sizeof *P->to);
    P->from = lcl_malloc(size, sizeof *P->from);
    if (!P->to || !P->from)
        return lcl_fail_memory(&C->log, "the peers");
    list_owners(P, firsts);
    return (st = list_needs(P, C)) < 0 ? st : request_rows(P, C);
}

enum lcl_status lcl_halo_plan_connect(struct lcl_halo_plan *P,
                                      struct lcl_comm *C, const int64_t *firsts)
{
    enum lcl_status st = find_peers(P, C, firsts);
    if (st == LCL_OK) // wait until all have read P's requests
        st = lcl_comm_agree(C, st, "the rows");
    else
        lcl_comm_fail(C);
    return st;
}

// ------------------------------------------------------------------- plan

static enum lcl_status find_mean(struct lcl_halo_plan *P, struct lcl_comm *C,
                                 bool all)
{
    double sum[] = {(double)P->boundary, (double)P->entries};
    const enum lcl_status st = all ? lcl_comm_sum(C, sum, 2) : LCL_OK;
    P->mean = sum[0] > 0 ? (int64_t)(sum[1] / sum[0]) : 1;
    return st;
}

static enum lcl_status make(struct lcl_halo_plan *P, struct lcl_comm *C,
                            const struct lcl_view *A, bool all)
{
    int64_t *firsts = lcl_malloc((size_t)C->size + 1, sizeof *firsts);
    enum lcl_status st = firsts ? lcl_view_check_rank(A, &C->log)
                                : lcl_fail_memory(&C->log, "the first rows");
    if ((st = lcl_comm_agree(C, st, "the rows")) == LCL_OK &&
        (st = gather_firsts(firsts, C, A)) == LCL_OK &&
        (st = lcl_comm_agree(C, split(P, A, all, &C->log), "the rows")) ==
            LCL_OK)
        st = lcl_halo_plan_connect(P, C, firsts);
    lcl_free(firsts);
    return st < 0 ? st : find_mean(P, C, all);
}

enum lcl_status lcl_halo_plan_init(struct lcl_halo_plan *P, struct lcl_comm *C,
                                   const struct lcl_view *A, bool all)
{
    *P = (struct lcl_halo_plan){
        .rows = A->rows, .total = A->cols, .first = A->first};
    const enum lcl_status st = make(P, C, A, all);
    if (st < 0)
        lcl_comm_fail(C);
    return st;
}

// ------------------------------------------------------------------- carry

// Data of rows and of ghosts, as for lcl_halo_plan_carry_rows().
struct cargo {
    const int64_t *row_ptr, *ghost_ptr;
    const char *own;
    size_t size;
    char *ghost;
    int64_t *ptr; // with row_ptr: first element of each send
    char *send;
};

static void pack(struct cargo *c, const struct lcl_halo_plan *P)
{
    for (int64_t k = 0; k < P->sends; ++k) {
        const int64_t i = P->send[k];
        const size_t from = element(c->row_ptr, i);
        memcpy(c->send + element(c->ptr, k) * c->size, c->own + from * c->size,
               (element(c->row_ptr, i + 1) - from) * c->size);
    }
}

static enum lcl_status cargo_init(struct cargo *c,
                                  const struct lcl_halo_plan *P,
                                  const struct lcl_log *log)
{
    if (c->row_ptr) {
        c->ptr = lcl_calloc((size_t)P->sends + 1, sizeof *c->ptr);
        if (!c->ptr)
            return lcl_fail_memory(log, "messages");
        for (int64_t k = 0; k < P->sends; ++k)
            c->ptr[k + 1] =
                c->ptr[k] + c->row_ptr[P->send[k] + 1] - c->row_ptr[P->send[k]];
    }
    c->send = lcl_malloc(element(c->ptr, P->sends), c->size);
    if (!c->send)
        return lcl_fail_memory(log, "messages");
    pack(c, P);
    return LCL_OK;
}

static enum lcl_status exchange(const struct cargo *c,
                                const struct lcl_halo_plan *P,
                                struct lcl_comm *C, struct lcl_exchange_plan *X)
{
    enum lcl_status st;
    list_messages(X->out, P->to, P->tos, c->ptr, c->send, c->size);
    list_messages(X->in, P->from, P->froms, c->ghost_ptr, NULL, c->size);
    if ((st = lcl_comm_begin(C, X)) < 0 || (st = lcl_comm_end(C, X)) < 0)
        return st;
    for (int k = 0; k < P->froms; ++k)
        memcpy(c->ghost + element(c->ghost_ptr, P->from[k].start) * c->size,
               X->in[k].data, X->in[k].bytes);
    return lcl_comm_agree(C, LCL_OK, "an exchange"); // all have read the sends
}

static enum lcl_status carry(struct cargo *c, const struct lcl_halo_plan *P,
                             struct lcl_comm *C)
{
    struct lcl_exchange_plan X;
    enum lcl_status st = lcl_halo_plan_messages(&X, P, &C->log);
    if (st == LCL_OK)
        st = cargo_init(c, P, &C->log);
    if (st == LCL_OK)
        st = exchange(c, P, C, &X);
    if (st < 0)
        lcl_comm_fail(C);
    lcl_free(c->send);
    lcl_free(c->ptr);
    lcl_free(X.in);
    lcl_free(X.out);
    return st;
}

enum lcl_status lcl_halo_plan_carry(const struct lcl_halo_plan *P,
                                    struct lcl_comm *C, const void *own,
                                    size_t size, void *ghost)
{
    struct cargo c = {.own = own, .size = size, .ghost = ghost};
    return carry(&c, P, C);
}

enum lcl_status lcl_halo_plan_carry_rows(const struct lcl_halo_plan *P,
                                         struct lcl_comm *C,
                                         const int64_t *row_ptr,
                                         const void *own, size_t size,
                                         const int64_t *ghost_ptr, void *ghost)
{
    struct cargo c = {.row_ptr = row_ptr,
                      .ghost_ptr = ghost_ptr,
                      .own = own,
                      .size = size,
                      .ghost = ghost};
    return carry(&c, P, C);
}

void lcl_halo_plan_finish(struct lcl_halo_plan *P)
{
    lcl_free(P->row);
    lcl_free(P->ptr);
    lcl_free(P->col);
    lcl_free(P->start);
    lcl_free(P->own_start);
    lcl_free(P->ghost);
    lcl_free(P->send);
    lcl_free(P->to);
    lcl_free(P->from);
    *P = (struct lcl_halo_plan){.rows = 0};
}
