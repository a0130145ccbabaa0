// SPDX-License-Identifier: BSD-3-Clause
// The boundary rows of a rank as a level.
#include "lib/multilevel/ghost_level.h"

#include "host/alloc.h"
#include "host/geometry.h"
#include "host/launch.h"
#include "host/log.h"
#include "host/order.h"
#include "host/runtime.h"
#include "lib/matrix/bsr.h"
#include "lib/multilevel/pattern.h"
#include "lib/multilevel/survey.h"
#include "lib/storage/transpose.h"

static const char what[] = "coarse unknowns at the boundary of a rank";

static lcl_context *context_of(const struct lcl_ghost_level *G)
{
    return G->halo->space.ctx;
}

static const struct lcl_log *log_of(const struct lcl_ghost_level *G)
{
    return lcl_context_log(context_of(G));
}

// What only the set-up needs.
struct setup {
    const struct lcl_ghost_labels *L;
    struct lcl_keyed *sorted; // boundary rows in the order of A
    int32_t *number;          // of each row of A
};

// ------------------------------------------------------------------- A

static enum lcl_status sort_rows(struct setup *s,
                                 const struct lcl_ghost_level *G)
{
    const struct lcl_ghost_labels *L = s->L;
    const int64_t rows = G->halo->plan.boundary;
    s->sorted = lcl_malloc((size_t)rows, sizeof *s->sorted);
    s->number = lcl_malloc((size_t)rows, sizeof *s->number);
    if (!s->sorted || !s->number)
        return lcl_fail_memory(log_of(G), what);
    for (int64_t r = 0; r < rows; ++r)
        s->sorted[r] =
            (struct lcl_keyed){(int64_t)L->number[r] << 32 | L->place[r], r};
    lcl_sort_keyed(s->sorted, rows);
    for (int64_t i = 0; i < rows; ++i)
        s->number[i] = L->number[s->sorted[i].value];
    return LCL_OK;
}

static void list_entries(struct lcl_bsr *A, uint32_t *map,
                         const struct setup *s, const struct lcl_halo_plan *P)
{
    A->row_ptr[0] = 0;
    for (int64_t i = 0; i < A->rows; ++i) {
        const int64_t r = s->sorted[i].value;
        for (int64_t k = P->ptr[r]; k < P->ptr[r + 1]; ++k)
            if (P->col[k] >= s->L->first) {
                map[A->nnz] = (uint32_t)k;
                A->col_ind[A->nnz++] = (int32_t)(P->col[k] - s->L->first);
            }
        A->row_ptr[i + 1] = A->nnz;
    }
}

static enum lcl_status upload_A(struct lcl_ghost_level *G,
                                const struct lcl_bsr *A, const uint32_t *map,
                                bool counted)
{
    const enum lcl_status st = lcl_device_pattern_init(&G->A, context_of(G), A);
    return st < 0 || counted
               ? st
               : lcl_buffer_create_from(&G->map, context_of(G), map, A->nnz,
                                        sizeof *map, what);
}

static enum lcl_status make_A(struct lcl_ghost_level *G, const struct setup *s)
{
    const struct lcl_halo_plan *P = &G->halo->plan;
    struct lcl_bsr A = {.rows = P->boundary,
                        .cols = P->rows + P->ghosts - s->L->first,
                        .block_size = 1};
    uint32_t *map = lcl_malloc((size_t)P->entries, sizeof *map);
    enum lcl_status st = LCL_ENOMEM;
    A.row_ptr = lcl_malloc((size_t)A.rows + 1, sizeof *A.row_ptr);
    A.col_ind = lcl_malloc((size_t)P->entries, sizeof *A.col_ind);
    if (map && A.row_ptr && A.col_ind) {
        list_entries(&A, map, s, P);
        st = upload_A(G, &A, map, s->L->counted);
    }
    lcl_bsr_finish(&A);
    lcl_free(map);
    return st == LCL_ENOMEM ? lcl_fail_memory(log_of(G), what) : st;
}

static void set_ones(double *val, int64_t count)
{
    for (int64_t k = 0; k < count; ++k)
        val[k] = 1;
}

static enum lcl_status count_entries(struct lcl_ghost_level *G)
{
    const int64_t entries = G->A.blocks;
    double *ones = lcl_malloc((size_t)entries, sizeof *ones);
    if (!ones)
        return lcl_fail_memory(log_of(G), what);
    set_ones(ones, entries);
    const enum lcl_status st =
        lcl_buffer_write(G->A.val, ones, (size_t)entries * sizeof *ones);
    lcl_free(ones);
    return st;
}

static enum lcl_status take_values(const struct lcl_ghost_level *G)
{
    return lcl_gather(&G->ops, G->A.blocks, G->map, G->halo->val, G->A.val);
}

static enum lcl_status fill_A(struct lcl_ghost_level *G, bool counted)
{
    enum lcl_status st;
    if ((st = lcl_buffer_create(&G->A.val, context_of(G), G->A.blocks,
                                sizeof(double), "values")) < 0)
        return st;
    if (counted)
        return count_entries(G);
    st = lcl_vector_ops_init(&G->ops, context_of(G), 1);
    return st < 0 ? st : take_values(G);
}

// ------------------------------------------------------------------- Z, R

// Z = a matrix with a 1 in column label[i] of row i.
static enum lcl_status make_constant(struct lcl_device_matrix *Z,
                                     const struct lcl_ghost_level *G,
                                     const int32_t *label, int64_t rows,
                                     int64_t cols)
{
    struct lcl_bsr A = {
        .rows = rows, .cols = cols, .nnz = rows, .block_size = 1};
    enum lcl_status st = LCL_ENOMEM;
    A.row_ptr = lcl_malloc((size_t)rows + 1, sizeof *A.row_ptr);
    A.val = lcl_malloc((size_t)rows, sizeof *A.val);
    if (A.row_ptr && A.val) {
        for (int64_t i = 0; i <= rows; ++i)
            A.row_ptr[i] = i;
        set_ones(A.val, rows);
        A.col_ind = (int32_t *)label;
        st = lcl_device_matrix_init(Z, context_of(G), &A);
    }
    lcl_free(A.val);
    lcl_free(A.row_ptr);
    return st == LCL_ENOMEM ? lcl_fail_memory(log_of(G), what) : st;
}

static enum lcl_status make_R(struct lcl_ghost_level *G, const struct setup *s)
{
    struct lcl_device_matrix T = {.n = 0};
    enum lcl_status st = make_constant(&T, G, s->number, G->A.n, s->L->numbers);
    if (st == LCL_OK)
        st = lcl_transpose_init(&G->R, NULL, context_of(G), &T);
    lcl_device_matrix_finish(&T);
    return st;
}

// ------------------------------------------------------------------- products

static struct lcl_galerkin_factors factors_of(const struct lcl_ghost_level *G)
{
    return (struct lcl_galerkin_factors){
        .ctx = context_of(G), .A = &G->A, .P = &G->Z, .R = &G->R};
}

// All but the values of E.
static enum lcl_status make_products(struct lcl_ghost_level *G)
{
    const struct lcl_galerkin_factors F = factors_of(G);
    bool fits;
    return lcl_galerkin_init(&G->product, &F, INT64_MAX, &fits);
}

static enum lcl_status multiply(struct lcl_ghost_level *G)
{
    const struct lcl_galerkin_factors F = factors_of(G);
    return lcl_galerkin_multiply(&G->product, &F, &G->product.C);
}

enum lcl_status lcl_ghost_level_update(struct lcl_ghost_level *G)
{
    const struct lcl_galerkin_factors F = factors_of(G);
    const enum lcl_status st = take_values(G);
    return st < 0 ? st : lcl_galerkin_update(&G->product, &F, &G->product.C);
}

// ------------------------------------------------------------------- W^T

// Splits the rows of W^T into sums.
static void list_sums(struct lcl_ghost_level *G, int64_t *ptr,
                      const struct lcl_bsr *T, const struct setup *s)
{
    const int32_t together = s->L->together;
    int32_t last = -1;
    for (int64_t u = 0; u < T->rows; ++u)
        for (int64_t k = T->row_ptr[u]; k < T->row_ptr[u + 1]; ++k) {
            const int32_t own = s->number[T->col_ind[k]] / together;
            if (k == T->row_ptr[u] || own != last) {
                ptr[G->sums] = k;
                G->target[G->sums++] = (int32_t)u;
            }
            last = own;
        }
    ptr[G->sums] = T->nnz;
}

static enum lcl_status upload_sums(struct lcl_ghost_level *G,
                                   const struct lcl_bsr *T,
                                   const struct setup *s)
{
    const size_t most = (size_t)T->nnz;
    int64_t *ptr = lcl_malloc(most + 1, sizeof *ptr);
    G->target = lcl_malloc(most, sizeof *G->target);
    enum lcl_status st =
        ptr && G->target ? LCL_OK : lcl_fail_memory(log_of(G), what);
    if (st == LCL_OK) {
        list_sums(G, ptr, T, s);
        st = lcl_buffer_create_narrow(&G->sum_ptr, context_of(G), ptr,
                                      G->sums + 1, what);
    }
    lcl_free(ptr);
    return st;
}

static enum lcl_status transpose_W(struct lcl_ghost_level *G,
                                   const struct setup *s)
{
    struct lcl_device_matrix T;
    struct lcl_bsr pattern = {.rows = 0};
    enum lcl_status st =
        lcl_transpose_init(&T, &G->order, context_of(G), &G->product.AP);
    if (st == LCL_OK)
        st = lcl_device_matrix_read(&pattern, &T, false, log_of(G));
    if (st == LCL_OK)
        st = upload_sums(G, &pattern, s);
    lcl_bsr_finish(&pattern);
    lcl_device_matrix_finish(&T);
    return st;
}

static enum lcl_status upload_rows(struct lcl_ghost_level *G,
                                   const struct setup *s)
{
    const int64_t rows = G->A.n;
    int32_t *row = lcl_malloc((size_t)rows, sizeof *row);
    if (!row)
        return lcl_fail_memory(log_of(G), what);
    for (int64_t i = 0; i < rows; ++i)
        row[i] = s->L->place[s->sorted[i].value];
    const enum lcl_status st = lcl_buffer_create_from(
        &G->row, context_of(G), row, rows, sizeof *row, what);
    lcl_free(row);
    return st;
}

static enum lcl_status find_entry_rows(struct lcl_ghost_level *G)
{
    lcl_context *ctx = context_of(G);
    const struct lcl_device_matrix *W = &G->product.AP;
    enum lcl_status st =
        lcl_buffer_create(&G->entry_row, ctx, W->blocks, sizeof(int32_t), what);
    return st < 0 ? st
                  : lcl_coarse_rows_of_runs(G->entry_row, ctx, W->n, G->row,
                                            W->row_ptr);
}

static enum lcl_status get_kernels(struct lcl_ghost_level *G)
{
    lcl_context *ctx = context_of(G);
    const struct lcl_kernel_plan all[] = {{&G->residual, "coarse_residual"},
                                          {&G->deflate, "coarse_deflate"}};
    const struct lcl_spec spec = lcl_coarse_spec(ctx, "coarse.cl", NULL);
    return lcl_kernels_get(ctx, &spec, all, sizeof all / sizeof *all);
}

static enum lcl_status make_transposed(struct lcl_ghost_level *G,
                                       const struct setup *s)
{
    enum lcl_status st;
    if ((st = transpose_W(G, s)) < 0 || (st = upload_rows(G, s)) < 0 ||
        (st = find_entry_rows(G)) < 0)
        return st;
    return get_kernels(G);
}

// ------------------------------------------------------------------- all

static enum lcl_status set_up(struct lcl_ghost_level *G, struct setup *s)
{
    const struct lcl_ghost_labels *L = s->L;
    enum lcl_status st;
    if ((st = sort_rows(s, G)) < 0 || (st = make_A(G, s)) < 0 ||
        (st = fill_A(G, L->counted)) < 0 ||
        (st = make_constant(&G->Z, G, L->unknown, G->A.block_cols,
                            L->unknowns)) < 0 ||
        (st = make_R(G, s)) < 0 || (st = make_products(G)) < 0)
        return st;
    return L->counted ? multiply(G) : make_transposed(G, s);
}

enum lcl_status lcl_ghost_level_init(struct lcl_ghost_level *G,
                                     const struct lcl_halo *H,
                                     const struct lcl_ghost_labels *L)
{
    struct setup s = {.L = L};
    *G = (struct lcl_ghost_level){.halo = H};
    const enum lcl_status st = set_up(G, &s);
    lcl_free(s.number);
    lcl_free(s.sorted);
    return st;
}

static lcl_buffer **buffer_at(struct lcl_ghost_level *G, size_t k)
{
    lcl_buffer **const all[] = {&G->map, &G->row, &G->sum_ptr, &G->order,
                                &G->entry_row};
    return k < sizeof all / sizeof *all ? all[k] : NULL;
}

void lcl_ghost_level_finish(struct lcl_ghost_level *G)
{
    lcl_galerkin_finish(&G->product);
    lcl_device_matrix_finish(&G->A);
    lcl_device_matrix_finish(&G->Z);
    lcl_device_matrix_finish(&G->R);
    for (size_t k = 0; buffer_at(G, k); ++k)
        lcl_buffer_destroy(buffer_at(G, k));
    lcl_free(G->target);
}

uint64_t lcl_ghost_level_bytes(const struct lcl_ghost_level *G)
{
    struct lcl_ghost_level copy = *G;
    uint64_t bytes =
        lcl_galerkin_bytes(&G->product) + lcl_device_matrix_bytes(&G->A) +
        lcl_device_matrix_bytes(&G->Z) + lcl_device_matrix_bytes(&G->R);
    for (size_t k = 0; buffer_at(&copy, k); ++k)
        bytes += lcl_buffer_bytes(*buffer_at(&copy, k));
    return bytes;
}

// ------------------------------------------------------------------- use

enum lcl_status lcl_ghost_level_residual(const struct lcl_ghost_level *G,
                                         const lcl_buffer *e,
                                         const struct lcl_operands *v)
{
    const struct lcl_device_matrix *W = &G->product.AP;
    return LCL_LAUNCH(G->residual, lcl_coarse_row_groups(context_of(G), W->n),
                      lcl_arg_long(W->n), lcl_arg_buffer(G->row),
                      lcl_arg_buffer(W->row_ptr), lcl_arg_buffer(W->col),
                      lcl_arg_buffer(W->val), lcl_arg_buffer(e),
                      lcl_arg_buffer(v->x), lcl_arg_buffer(v->y),
                      lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}

enum lcl_status lcl_ghost_level_deflate(const struct lcl_ghost_level *G,
                                        int64_t first, const lcl_buffer *t,
                                        const struct lcl_operands *v)
{
    return LCL_LAUNCH(G->deflate, G->sums, lcl_arg_long(first),
                      lcl_arg_buffer(NULL), lcl_arg_buffer(NULL),
                      lcl_arg_buffer(NULL), lcl_arg_buffer(G->sum_ptr),
                      lcl_arg_buffer(G->order), lcl_arg_buffer(G->entry_row),
                      lcl_arg_buffer(G->product.AP.val), lcl_arg_buffer(v->x),
                      lcl_arg_buffer(v->y), lcl_arg_buffer(t),
                      lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}
