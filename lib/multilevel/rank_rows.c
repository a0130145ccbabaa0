// SPDX-License-Identifier: BSD-3-Clause
// Matrices of several ranks on the host.
#include "lib/multilevel/rank_rows.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/order.h"
#include "host/runtime.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char what[] = "rows of a level";

// ------------------------------------------------------------------- ownership

enum lcl_status lcl_ownership_init(struct lcl_ownership *O,
                                   struct lcl_comm *comm, int64_t rows)
{
    *O = (struct lcl_ownership){.comm = comm};
    O->first = lcl_calloc((size_t)comm->size + 1, sizeof *O->first);
    if (!O->first)
        return lcl_fail_memory(&comm->log, what);
    const enum lcl_status st =
        lcl_comm_gather(comm, &rows, sizeof rows, O->first + 1);
    for (int r = 0; r < comm->size; ++r)
        O->first[r + 1] += O->first[r];
    return st;
}

void lcl_ownership_finish(struct lcl_ownership *O)
{
    lcl_free(O->first);
    O->first = NULL;
}

// ------------------------------------------------------------------- columns

// A set of numbers from `from` on, as bits.
struct set {
    int64_t from, words;
    uint64_t *bits;
};

// The empty set, with room for the numbers from..to.
static enum lcl_status set_init(struct set *S, int64_t from, int64_t to,
                                const struct lcl_log *log)
{
    *S = (struct set){.from = from,
                      .words = to < from ? 0 : (to - from) / 64 + 1};
    S->bits = lcl_calloc((size_t)S->words, sizeof *S->bits);
    return S->bits ? LCL_OK : lcl_fail_memory(log, what);
}

static void set_finish(struct set *S)
{
    lcl_free(S->bits);
}

static void set_add(struct set *S, int64_t number)
{
    const int64_t k = number - S->from;
    S->bits[k / 64] |= UINT64_C(1) << k % 64;
}

// Counts them, at most INT32_MAX + 64.
static int64_t set_count(const struct set *S)
{
    int64_t count = 0;
    for (int64_t w = 0; w < S->words && count <= INT32_MAX; ++w)
        count += __builtin_popcountll(S->bits[w]);
    return count;
}

static void set_list(const struct set *S, int64_t *numbers)
{
    for (int64_t w = 0; w < S->words; ++w)
        for (uint64_t bits = S->bits[w]; bits; bits &= bits - 1)
            *numbers++ = S->from + 64 * w + __builtin_ctzll(bits);
}

// ------------------------------------------------------------------- ghosts

// Makes S empty, with room for the nodes of the ghosts of `base` and for the
// numbers from..to.
static enum lcl_status set_for(struct set *S, const struct lcl_halo_plan *base,
                               int block, int64_t from, int64_t to,
                               const struct lcl_log *log)
{
    for (int64_t g = 0; g < base->ghosts; ++g) {
        const int64_t node = base->ghost[g] / block;
        from = lcl_smaller(from, node);
        to = lcl_larger(to, node);
    }
    return set_init(S, from - from % 64, to, log);
}

static void add_ghosts(struct set *S, const struct lcl_halo_plan *base,
                       int block)
{
    for (int64_t g = 0; g < base->ghosts; ++g)
        set_add(S, base->ghost[g] / block);
}

// Also the other rows of the nodes of P->ghost[], `nodes` of them.
static void expand(struct lcl_halo_plan *P, int64_t nodes, int block)
{
    P->ghosts = nodes * block;
    for (int64_t g = P->ghosts; g-- > 0;)
        P->ghost[g] = P->ghost[g / block] * block + g % block;
}

static enum lcl_status list_ghosts(struct lcl_halo_plan *P, const struct set *S,
                                   int block, const struct lcl_log *log)
{
    const int64_t nodes = set_count(S), most = INT32_MAX - P->rows;
    if (nodes > most / block)
        return lcl_fail(log, LCL_ERANGE,
                        "%" PRId64 " rows and more than %" PRId64
                        " ghosts of a level on one rank: expected at most %d",
                        P->rows, most / block * block, (int)INT32_MAX);
    P->ghost = lcl_malloc((size_t)(nodes * block), sizeof *P->ghost);
    if (!P->ghost)
        return lcl_fail_memory(log, what);
    set_list(S, P->ghost);
    expand(P, nodes, block);
    return LCL_OK;
}

enum lcl_status lcl_ghosts_of(struct lcl_halo_plan *P,
                              const struct lcl_halo_plan *base, int block,
                              const struct lcl_log *log)
{
    struct set S;
    *P = (struct lcl_halo_plan){
        .rows = base->rows, .total = base->total, .first = base->first};
    enum lcl_status st = set_for(&S, base, block, INT64_MAX, -1, log);
    if (st == LCL_OK) {
        add_ghosts(&S, base, block);
        st = list_ghosts(P, &S, block, log);
    }
    set_finish(&S);
    return st;
}

enum lcl_status lcl_ghosts_join(struct lcl_halo_plan *P,
                                const struct lcl_halo_plan *base, int64_t from,
                                const uint64_t *bits, int64_t words,
                                const struct lcl_log *log)
{
    struct set S;
    *P = (struct lcl_halo_plan){
        .rows = base->rows, .total = base->total, .first = base->first};
    enum lcl_status st = set_for(&S, base, 1, words > 0 ? from : INT64_MAX,
                                 from + 64 * words - 1, log);
    if (st == LCL_OK) {
        for (int64_t w = 0; w < words; ++w)
            S.bits[(from - S.from) / 64 + w] = bits[w];
        add_ghosts(&S, base, 1);
        st = list_ghosts(P, &S, 1, log);
    }
    set_finish(&S);
    return st;
}

void lcl_ghosts_number(int32_t *number, const struct lcl_halo_plan *to,
                       const struct lcl_halo_plan *from)
{
    int32_t at = 0;
    for (int64_t g = 0; g < from->ghosts; ++g) {
        while (at < to->ghosts && to->ghost[at] < from->ghost[g])
            ++at;
        number[g] = at;
    }
}

// ------------------------------------------------------------------- gathering

static void add_message(struct lcl_message *list, int *count, int peer,
                        const void *data, int64_t bytes)
{
    if (bytes > 0)
        list[(*count)++] = (struct lcl_message){peer, data, (size_t)bytes};
}

static enum lcl_status share(const void *own, const int64_t *sizes,
                             struct lcl_exchange_plan *X, struct lcl_comm *comm,
                             lcl_part_fn *fn, void *arg)
{
    enum lcl_status st;
    int at = 0;
    for (int r = 0; r < comm->size; ++r)
        if (r != comm->rank) {
            add_message(X->out, &X->outs, r, own, sizes[comm->rank]);
            add_message(X->in, &X->ins, r, NULL, sizes[r]);
        }
    if ((st = lcl_comm_begin(comm, X)) < 0 || (st = lcl_comm_end(comm, X)) < 0)
        return st;
    for (int r = 0; r < comm->size && st == LCL_OK; ++r)
        if (sizes[r] > 0)
            st = fn(arg, r, r == comm->rank ? own : X->in[at++].data);
    return lcl_comm_agree(comm, st, what); // all have read the parts
}

enum lcl_status lcl_share_parts(const void *own, const int64_t *sizes,
                                struct lcl_comm *comm, lcl_part_fn *fn,
                                void *arg)
{
    const size_t ranks = (size_t)comm->size;
    struct lcl_exchange_plan X = {.out = lcl_malloc(ranks, sizeof *X.out),
                                  .in = lcl_malloc(ranks, sizeof *X.in)};
    const enum lcl_status st = X.out && X.in
                                   ? share(own, sizes, &X, comm, fn, arg)
                                   : lcl_fail_memory(&comm->log, what);
    lcl_free(X.in);
    lcl_free(X.out);
    return st;
}

struct parts {
    char *to; // of the next one
    const int64_t *sizes;
};

static enum lcl_status append_part(void *arg, int rank, const void *part)
{
    struct parts *p = arg;
    memcpy(p->to, part, (size_t)p->sizes[rank]);
    p->to += p->sizes[rank];
    return LCL_OK;
}

static enum lcl_status gather(void **all, const void *own, const int64_t *sizes,
                              struct lcl_comm *comm)
{
    int64_t bytes = 0;
    for (int r = 0; r < comm->size; ++r)
        bytes += sizes[r];
    *all = lcl_malloc((size_t)bytes, 1);
    struct parts p = {*all, sizes};
    return *all ? lcl_share_parts(own, sizes, comm, append_part, &p)
                : lcl_fail_memory(&comm->log, what);
}

enum lcl_status lcl_gather_parts(void **all, const void *own, int64_t bytes,
                                 struct lcl_comm *comm)
{
    int64_t *sizes = lcl_malloc((size_t)comm->size, sizeof *sizes);
    *all = NULL;
    enum lcl_status st =
        sizes ? lcl_comm_gather(comm, &bytes, sizeof bytes, sizes)
              : lcl_fail_memory(&comm->log, what);
    if (st == LCL_OK)
        st = gather(all, own, sizes, comm);
    lcl_free(sizes);
    return st;
}

enum lcl_status lcl_gather_row_ptr(int64_t **row_ptr, const int64_t *own,
                                   const struct lcl_ownership *O)
{
    const int64_t rows = lcl_owned(O), total = lcl_owned_by_all(O);
    const size_t size = sizeof **row_ptr;
    int64_t *length = lcl_malloc((size_t)rows, size);
    void *lengths = NULL;
    enum lcl_status st = LCL_OK;
    *row_ptr = lcl_calloc((size_t)total + 1, size);
    if (!length || !*row_ptr)
        st = lcl_fail_memory(&O->comm->log, what);
    for (int64_t i = 0; i < rows && st == LCL_OK; ++i)
        length[i] = own[i + 1] - own[i];
    if (st == LCL_OK)
        st = lcl_gather_parts(&lengths, length, rows * (int64_t)size, O->comm);
    for (int64_t i = 0; i < total && st == LCL_OK; ++i)
        (*row_ptr)[i + 1] = (*row_ptr)[i] + ((const int64_t *)lengths)[i];
    lcl_free(lengths);
    lcl_free(length);
    return st;
}

enum lcl_status lcl_gather_rows(struct lcl_bsr *all, const struct lcl_bsr *own,
                                const struct lcl_ownership *O)
{
    const int64_t rows = lcl_owned_by_all(O), nnz = own->nnz;
    void *col = NULL, *val = NULL;
    enum lcl_status st;
    *all = (struct lcl_bsr){.rows = rows, .cols = rows, .block_size = 1};
    if ((st = lcl_gather_row_ptr(&all->row_ptr, own->row_ptr, O)) == LCL_OK &&
        (st = lcl_gather_parts(&col, own->col_ind,
                               nnz * (int64_t)sizeof *own->col_ind, O->comm)) ==
            LCL_OK)
        st = lcl_gather_parts(&val, own->val, nnz * (int64_t)sizeof *own->val,
                              O->comm);
    if (st == LCL_OK)
        all->nnz = all->row_ptr[rows];
    all->col_ind = col;
    all->val = val;
    return st;
}
