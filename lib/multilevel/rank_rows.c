// SPDX-License-Identifier: BSD-3-Clause
// Matrices of several ranks on the host.
#include "lib/multilevel/rank_rows.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/matrix/rows.h"

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

// A set of numbers from `from` on, as bits; before[w] is the number of those
// before word w.
struct set {
    int64_t from, words;
    uint64_t *bits;
    int32_t *before;
};

// The empty set, with room for the numbers from..to.
static enum lcl_status set_init(struct set *S, int64_t from, int64_t to,
                                const struct lcl_log *log)
{
    *S = (struct set){.from = from,
                      .words = to < from ? 0 : (to - from) / 64 + 1};
    S->bits = lcl_calloc((size_t)S->words, sizeof *S->bits);
    S->before = lcl_malloc((size_t)S->words, sizeof *S->before);
    return S->bits && S->before ? LCL_OK : lcl_fail_memory(log, what);
}

static void set_finish(struct set *S)
{
    lcl_free(S->bits);
    lcl_free(S->before);
}

static void set_add(struct set *S, int64_t number)
{
    const int64_t k = number - S->from;
    S->bits[k / 64] |= UINT64_C(1) << k % 64;
}

// Counts them, at most INT32_MAX + 64; set_find() may follow.
static int64_t set_count(struct set *S)
{
    int64_t count = 0;
    for (int64_t w = 0; w < S->words && count <= INT32_MAX; ++w) {
        S->before[w] = (int32_t)count;
        count += __builtin_popcountll(S->bits[w]);
    }
    return count;
}

// How many numbers of the set are smaller; -1: not in it.
static int64_t set_find(const struct set *S, int64_t number)
{
    const int64_t k = number - S->from, w = k / 64;
    if (k < 0 || w >= S->words || !(S->bits[w] >> k % 64 & 1))
        return -1;
    const uint64_t lower = S->bits[w] & ~(~UINT64_C(0) << k % 64);
    return S->before[w] + __builtin_popcountll(lower);
}

static void set_list(const struct set *S, int64_t *numbers)
{
    for (int64_t w = 0; w < S->words; ++w)
        for (uint64_t bits = S->bits[w]; bits; bits &= bits - 1)
            *numbers++ = S->from + 64 * w + __builtin_ctzll(bits);
}

// ------------------------------------------------------------------- ghosts

// The nodes of the ghosts, in any order and repeatedly: calls fn(arg, node).
typedef void node_fn(void *arg, int64_t node);

static void for_nodes(const struct lcl_halo_plan *base,
                      const struct lcl_rows *A, int block, node_fn *fn,
                      void *arg)
{
    for (int64_t g = 0; g < base->ghosts; ++g)
        fn(arg, base->ghost[g] / block);
    for (int64_t k = 0; A && k < A->row_ptr[A->rows]; ++k)
        if (!lcl_halo_plan_owns(base, A->col[k]))
            fn(arg, A->col[k] / block);
}

static void widen(void *arg, int64_t node)
{
    int64_t *range = arg;
    range[0] = node < range[0] ? node : range[0];
    range[1] = node > range[1] ? node : range[1];
}

static void add(void *arg, int64_t node)
{
    set_add(arg, node);
}

// Also the other rows of the nodes of P->ghost[], `nodes` of them.
static void expand(struct lcl_halo_plan *P, int64_t nodes, int block)
{
    P->ghosts = nodes * block;
    for (int64_t g = P->ghosts; g-- > 0;)
        P->ghost[g] = P->ghost[g / block] * block + g % block;
}

static enum lcl_status list_ghosts(struct lcl_halo_plan *P, struct set *S,
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
                              const struct lcl_halo_plan *base,
                              const struct lcl_rows *A, int block,
                              const struct lcl_log *log)
{
    int64_t range[2] = {INT64_MAX, -1};
    struct set S;
    *P = (struct lcl_halo_plan){
        .rows = base->rows, .total = base->total, .first = base->first};
    for_nodes(base, A, block, widen, range);
    enum lcl_status st = set_init(&S, range[0], range[1], log);
    if (st == LCL_OK) {
        for_nodes(base, A, block, add, &S);
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
    int64_t range[2] = {words > 0 ? from : INT64_MAX, from + 64 * words - 1};
    struct set S;
    *P = (struct lcl_halo_plan){
        .rows = base->rows, .total = base->total, .first = base->first};
    for_nodes(base, NULL, 1, widen, range);
    range[0] -= range[0] % 64;
    enum lcl_status st = set_init(&S, range[0], range[1], log);
    if (st == LCL_OK) {
        for (int64_t w = 0; w < words; ++w)
            S.bits[(from - S.from) / 64 + w] = bits[w];
        for_nodes(base, NULL, 1, add, &S);
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

// ------------------------------------------------------------------- numbering

// Rows of a rank that get local columns.
struct numbering {
    const struct lcl_rows *A;
    const struct lcl_halo_plan *columns;
    struct set ghosts;
    struct lcl_bsr *B;
    int64_t *map;
};

// Entry k goes to its place among those of the row from `start` on.
static void insert(struct numbering *N, int64_t start, int64_t column,
                   int64_t k)
{
    struct lcl_bsr *B = N->B;
    int64_t to = B->nnz++;
    for (; to > start && B->col_ind[to - 1] > column; --to) {
        B->col_ind[to] = B->col_ind[to - 1];
        N->map[to] = N->map[to - 1];
    }
    B->col_ind[to] = (int32_t)column;
    N->map[to] = k;
}

// Entries in own columns and those in others come in ascending order, or nearly
// so.
static void number_row(struct numbering *N, int64_t i)
{
    const struct lcl_rows *A = N->A;
    const struct lcl_halo_plan *columns = N->columns;
    const int64_t from = A->row_ptr[i], to = A->row_ptr[i + 1];
    const int64_t start = N->B->nnz;
    for (int64_t k = from; k < to; ++k)
        if (lcl_halo_plan_owns(columns, A->col[k]))
            insert(N, start, A->col[k] - columns->first, k);
    const int64_t behind = N->B->nnz;
    for (int64_t k = from; k < to; ++k)
        if (!lcl_halo_plan_owns(columns, A->col[k])) {
            const int64_t ghost = set_find(&N->ghosts, A->col[k]);
            if (ghost >= 0)
                insert(N, behind, columns->rows + ghost, k);
        }
}

static void number_all(struct numbering *N)
{
    struct lcl_bsr *B = N->B;
    B->row_ptr[0] = 0;
    for (int64_t i = 0; i < N->A->rows; ++i) {
        number_row(N, i);
        B->row_ptr[i + 1] = B->nnz;
    }
    for (int64_t k = 0; k < B->nnz; ++k)
        B->val[k] = N->A->val[N->map[k]];
}

static enum lcl_status numbering_init(struct numbering *N,
                                      const struct lcl_log *log)
{
    const struct lcl_halo_plan *columns = N->columns;
    const size_t nnz = (size_t)N->A->row_ptr[N->A->rows];
    const int64_t ghosts = columns->ghosts;
    struct lcl_bsr *B = N->B;
    *B = (struct lcl_bsr){
        .rows = N->A->rows, .cols = columns->rows + ghosts, .block_size = 1};
    N->map = lcl_malloc(nnz, sizeof *N->map);
    B->row_ptr = lcl_malloc((size_t)B->rows + 1, sizeof *B->row_ptr);
    B->col_ind = lcl_malloc(nnz, sizeof *B->col_ind);
    B->val = lcl_malloc(nnz, sizeof *B->val);
    const enum lcl_status st =
        set_init(&N->ghosts, ghosts > 0 ? columns->ghost[0] : 0,
                 ghosts > 0 ? columns->ghost[ghosts - 1] : -1, log);
    for (int64_t g = 0; g < ghosts && st == LCL_OK; ++g)
        set_add(&N->ghosts, columns->ghost[g]);
    if (st == LCL_OK)
        set_count(&N->ghosts);
    return st == LCL_OK && !(N->map && B->row_ptr && B->col_ind && B->val)
               ? lcl_fail_memory(log, what)
               : st;
}

enum lcl_status lcl_rows_number(struct lcl_bsr *B, int64_t **map,
                                const struct lcl_rows *A,
                                const struct lcl_halo_plan *columns,
                                const struct lcl_log *log)
{
    struct numbering N = {.A = A, .columns = columns, .B = B};
    const enum lcl_status st = numbering_init(&N, log);
    if (st == LCL_OK)
        number_all(&N);
    set_finish(&N.ghosts);
    if (map)
        *map = N.map;
    else
        lcl_free(N.map);
    return st;
}

// ------------------------------------------------------------------- gathering

static void add_message(struct lcl_message *list, int *count, int peer,
                        const void *data, int64_t bytes)
{
    if (bytes > 0)
        list[(*count)++] = (struct lcl_message){peer, data, (size_t)bytes};
}

// sizes[r] = bytes of rank r; `all` has room for their sum.
static enum lcl_status exchange_parts(char *all, const char *own,
                                      const int64_t *sizes,
                                      struct lcl_exchange_plan *X,
                                      struct lcl_comm *comm)
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
    for (int r = 0; r < comm->size; ++r) {
        const bool here = r == comm->rank;
        if (sizes[r] > 0)
            memcpy(all, here ? own : X->in[at++].data, (size_t)sizes[r]);
        all += sizes[r];
    }
    return lcl_comm_agree(comm, LCL_OK, what); // all have read the parts
}

static enum lcl_status gather(void **all, const void *own, const int64_t *sizes,
                              struct lcl_comm *comm)
{
    const size_t ranks = (size_t)comm->size;
    struct lcl_exchange_plan X = {.out = lcl_malloc(ranks, sizeof *X.out),
                                  .in = lcl_malloc(ranks, sizeof *X.in)};
    int64_t bytes = 0;
    for (size_t r = 0; r < ranks; ++r)
        bytes += sizes[r];
    *all = lcl_malloc((size_t)bytes, 1);
    const enum lcl_status st = *all && X.out && X.in
                                   ? exchange_parts(*all, own, sizes, &X, comm)
                                   : lcl_fail_memory(&comm->log, what);
    lcl_free(X.in);
    lcl_free(X.out);
    return st;
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

// The row pointers from lengths.
static enum lcl_status gather_pointers(struct lcl_bsr *all,
                                       const struct lcl_bsr *own,
                                       struct lcl_comm *comm)
{
    const size_t rows = (size_t)own->rows, size = sizeof(int64_t);
    int64_t *length = lcl_malloc(rows, size);
    void *lengths = NULL;
    enum lcl_status st = LCL_OK;
    all->row_ptr = lcl_calloc((size_t)all->rows + 1, size);
    if (!length || !all->row_ptr)
        st = lcl_fail_memory(&comm->log, what);
    for (size_t i = 0; i < rows && st == LCL_OK; ++i)
        length[i] = own->row_ptr[i + 1] - own->row_ptr[i];
    if (st == LCL_OK)
        st = lcl_gather_parts(&lengths, length, (int64_t)(rows * size), comm);
    for (int64_t i = 0; i < all->rows && st == LCL_OK; ++i)
        all->row_ptr[i + 1] = all->row_ptr[i] + ((const int64_t *)lengths)[i];
    if (st == LCL_OK)
        all->nnz = all->row_ptr[all->rows];
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
    if ((st = gather_pointers(all, own, O->comm)) == LCL_OK &&
        (st = lcl_gather_parts(&col, own->col_ind,
                               nnz * (int64_t)sizeof *own->col_ind, O->comm)) ==
            LCL_OK)
        st = lcl_gather_parts(&val, own->val, nnz * (int64_t)sizeof *own->val,
                              O->comm);
    all->col_ind = col;
    all->val = val;
    return st;
}
