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

// ------------------------------------------------------------------- ghosts

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

// The nodes of the ghosts, each once, sorted.
static int64_t list_nodes(int64_t *node, const struct lcl_halo_plan *P,
                          const struct lcl_rows *A, int block)
{
    int64_t count = 0, kept = 0;
    for (int64_t k = 0; k < A->row_ptr[A->rows]; ++k)
        if (!lcl_halo_plan_owns(P, A->col[k]))
            node[count++] = A->col[k] / block;
    if (count > 0)
        qsort(node, (size_t)count, sizeof *node, ascending);
    for (int64_t k = 0; k < count; ++k)
        if (k == 0 || node[k] != node[kept - 1])
            node[kept++] = node[k];
    return kept;
}

static int64_t count_foreign(const struct lcl_halo_plan *P,
                             const struct lcl_rows *A)
{
    int64_t count = 0;
    for (int64_t k = 0; k < A->row_ptr[A->rows]; ++k)
        count += !lcl_halo_plan_owns(P, A->col[k]);
    return count;
}

enum lcl_status lcl_ghosts_of(struct lcl_halo_plan *P,
                              const struct lcl_ownership *O,
                              const struct lcl_rows *A, int block)
{
    const struct lcl_log *log = &O->comm->log;
    *P = (struct lcl_halo_plan){.rows = lcl_owned(O),
                                .total = lcl_owned_by_all(O),
                                .first = O->first[O->comm->rank]};
    const size_t most = (size_t)count_foreign(P, A) * (size_t)block;
    P->ghost = lcl_malloc(most, sizeof *P->ghost);
    if (!P->ghost)
        return lcl_fail_memory(log, what);
    P->ghosts = list_nodes(P->ghost, P, A, block) * block;
    for (int64_t g = P->ghosts; g-- > 0;)
        P->ghost[g] = P->ghost[g / block] * block + g % block;
    return P->rows + P->ghosts <= INT32_MAX
               ? LCL_OK
               : lcl_fail(log, LCL_ERANGE,
                          "%" PRId64 " rows and ghosts of a level on one rank: "
                          "expected at most %d",
                          P->rows + P->ghosts, (int)INT32_MAX);
}

// ------------------------------------------------------------------- exchange

// ghost_ptr[g + 1] - ghost_ptr[g] = entries of row g of `from` on their ranks.
static enum lcl_status carry_lengths(int64_t *ghost_ptr,
                                     const struct lcl_halo_plan *P,
                                     struct lcl_comm *comm,
                                     const int64_t *row_ptr)
{
    const size_t rows = (size_t)P->rows;
    int64_t *length = lcl_malloc(rows, sizeof *length);
    if (!length)
        return lcl_fail_memory(&comm->log, what);
    for (size_t i = 0; i < rows; ++i)
        length[i] = row_ptr[i + 1] - row_ptr[i];
    ghost_ptr[0] = 0;
    const enum lcl_status st =
        lcl_halo_plan_carry(P, comm, length, sizeof *length, ghost_ptr + 1);
    for (int64_t g = 0; g < P->ghosts && st == LCL_OK; ++g)
        ghost_ptr[g + 1] += ghost_ptr[g];
    lcl_free(length);
    return st;
}

// G = the rows of the ghosts.
static enum lcl_status carry_rows(struct lcl_rows *G, const struct lcl_rows *A,
                                  const struct lcl_halo_plan *P,
                                  struct lcl_comm *comm)
{
    int64_t *ptr = lcl_malloc((size_t)P->ghosts + 1, sizeof *ptr);
    *G = (struct lcl_rows){.rows = P->ghosts};
    enum lcl_status st = ptr ? carry_lengths(ptr, P, comm, A->row_ptr)
                             : lcl_fail_memory(&comm->log, what);
    if (st == LCL_OK &&
        (st = lcl_rows_allocate(G, ptr[P->ghosts], &comm->log)) == LCL_OK) {
        memcpy(G->row_ptr, ptr, ((size_t)P->ghosts + 1) * sizeof *ptr);
        st = lcl_halo_plan_carry_rows(P, comm, A->row_ptr, A->col,
                                      sizeof *A->col, ptr, G->col);
    }
    if (st == LCL_OK)
        st = lcl_halo_plan_carry_rows(P, comm, A->row_ptr, A->val,
                                      sizeof *A->val, ptr, G->val);
    lcl_free(ptr);
    return st;
}

// Appends the rows of B, for which there is space.
static void append_rows(struct lcl_rows *A, const struct lcl_rows *B)
{
    const int64_t at = A->row_ptr[A->rows], count = B->row_ptr[B->rows];
    memcpy(A->col + at, B->col, (size_t)count * sizeof *B->col);
    memcpy(A->val + at, B->val, (size_t)count * sizeof *B->val);
    for (int64_t i = 0; i < B->rows; ++i)
        A->row_ptr[A->rows + i + 1] = at + B->row_ptr[i + 1];
    A->rows += B->rows;
}

enum lcl_status lcl_rows_with_ghosts(struct lcl_rows *all,
                                     const struct lcl_rows *A,
                                     const struct lcl_halo_plan *P,
                                     struct lcl_comm *comm)
{
    struct lcl_rows G;
    enum lcl_status st = carry_rows(&G, A, P, comm);
    *all = (struct lcl_rows){.first = A->first, .rows = A->rows + P->ghosts};
    if (st == LCL_OK &&
        (st = lcl_rows_allocate(all, A->row_ptr[A->rows] + G.row_ptr[G.rows],
                                &comm->log)) == LCL_OK) {
        all->rows = all->row_ptr[0] = 0;
        append_rows(all, A);
        append_rows(all, &G);
    }
    lcl_rows_finish(&G);
    return st;
}

// ------------------------------------------------------------------- transpose

// T = the transposed matrix of A by local columns, `rows` of them.
static enum lcl_status transpose_own(struct lcl_rows *T, int64_t rows,
                                     const struct lcl_rows *A,
                                     const struct lcl_halo_plan *columns,
                                     const struct lcl_log *log)
{
    const int64_t nnz = A->row_ptr[A->rows];
    int64_t *at = lcl_calloc((size_t)rows + 2, sizeof *at);
    *T = (struct lcl_rows){.rows = rows};
    enum lcl_status st =
        at ? lcl_rows_allocate(T, nnz, log) : lcl_fail_memory(log, what);
    if (st == LCL_OK) {
        for (int64_t k = 0; k < nnz; ++k)
            ++at[lcl_halo_plan_column(columns, A->col[k]) + 2];
        for (int64_t j = 0; j < rows; ++j)
            at[j + 2] += at[j + 1];
        for (int64_t i = 0; i < A->rows; ++i)
            for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
                const int64_t to =
                    at[lcl_halo_plan_column(columns, A->col[k]) + 1]++;
                T->col[to] = A->first + i;
                T->val[to] = A->val[k];
            }
        memcpy(T->row_ptr, at, ((size_t)rows + 1) * sizeof *at);
    }
    lcl_free(at);
    return st;
}

// The plan that carries rows of ghosts to their ranks. Only `send` is its own.
static enum lcl_status reverse(struct lcl_halo_plan *back,
                               const struct lcl_halo_plan *P,
                               const struct lcl_log *log)
{
    *back = (struct lcl_halo_plan){.rows = P->ghosts,
                                   .ghosts = P->sends,
                                   .sends = P->ghosts,
                                   .to = P->from,
                                   .tos = P->froms,
                                   .from = P->to,
                                   .froms = P->tos};
    back->send = lcl_malloc((size_t)P->ghosts, sizeof *back->send);
    for (int64_t g = 0; back->send && g < P->ghosts; ++g)
        back->send[g] = (int32_t)g;
    return back->send ? LCL_OK : lcl_fail_memory(log, what);
}

static void append(struct lcl_rows *R, int64_t *at, const struct lcl_rows *from,
                   int64_t row)
{
    for (int64_t k = from->row_ptr[row]; k < from->row_ptr[row + 1]; ++k) {
        R->col[*at] = from->col[k];
        R->val[(*at)++] = from->val[k];
    }
}

// Row i: the rank's own entries, then those that came for it, in the order of
// the ranks.
static void merge(struct lcl_rows *R, const struct lcl_rows *own,
                  const struct lcl_rows *came, const struct lcl_halo_plan *P,
                  int64_t *next)
{
    int64_t at = 0;
    for (int64_t i = 0; i < P->rows; ++i)
        next[i] = -1;
    for (int64_t k = P->sends; k-- > 0;) { // a list for each row, in this order
        next[P->rows + k] = next[P->send[k]];
        next[P->send[k]] = k;
    }
    for (int64_t i = 0; i < P->rows; ++i) {
        R->row_ptr[i] = at;
        append(R, &at, own, i);
        for (int64_t k = next[i]; k >= 0; k = next[P->rows + k])
            append(R, &at, came, k);
    }
    R->row_ptr[P->rows] = at;
}

static enum lcl_status merge_all(struct lcl_rows *R, const struct lcl_rows *own,
                                 const struct lcl_rows *came,
                                 const struct lcl_halo_plan *P,
                                 const struct lcl_log *log)
{
    int64_t *next = lcl_malloc((size_t)(P->rows + P->sends), sizeof *next);
    *R = (struct lcl_rows){.first = P->first, .rows = P->rows};
    enum lcl_status st =
        next ? lcl_rows_allocate(
                   R, own->row_ptr[P->rows] + came->row_ptr[came->rows], log)
             : lcl_fail_memory(log, what);
    if (st == LCL_OK)
        merge(R, own, came, P, next);
    lcl_free(next);
    return st;
}

enum lcl_status lcl_rows_transpose(struct lcl_rows *R, const struct lcl_rows *P,
                                   const struct lcl_halo_plan *columns,
                                   struct lcl_comm *comm)
{
    const int64_t rows = columns->rows;
    struct lcl_halo_plan back = {.rows = 0};
    struct lcl_rows all, came = LCL_ROWS_INIT;
    *R = (struct lcl_rows){.rows = 0};
    enum lcl_status st =
        transpose_own(&all, rows + columns->ghosts, P, columns, &comm->log);
    // The rows of the ghosts: their pointers count the entries before them too.
    const struct lcl_rows sent = {.rows = columns->ghosts,
                                  .row_ptr =
                                      all.row_ptr ? all.row_ptr + rows : NULL,
                                  .col = all.col,
                                  .val = all.val};
    if (st == LCL_OK && (st = reverse(&back, columns, &comm->log)) == LCL_OK &&
        (st = carry_rows(&came, &sent, &back, comm)) == LCL_OK)
        st = merge_all(R, &all, &came, columns, &comm->log);
    lcl_free(back.send);
    lcl_rows_finish(&came);
    lcl_rows_finish(&all);
    return st;
}

// ------------------------------------------------------------------- device

// Entry (column, value) goes to its place among those of the row so far.
static void insert(struct lcl_bsr *B, int64_t start, int32_t column,
                   double value)
{
    int64_t k = B->nnz++;
    for (; k > start && B->col_ind[k - 1] > column; --k) {
        B->col_ind[k] = B->col_ind[k - 1];
        B->val[k] = B->val[k - 1];
    }
    B->col_ind[k] = column;
    B->val[k] = value;
}

static void number_locally(struct lcl_bsr *B, const struct lcl_rows *A,
                           const struct lcl_halo_plan *columns)
{
    B->row_ptr[0] = 0;
    for (int64_t i = 0; i < A->rows; ++i) {
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
            const int64_t j = lcl_halo_plan_column(columns, A->col[k]);
            if (j >= 0)
                insert(B, B->row_ptr[i], (int32_t)j, A->val[k]);
        }
        B->row_ptr[i + 1] = B->nnz;
    }
}

enum lcl_status lcl_rows_upload(struct lcl_device_matrix *D, lcl_context *ctx,
                                const struct lcl_rows *A,
                                const struct lcl_halo_plan *columns)
{
    const size_t nnz = (size_t)A->row_ptr[A->rows];
    struct lcl_bsr B = {.rows = A->rows,
                        .cols = columns->rows + columns->ghosts,
                        .block_size = 1};
    enum lcl_status st = LCL_ENOMEM;
    *D = (struct lcl_device_matrix){.n = 0};
    B.row_ptr = lcl_malloc((size_t)A->rows + 1, sizeof *B.row_ptr);
    B.col_ind = lcl_malloc(nnz, sizeof *B.col_ind);
    B.val = lcl_malloc(nnz, sizeof *B.val);
    if (B.row_ptr && B.col_ind && B.val) {
        number_locally(&B, A, columns);
        st = lcl_device_matrix_init(D, ctx, &B);
    }
    lcl_bsr_finish(&B);
    return st == LCL_ENOMEM ? lcl_fail_memory(lcl_context_log(ctx), what) : st;
}

enum lcl_status lcl_rows_download(struct lcl_rows *A,
                                  const struct lcl_device_matrix *D,
                                  const struct lcl_halo_plan *columns,
                                  const struct lcl_log *log)
{
    struct lcl_bsr B;
    enum lcl_status st = lcl_device_matrix_read(&B, D, true, log);
    A->rows = D->n;
    if (st == LCL_OK && (st = lcl_rows_allocate(A, B.nnz, log)) == LCL_OK) {
        memcpy(A->row_ptr, B.row_ptr, ((size_t)D->n + 1) * sizeof *A->row_ptr);
        memcpy(A->val, B.val, (size_t)B.nnz * sizeof *A->val);
        for (int64_t k = 0; k < B.nnz; ++k) {
            const int64_t j = B.col_ind[k] - columns->rows;
            A->col[k] =
                j < 0 ? columns->first + B.col_ind[k] : columns->ghost[j];
        }
    }
    lcl_bsr_finish(&B);
    return st;
}

// ------------------------------------------------------------------- gathering

// Parts of `most` bytes become parts of the bytes of each rank.
static void remove_padding(char *all, const int64_t *bytes, int ranks,
                           size_t most)
{
    char *to = all;
    for (int r = 0; r < ranks; ++r) {
        memmove(to, all + (size_t)r * most, (size_t)bytes[r]);
        to += bytes[r];
    }
}

static enum lcl_status gather_padded(void **all, const void *own, int64_t bytes,
                                     const int64_t *sizes,
                                     struct lcl_comm *comm)
{
    const size_t ranks = (size_t)comm->size;
    size_t most = 1;
    for (size_t r = 0; r < ranks; ++r)
        most = (size_t)sizes[r] > most ? (size_t)sizes[r] : most;
    char *padded = lcl_calloc(most, 1);
    *all = lcl_malloc(ranks, most);
    enum lcl_status st =
        padded && *all ? LCL_OK : lcl_fail_memory(&comm->log, what);
    if (st == LCL_OK) {
        memcpy(padded, own, (size_t)bytes);
        st = lcl_comm_gather(comm, padded, most, *all);
    }
    if (st == LCL_OK)
        remove_padding(*all, sizes, comm->size, most);
    lcl_free(padded);
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
        st = gather_padded(all, own, bytes, sizes, comm);
    lcl_free(sizes);
    return st;
}

// The pointers from lengths.
static enum lcl_status gather_pointers(struct lcl_rows *all,
                                       const struct lcl_rows *A,
                                       struct lcl_comm *comm)
{
    const size_t rows = (size_t)A->rows, size = sizeof(int64_t);
    int64_t *length = lcl_malloc(rows, size);
    void *lengths = NULL;
    enum lcl_status st = LCL_OK;
    all->row_ptr = lcl_calloc((size_t)all->rows + 1, size);
    if (!length || !all->row_ptr)
        st = lcl_fail_memory(&comm->log, what);
    for (size_t i = 0; i < rows && st == LCL_OK; ++i)
        length[i] = A->row_ptr[i + 1] - A->row_ptr[i];
    if (st == LCL_OK)
        st = lcl_gather_parts(&lengths, length, (int64_t)(rows * size), comm);
    for (int64_t i = 0; i < all->rows && st == LCL_OK; ++i)
        all->row_ptr[i + 1] = all->row_ptr[i] + ((const int64_t *)lengths)[i];
    lcl_free(lengths);
    lcl_free(length);
    return st;
}

enum lcl_status lcl_rows_of_all(struct lcl_rows *all, const struct lcl_rows *A,
                                const struct lcl_ownership *O)
{
    const int64_t nnz = A->row_ptr[A->rows];
    void *col = NULL, *val = NULL;
    enum lcl_status st;
    *all = (struct lcl_rows){.rows = lcl_owned_by_all(O),
                             .total = lcl_owned_by_all(O)};
    if ((st = gather_pointers(all, A, O->comm)) == LCL_OK &&
        (st = lcl_gather_parts(&col, A->col, nnz * (int64_t)sizeof *A->col,
                               O->comm)) == LCL_OK)
        st = lcl_gather_parts(&val, A->val, nnz * (int64_t)sizeof *A->val,
                              O->comm);
    all->col = col;
    all->val = val;
    return st;
}
