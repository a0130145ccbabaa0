// SPDX-License-Identifier: BSD-3-Clause
// The rows of a rank and layers of rows around them.
#include "lib/distributed/overlap_rows.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/order.h"
#include "host/runtime.h"
#include "lib/distributed/distributed.h"
#include "lib/matrix/csr.h"
#include "lib/spmv/matrix_operator.h"

#include <stdlib.h>
#include <string.h>

static const char what[] = "rows of other ranks";

// Host data of the search for layers.
struct search {
    const struct lcl_halo_plan *P; // plan of the product
    struct lcl_comm *C;
    int block;
    struct lcl_csr own; // pattern of the rank's own entries
    int64_t *firsts;    // first row of each rank, and the total
    int64_t *col;       // columns of the rank's rows, in the whole matrix
    int64_t *ghost_col; // columns of the ghosts' rows
    // Rows of other ranks in all layers so far, and their exchange
    struct lcl_halo_plan plan;
};

static void search_finish(struct search *s)
{
    lcl_halo_plan_finish(&s->plan);
    lcl_free(s->ghost_col);
    lcl_free(s->col);
    lcl_free(s->firsts);
    lcl_csr_finish(&s->own);
}

static bool is_own(const struct search *s, int64_t column)
{
    return column >= s->P->first && column < s->P->first + s->P->rows;
}

// ------------------------------------------------------------------- own rows

static int64_t global_column(const struct lcl_halo_plan *P, int32_t j)
{
    return j < P->rows ? P->first + j : P->ghost[j - P->rows];
}

// Number of entries of row i, which is boundary row r or an interior row.
static int64_t length_of(const struct search *s, int64_t i, int64_t r)
{
    const struct lcl_halo_plan *P = s->P;
    return r < P->boundary && P->row[r] == i
               ? P->ptr[r + 1] - P->ptr[r]
               : s->own.row_ptr[i + 1] - s->own.row_ptr[i];
}

static void fill_own(const struct lcl_overlap_rows *O, const struct search *s)
{
    const struct lcl_halo_plan *P = s->P;
    int64_t r = 0;
    for (int64_t i = 0; i < P->rows; ++i) {
        const bool boundary = r < P->boundary && P->row[r] == i;
        const int32_t *from =
            boundary ? P->col + P->ptr[r] : s->own.col_ind + s->own.row_ptr[i];
        for (int64_t k = O->row_ptr[i]; k < O->row_ptr[i + 1]; ++k)
            s->col[k] = global_column(P, from[k - O->row_ptr[i]]);
        r += boundary;
    }
}

static enum lcl_status list_own(struct lcl_overlap_rows *O, struct search *s)
{
    const struct lcl_halo_plan *P = s->P;
    int64_t r = 0;
    const enum lcl_status st = lcl_operator_entries(&s->own, O->whole->part);
    if (st < 0)
        return st;
    O->row_ptr = lcl_calloc((size_t)P->rows + 1, sizeof *O->row_ptr);
    if (!O->row_ptr)
        return lcl_fail_memory(&s->C->log, what);
    for (int64_t i = 0; i < P->rows; ++i) {
        O->row_ptr[i + 1] = O->row_ptr[i] + length_of(s, i, r);
        r += r < P->boundary && P->row[r] == i;
    }
    s->col = lcl_malloc((size_t)O->row_ptr[P->rows], sizeof *s->col);
    if (!s->col)
        return lcl_fail_memory(&s->C->log, what);
    fill_own(O, s);
    return LCL_OK;
}

// Reads the values of the rank's entries in own columns from the device.
static enum lcl_status read_own_values(double **own, const lcl_operator *part)
{
    const lcl_buffer *from = lcl_operator_staging(part);
    const size_t bytes = (size_t)part->info.nnz * sizeof **own;
    *own = lcl_malloc(bytes, 1);
    return *own ? lcl_buffer_read(from, *own, bytes)
                : lcl_fail_memory(lcl_context_log(part->range.ctx), what);
}

// Merges the own values with the values of boundary rows.
static void merge_values(const struct lcl_overlap_rows *O, const double *own)
{
    const struct lcl_halo *H = lcl_distributed_halo(O->whole);
    const struct lcl_halo_plan *P = &H->plan;
    const size_t size = sizeof *own;
    int64_t at = 0;
    for (int64_t r = 0; r <= P->boundary; ++r) {
        const int64_t end = r < P->boundary ? P->start[r] : P->nnz;
        memcpy(O->val + at, own + at - lcl_halo_plan_left_out(P, r),
               (size_t)(end - at) * size);
        if (r == P->boundary)
            return;
        at = end + P->ptr[r + 1] - P->ptr[r];
        memcpy(O->val + end, H->host + P->ptr[r], (size_t)(at - end) * size);
    }
}

// Updates the values of the rank's rows.
static enum lcl_status update_own_values(const struct lcl_overlap_rows *O)
{
    double *own;
    const enum lcl_status st = read_own_values(&own, O->whole->part);
    if (st == LCL_OK)
        merge_values(O, own);
    lcl_free(own);
    return st;
}

// ------------------------------------------------------------------- layers

// Extends the sorted rows to whole blocks, in place; the array has space for
// them.
static int64_t complete_blocks(int64_t *rows, int64_t count, int block)
{
    for (int64_t k = 0; k < count; ++k)
        rows[k] /= block;
    count = lcl_sort_once_int64(rows, count);
    for (int64_t k = count * block - 1; k >= 0; --k)
        rows[k] = rows[k / block] * block + k % block;
    return count * block;
}

// Adds the ghosts of the next layer: the columns of other ranks among `count`
// columns.
static enum lcl_status grow(struct search *s, const int64_t *col, int64_t count)
{
    struct lcl_halo_plan *L = &s->plan;
    const int64_t most = (L->ghosts + count) * s->block;
    int64_t *ghost = lcl_malloc((size_t)most, sizeof *ghost);
    int64_t at = L->ghosts;
    if (!ghost)
        return lcl_fail_memory(&s->C->log, what);
    for (int64_t g = 0; g < at; ++g)
        ghost[g] = L->ghost[g];
    for (int64_t k = 0; k < count; ++k)
        if (!is_own(s, col[k]))
            ghost[at++] = col[k];
    lcl_halo_plan_finish(L);
    *L = (struct lcl_halo_plan){.rows = s->P->rows,
                                .total = s->P->total,
                                .first = s->P->first,
                                .ghost = ghost};
    L->ghosts = complete_blocks(ghost, at, s->block);
    return L->rows + L->ghosts <= INT32_MAX
               ? LCL_OK
               : lcl_fail(&s->C->log, LCL_ERANGE,
                          "%lld rows of a rank with its overlap: expected at "
                          "most %d",
                          (long long)(L->rows + L->ghosts), (int)INT32_MAX);
}

// Fetches the columns of the ghosts' rows.
static enum lcl_status fetch_columns(struct lcl_overlap_rows *O,
                                     struct search *s)
{
    const struct lcl_halo_plan *L = &s->plan;
    const int64_t rows = L->rows;
    int64_t *length = lcl_malloc((size_t)rows, sizeof *length);
    enum lcl_status st = LCL_ENOMEM;
    lcl_free(O->ghost_ptr);
    O->ghost_ptr = lcl_calloc((size_t)L->ghosts + 1, sizeof *O->ghost_ptr);
    for (int64_t i = 0; length && i < rows; ++i)
        length[i] = O->row_ptr[i + 1] - O->row_ptr[i];
    if (length && O->ghost_ptr)
        st = lcl_halo_plan_carry(L, s->C, length, sizeof *length,
                                 O->ghost_ptr + 1);
    lcl_free(length);
    if (st < 0)
        return st == LCL_ENOMEM ? lcl_fail_memory(&s->C->log, what) : st;
    for (int64_t g = 0; g < L->ghosts; ++g)
        O->ghost_ptr[g + 1] += O->ghost_ptr[g];
    lcl_free(s->ghost_col);
    s->ghost_col =
        lcl_malloc((size_t)O->ghost_ptr[L->ghosts], sizeof *s->ghost_col);
    return s->ghost_col ? lcl_halo_plan_carry_rows(L, s->C, O->row_ptr, s->col,
                                                   sizeof *s->col, O->ghost_ptr,
                                                   s->ghost_col)
                        : lcl_fail_memory(&s->C->log, what);
}

static enum lcl_status gather_firsts(const struct search *s)
{
    s->firsts[s->C->size] = s->P->total;
    return lcl_comm_gather(s->C, &s->P->first, sizeof s->P->first, s->firsts);
}

// Each layer starts from the rows that the one before has fetched.
static enum lcl_status find_layers(struct lcl_overlap_rows *O, struct search *s,
                                   int layers)
{
    enum lcl_status st;
    s->firsts = lcl_malloc((size_t)s->C->size + 1, sizeof *s->firsts);
    if (!s->firsts)
        return lcl_fail_memory(&s->C->log, what);
    if ((st = list_own(O, s)) < 0 || (st = gather_firsts(s)) < 0)
        return st;
    for (int layer = 0; layer < layers && st == LCL_OK; ++layer) {
        st = layer == 0 ? grow(s, s->P->ghost, s->P->ghosts)
                        : grow(s, s->ghost_col, O->ghost_ptr[s->plan.ghosts]);
        if (st == LCL_OK &&
            (st = lcl_halo_plan_connect(&s->plan, s->C, s->firsts)) == LCL_OK)
            st = fetch_columns(O, s);
    }
    return st;
}

// Updates the values of the rank's rows and fetches those of the ghosts.
static enum lcl_status fetch_values(const struct lcl_overlap_rows *O,
                                    const struct lcl_halo_plan *L,
                                    struct lcl_comm *C)
{
    const enum lcl_status st = update_own_values(O);
    if (st < 0)
        return st;
    return lcl_halo_plan_carry_rows(L, C, O->row_ptr, O->val, sizeof *O->val,
                                    O->ghost_ptr, O->val + O->row_ptr[L->rows]);
}

static enum lcl_status fetch(struct lcl_overlap_rows *O, struct search *s,
                             int layers)
{
    const enum lcl_status st = find_layers(O, s, layers);
    if (st < 0)
        return st;
    O->val = lcl_malloc(
        (size_t)(O->row_ptr[s->plan.rows] + O->ghost_ptr[s->plan.ghosts]),
        sizeof *O->val);
    return O->val ? fetch_values(O, &s->plan, s->C)
                  : lcl_fail_memory(&s->C->log, what);
}

// ------------------------------------------------------------------- matrix

static int64_t row_of_ghost(const struct lcl_overlap_rows *O,
                            const struct lcl_halo_plan *L, int64_t g)
{
    return g < O->low ? g : L->rows + g;
}

// Local column of a column of the whole matrix, or -1.
static int64_t local_column(const struct lcl_overlap_rows *O,
                            const struct search *s, int64_t column)
{
    const struct lcl_halo_plan *L = &s->plan;
    if (is_own(s, column))
        return O->low + column - L->first;
    const int64_t *at = bsearch(&column, L->ghost, (size_t)L->ghosts,
                                sizeof column, lcl_order_int64);
    return at ? row_of_ghost(O, L, at - L->ghost) : -1;
}

// Appends row i with `count` entries; the first of them is entry `from` of all.
static void add_row(struct lcl_csr *A, const struct lcl_overlap_rows *O,
                    const struct search *s, const int64_t *col, int64_t count,
                    int64_t from)
{
    for (int64_t k = 0; k < count; ++k) {
        const int64_t j = local_column(O, s, col[k]);
        if (j < 0)
            continue;
        A->col_ind[A->nnz] = (int32_t)j;
        O->source[A->nnz++] = from + k;
    }
    A->row_ptr[++A->rows] = A->nnz;
}

static void add_ghosts(struct lcl_csr *A, const struct lcl_overlap_rows *O,
                       const struct search *s, int64_t first, int64_t end)
{
    const int64_t *ptr = O->ghost_ptr;
    for (int64_t g = first; g < end; ++g)
        add_row(A, O, s, s->ghost_col + ptr[g], ptr[g + 1] - ptr[g],
                O->row_ptr[s->plan.rows] + ptr[g]);
}

static void fill_matrix(struct lcl_csr *A, struct lcl_overlap_rows *O,
                        const struct search *s)
{
    const struct lcl_halo_plan *L = &s->plan;
    const int64_t *ptr = O->row_ptr;
    while (O->low < L->ghosts && L->ghost[O->low] < L->first)
        ++O->low;
    add_ghosts(A, O, s, 0, O->low);
    for (int64_t i = 0; i < L->rows; ++i)
        add_row(A, O, s, s->col + ptr[i], ptr[i + 1] - ptr[i], ptr[i]);
    add_ghosts(A, O, s, O->low, L->ghosts);
    A->cols = A->rows;
}

static void keep_values(const struct lcl_overlap_rows *O, int64_t nnz)
{
    for (int64_t k = 0; k < nnz; ++k)
        O->kept[k] = O->val[O->source[k]];
}

static enum lcl_status make_matrix(struct lcl_overlap_rows *O,
                                   const struct search *s)
{
    const struct lcl_halo_plan *L = &s->plan;
    const size_t nnz = (size_t)(O->row_ptr[L->rows] + O->ghost_ptr[L->ghosts]);
    const struct lcl_operator_params params = {.spmv = LCL_SPMV_CSR,
                                               .block_size = s->block};
    struct lcl_csr A = {.row_ptr = lcl_calloc((size_t)(L->rows + L->ghosts) + 1,
                                              sizeof *A.row_ptr),
                        .col_ind = lcl_malloc(nnz, sizeof *A.col_ind)};
    enum lcl_status st;
    O->source = lcl_malloc(nnz, sizeof *O->source);
    O->kept = lcl_malloc(nnz, sizeof *O->kept);
    if (A.row_ptr && A.col_ind && O->source && O->kept) {
        fill_matrix(&A, O, s);
        keep_values(O, A.nnz);
        A.val = O->kept;
        st = lcl_operator_create(&O->matrix, O->whole->range.ctx, &A, &params);
    } else {
        st = lcl_fail_memory(&s->C->log, what);
    }
    lcl_free(A.col_ind);
    lcl_free(A.row_ptr);
    return st;
}

// ------------------------------------------------------------------- life

enum lcl_status lcl_overlap_rows_init(struct lcl_overlap_rows *O,
                                      const lcl_operator *whole, int block,
                                      int layers)
{
    static const struct lcl_halo_layout single = {1, 1, 1, 1};
    const struct lcl_space *V = &whole->range;
    struct search s = {
        .P = &lcl_distributed_halo(whole)->plan, .C = V->comm, .block = block};
    *O = (struct lcl_overlap_rows){.whole = whole, .fresh = true};
    enum lcl_status st = lcl_space_end(V, fetch(O, &s, layers));
    if (st == LCL_OK && (st = make_matrix(O, &s)) == LCL_OK)
        st = lcl_halo_init(&O->halo, V, &s.plan, &single, LCL_HALO_ROWS);
    search_finish(&s);
    return st;
}

void lcl_overlap_rows_finish(struct lcl_overlap_rows *O)
{
    lcl_operator_destroy(&O->matrix);
    lcl_halo_finish(&O->halo);
    lcl_buffer_destroy(&O->sum);
    lcl_buffer_destroy(&O->first);
    lcl_buffer_destroy(&O->place);
    lcl_free(O->messages.out);
    lcl_free(O->messages.in);
    lcl_free(O->outbox);
    lcl_free(O->kept);
    lcl_free(O->val);
    lcl_free(O->source);
    lcl_free(O->ghost_ptr);
    lcl_free(O->row_ptr);
}

enum lcl_status lcl_overlap_rows_update(struct lcl_overlap_rows *O)
{
    const struct lcl_space *V = &O->whole->range;
    if (O->fresh) {
        O->fresh = false;
        return LCL_OK;
    }
    const enum lcl_status st =
        lcl_space_end(V, fetch_values(O, &O->halo.plan, V->comm));
    if (st < 0)
        return st;
    keep_values(O, O->matrix->info.nnz);
    return lcl_operator_update(O->matrix, O->kept);
}

uint64_t lcl_overlap_rows_bytes(const struct lcl_overlap_rows *O)
{
    return O->matrix->info.bytes + lcl_halo_bytes(&O->halo) +
           lcl_buffer_bytes(O->sum) + lcl_buffer_bytes(O->first) +
           lcl_buffer_bytes(O->place);
}

// ------------------------------------------------------------------- sums

// Lists the summands of each row: its own element, then the elements that other
// ranks send, in the order of the ranks.
static void fill_places(uint32_t *first, uint32_t *place,
                        const struct lcl_halo_plan *P)
{
    const int64_t received = P->rows + P->ghosts;
    for (int64_t i = 0; i < P->rows; ++i)
        ++first[i + 2];
    for (int64_t k = 0; k < P->sends; ++k)
        ++first[P->send[k] + 2];
    for (int64_t i = 0; i < P->rows; ++i)
        first[i + 2] += first[i + 1];
    for (int64_t i = 0; i < P->rows; ++i)
        place[first[i + 1]++] = (uint32_t)i;
    for (int64_t k = 0; k < P->sends; ++k)
        place[first[P->send[k] + 1]++] = (uint32_t)(received + k);
}

static enum lcl_status make_places(struct lcl_overlap_rows *O)
{
    lcl_context *ctx = O->whole->range.ctx;
    const struct lcl_halo_plan *P = &O->halo.plan;
    const int64_t count = P->rows + P->sends;
    uint32_t *first = lcl_calloc((size_t)P->rows + 2, sizeof *first);
    uint32_t *place = lcl_malloc((size_t)count, sizeof *place);
    enum lcl_status st = LCL_ENOMEM;
    if (first && place) {
        fill_places(first, place, P);
        st = lcl_buffer_create_from(&O->first, ctx, first, P->rows + 1,
                                    sizeof *first, what);
    }
    if (st == LCL_OK)
        st = lcl_buffer_create_from(&O->place, ctx, place, count, sizeof *place,
                                    what);
    lcl_free(place);
    lcl_free(first);
    return st == LCL_ENOMEM ? lcl_fail_memory(lcl_context_log(ctx), what) : st;
}

// Each sum of a ghost goes to the rank that owns the row.
static enum lcl_status make_messages(struct lcl_overlap_rows *O)
{
    const struct lcl_halo_plan *P = &O->halo.plan;
    struct lcl_exchange_plan *X = &O->messages;
    const size_t size = sizeof *O->outbox;
    X->outs = P->froms;
    X->ins = P->tos;
    X->out = lcl_malloc((size_t)P->froms, sizeof *X->out);
    X->in = lcl_malloc((size_t)P->tos, sizeof *X->in);
    O->outbox = lcl_malloc((size_t)P->ghosts, size);
    if (!X->out || !X->in || !O->outbox)
        return lcl_fail_memory(lcl_context_log(O->whole->range.ctx), what);
    for (int k = 0; k < P->froms; ++k)
        X->out[k] =
            (struct lcl_message){P->from[k].rank, O->outbox + P->from[k].start,
                                 (size_t)P->from[k].count * size};
    for (int k = 0; k < P->tos; ++k)
        X->in[k] = (struct lcl_message){P->to[k].rank, NULL,
                                        (size_t)P->to[k].count * size};
    return LCL_OK;
}

enum lcl_status lcl_overlap_rows_make_sums(struct lcl_overlap_rows *O)
{
    lcl_context *ctx = O->whole->range.ctx;
    const struct lcl_halo_plan *P = &O->halo.plan;
    const struct lcl_spec spec = {.source = "schwarz.cl",
                                  .kernel = "schwarz_collect",
                                  .group =
                                      lcl_vector_group(lcl_context_caps(ctx))};
    enum lcl_status st;
    if ((st = lcl_buffer_create(&O->sum, ctx, P->rows + P->ghosts + P->sends,
                                sizeof(double), what)) < 0 ||
        (st = make_places(O)) < 0 || (st = make_messages(O)) < 0)
        return st;
    return lcl_kernel_get(&O->collect, ctx, &spec);
}

// The outbox may be overwritten: its receivers have begun the exchange of the
// halo since, and so have completed the last exchange of sums.
static enum lcl_status exchange_sums(struct lcl_overlap_rows *O)
{
    const struct lcl_halo_plan *P = &O->halo.plan;
    struct lcl_comm *C = O->whole->range.comm;
    const size_t size = sizeof *O->outbox;
    const size_t received = (size_t)(P->rows + P->ghosts) * size;
    enum lcl_status st = LCL_OK;
    if (P->ghosts > 0)
        st = lcl_buffer_read_at(O->sum, (size_t)P->rows * size, O->outbox,
                                (size_t)P->ghosts * size);
    if (st < 0 || (st = lcl_comm_begin(C, &O->messages)) < 0 ||
        (st = lcl_comm_end(C, &O->messages)) < 0)
        return st;
    for (int k = 0; k < P->tos && st == LCL_OK; ++k)
        st = lcl_buffer_write_at(
            O->sum, received + (size_t)P->to[k].start * size,
            O->messages.in[k].data, O->messages.in[k].bytes);
    return st;
}

enum lcl_status lcl_overlap_rows_sum(struct lcl_overlap_rows *O,
                                     const struct lcl_operands *v)
{
    const struct lcl_space *V = &O->whole->range;
    const enum lcl_status st = exchange_sums(O);
    if (st < 0)
        return st;
    return LCL_LAUNCH(O->collect, V->groups, lcl_arg_long(V->n),
                      lcl_arg_buffer(O->first), lcl_arg_buffer(O->place),
                      lcl_arg_buffer(O->sum), lcl_arg_buffer(v->y),
                      lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}
