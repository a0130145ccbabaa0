// SPDX-License-Identifier: BSD-3-Clause
// Composes a layout of the caller: lists the images of its blocks, sorts them
// by column, then by row, and finds the values of each position.
#include "lib/matrix/layout.h"

#include "host/alloc.h"
#include "host/log.h"
#include "lib/matrix/bsr.h"

#include <stdbool.h>

// A block of the caller is 2 k, its transpose at the mirrored position 2 k + 1.
typedef uint32_t image;

struct composition {
    const struct lcl_layout *L;
    struct lcl_layout_arrays arrays;
    int block;
    bool symmetric;
    int64_t blocks;     // of the caller
    int32_t *row, *col; // of the caller's blocks
    int64_t images;
    image *sorted, *scratch;
    int64_t *first; // image of each block of the matrix; nnz + 1
};

// ------------------------------------------------------------------- positions

static void list_rows(struct composition *c)
{
    const struct lcl_layout *L = c->L;
    for (int64_t i = 0, k = 0; i < L->rows; ++i) {
        const int64_t end = lcl_layout_row_start(L, i + 1) - L->base;
        for (; k < end; ++k) {
            c->row[k] = (int32_t)i;
            c->col[k] = L->col[k] - L->base;
        }
    }
}

static void list_entries(struct composition *c)
{
    const struct lcl_layout *L = c->L;
    for (int64_t k = 0; k < L->nnz; ++k) {
        c->row[k] = L->row[k] - L->base;
        c->col[k] = L->col[k] - L->base;
    }
}

static void list_faces(struct composition *c)
{
    const struct lcl_layout *L = c->L;
    for (int64_t i = 0; i < L->rows; ++i)
        c->row[i] = c->col[i] = (int32_t)i;
    for (int64_t f = 0; f < L->nnz; ++f) {
        c->row[L->rows + f] = L->row[f] - L->base;
        c->col[L->rows + f] = L->col[f] - L->base;
    }
    for (int64_t f = 0; L->lower && f < L->nnz; ++f) {
        c->row[L->rows + L->nnz + f] = L->col[f] - L->base;
        c->col[L->rows + L->nnz + f] = L->row[f] - L->base;
    }
}

static void list_positions(struct composition *c)
{
    switch (c->L->type) {
    case LCL_LAYOUT_CSR:
        list_rows(c);
        break;
    case LCL_LAYOUT_COO:
        list_entries(c);
        break;
    case LCL_LAYOUT_LDU:
        list_faces(c);
        break;
    case LCL_LAYOUT_COUNT:
        break;
    }
}

static bool has_mirror(const struct composition *c, int64_t k)
{
    return c->symmetric && c->row[k] != c->col[k];
}

static void list_images(struct composition *c)
{
    for (int64_t k = 0, next = 0; k < c->blocks; ++k) {
        c->sorted[next++] = (image)(2 * k);
        if (has_mirror(c, k))
            c->sorted[next++] = (image)(2 * k + 1);
    }
}

// ------------------------------------------------------------------- sort

static int32_t row_of(const struct composition *c, image m)
{
    return m & 1 ? c->col[m >> 1] : c->row[m >> 1];
}

static int32_t col_of(const struct composition *c, image m)
{
    return m & 1 ? c->row[m >> 1] : c->col[m >> 1];
}

typedef int32_t key_fn(const struct composition *c, image m);

// Stable counting sort. `end` holds keys + 1 zeros, and receives the end of
// each key's images, shifted by one: those of key k are end[k] .. end[k + 1]-1.
static void sort_by(struct composition *c, key_fn *key, int64_t *end,
                    int64_t keys)
{
    image *from = c->sorted;
    for (int64_t m = 0; m < c->images; ++m)
        ++end[key(c, from[m]) + 1];
    for (int64_t k = 0; k < keys; ++k)
        end[k + 1] += end[k];
    for (int64_t m = 0; m < c->images; ++m)
        c->scratch[end[key(c, from[m])]++] = from[m];
    for (int64_t k = keys; k > 0; --k)
        end[k] = end[k - 1];
    end[0] = 0;
    c->sorted = c->scratch;
    c->scratch = from;
}

static enum lcl_status sort_images(struct composition *c, struct lcl_bsr *P,
                                   const struct lcl_log *log)
{
    int64_t *end = lcl_calloc((size_t)P->cols + 1, sizeof *end);
    if (!end)
        return lcl_fail_memory(log, "the sort of a matrix");
    sort_by(c, col_of, end, P->cols);
    lcl_free(end);
    sort_by(c, row_of, P->row_ptr, P->rows);
    return LCL_OK;
}

// Images at the same position are one block. Row pointers count images before,
// blocks afterwards.
static void merge_images(struct composition *c, struct lcl_bsr *P)
{
    int64_t out = 0;
    for (int64_t i = 0, k = 0; i < P->rows; ++i) {
        const int64_t start = out, end = P->row_ptr[i + 1];
        for (; k < end; ++k) {
            const int32_t col = col_of(c, c->sorted[k]);
            if (out > start && P->col_ind[out - 1] == col)
                continue;
            c->first[out] = k;
            P->col_ind[out++] = col;
        }
        P->row_ptr[i + 1] = out;
    }
    c->first[out] = c->images;
    P->nnz = out;
}

// ------------------------------------------------------------------- sources

// The caller's number of entry (r, s), real or complex, of an image.
static uint32_t entry_of(const struct composition *c, image m, int r, int s)
{
    const struct lcl_layout_arrays *A = &c->arrays;
    const int b = lcl_layout_block(c->L);
    const int row = m & 1 ? s : r, col = m & 1 ? r : s;
    int64_t k = m >> 1, before = 0;
    int p = 0;
    for (; k >= A->blocks[p]; ++p) {
        k -= A->blocks[p];
        before += A->blocks[p] * b * b;
    }
    switch (c->L->order) {
    case LCL_BLOCK_BY_ROWS:
        return (uint32_t)(before + (k * b + row) * b + col);
    case LCL_BLOCK_BY_COLUMNS:
        return (uint32_t)(before + (k * b + col) * b + row);
    case LCL_BLOCK_BY_COMPONENTS:
    case LCL_BLOCK_ORDER_COUNT:
        break;
    }
    return (uint32_t)(before + (row * b + col) * A->blocks[p] + k);
}

// The caller's number of value (r, s) of an image. A complex entry is the block
// [[re, -im], [im, re]].
static uint32_t value_of(const struct composition *c, image m, int r, int s)
{
    if (!c->L->is_complex)
        return entry_of(c, m, r, s);
    const bool imaginary = (r ^ s) & 1, conjugate = m & 1 && c->L->hermitian;
    const uint32_t value = 2 * entry_of(c, m, r / 2, s / 2) + imaginary;
    return imaginary && (s & 1) != conjugate ? value | LCL_NEGATED : value;
}

// The sources of value (r, s) of block t; of several, group *g with a list that
// ends at *end.
static uint32_t source_of(struct lcl_composed *C, const struct composition *c,
                          int64_t t, int r, int s, int64_t *g, uint32_t *end)
{
    const int64_t from = c->first[t], to = c->first[t + 1];
    if (to - from == 1)
        return value_of(c, c->sorted[from], r, s);
    for (int64_t k = from; k < to; ++k)
        C->list[(*end)++] = value_of(c, c->sorted[k], r, s);
    C->start[*g + 1] = *end;
    return (uint32_t)(C->entries + (*g)++);
}

static void find_sources(struct lcl_composed *C, const struct composition *c)
{
    const int b = c->block;
    int64_t group = 0;
    uint32_t end = 0;
    C->start[0] = 0;
    for (int64_t t = 0; t < C->pattern.nnz; ++t)
        for (int r = 0; r < b; ++r)
            for (int s = 0; s < b; ++s)
                C->source[(t * b + r) * b + s] =
                    source_of(C, c, t, r, s, &group, &end);
}

// The number of blocks with several images, and their images.
static int64_t count_sums(const struct composition *c, int64_t nnz,
                          int64_t *images)
{
    int64_t sums = 0;
    *images = 0;
    for (int64_t t = 0; t < nnz; ++t) {
        const int64_t count = c->first[t + 1] - c->first[t];
        sums += count > 1;
        *images += count > 1 ? count : 0;
    }
    return sums;
}

static void drop_own_order(struct lcl_composed *C, int64_t values)
{
    if (values != C->entries)
        return;
    for (int64_t v = 0; v < values; ++v)
        if (C->source[v] != v)
            return;
    lcl_free(C->source);
    C->source = NULL;
}

static enum lcl_status make_sources(struct lcl_composed *C,
                                    const struct composition *c,
                                    const struct lcl_log *log)
{
    const int64_t size = (int64_t)c->block * c->block;
    const int64_t values = C->pattern.nnz * size;
    const int64_t limit = c->L->is_complex ? INT32_MAX : UINT32_MAX;
    int64_t images;
    C->entries = c->blocks * lcl_layout_values(c->L);
    C->groups = count_sums(c, C->pattern.nnz, &images) * size;
    if (images * size > UINT32_MAX || values > UINT32_MAX ||
        C->entries + C->groups >= limit)
        return lcl_fail(log, LCL_ERANGE,
                        "layout: %lld values in %lld places, expected less "
                        "than %s",
                        (long long)C->entries, (long long)values,
                        c->L->is_complex ? "2^31 - 1" : "2^32 - 1");
    C->source = lcl_malloc((size_t)values, sizeof *C->source);
    C->start = lcl_malloc((size_t)C->groups + 1, sizeof *C->start);
    C->list = lcl_malloc((size_t)(images * size), sizeof *C->list);
    if (!C->source || !C->start || !C->list)
        return lcl_fail_memory(log, "the sources of values");
    find_sources(C, c);
    drop_own_order(C, values);
    return LCL_OK;
}

// ------------------------------------------------------------------- compose

static enum lcl_status allocate_positions(struct composition *c,
                                          const struct lcl_log *log)
{
    c->row = lcl_malloc((size_t)c->blocks, sizeof *c->row);
    c->col = lcl_malloc((size_t)c->blocks, sizeof *c->col);
    return c->row && c->col ? LCL_OK
                            : lcl_fail_memory(log, "positions of a matrix");
}

static enum lcl_status allocate_images(struct composition *c, struct lcl_bsr *P,
                                       const struct lcl_log *log)
{
    const size_t rows = (size_t)P->rows;
    c->images = c->blocks;
    for (int64_t k = 0; k < c->blocks; ++k)
        c->images += has_mirror(c, k);
    const size_t images = (size_t)c->images;
    c->sorted = lcl_malloc(images, sizeof *c->sorted);
    c->scratch = lcl_malloc(images, sizeof *c->scratch);
    c->first = lcl_malloc(images + 1, sizeof *c->first);
    P->row_ptr = lcl_calloc(rows + 1, sizeof *P->row_ptr);
    P->col_ind = lcl_malloc(images, sizeof *P->col_ind);
    return c->sorted && c->scratch && c->first && P->row_ptr && P->col_ind
               ? LCL_OK
               : lcl_fail_memory(log, "the pattern of a matrix");
}

static enum lcl_status compose(struct lcl_composed *C, struct composition *c,
                               const struct lcl_log *log)
{
    enum lcl_status st;
    if ((st = allocate_positions(c, log)) < 0)
        return st;
    list_positions(c);
    if ((st = allocate_images(c, &C->pattern, log)) < 0)
        return st;
    list_images(c);
    if ((st = sort_images(c, &C->pattern, log)) < 0)
        return st;
    merge_images(c, &C->pattern);
    return make_sources(C, c, log);
}

enum lcl_status lcl_layout_compose(struct lcl_composed *C,
                                   const struct lcl_layout *L,
                                   const struct lcl_log *log)
{
    struct composition c = {
        .L = L,
        .arrays = lcl_layout_arrays(L),
        .block = lcl_layout_real_block(L),
        .blocks = lcl_layout_blocks(L),
        .symmetric = L->type == LCL_LAYOUT_LDU
                         ? !L->lower
                         : L->triangle != LCL_TRIANGLE_BOTH,
    };
    *C = (struct lcl_composed){
        .pattern = {.rows = L->rows,
                    .cols = lcl_layout_cols(L),
                    .block_size = c.block},
        .is_complex = L->is_complex,
    };
    const enum lcl_status st = compose(C, &c, log);
    lcl_free(c.row);
    lcl_free(c.col);
    lcl_free(c.sorted);
    lcl_free(c.scratch);
    lcl_free(c.first);
    return st;
}

void lcl_composed_finish(struct lcl_composed *C)
{
    lcl_bsr_finish(&C->pattern);
    lcl_free(C->source);
    lcl_free(C->start);
    lcl_free(C->list);
    *C = (struct lcl_composed){0};
}

// ------------------------------------------------------------------- CSR

static uint32_t without_sign(const struct lcl_composed *C, uint32_t s)
{
    return C->is_complex ? s & ~LCL_NEGATED : s;
}

// Value s of the caller's arrays, one after the other.
static double given(const struct lcl_composed *C,
                    const struct lcl_layout_arrays *A, uint32_t s)
{
    const int size = lcl_block_values(&C->pattern);
    const int values = C->is_complex ? size / 2 : size;
    int64_t k = without_sign(C, s);
    int p = 0;
    for (; k >= A->blocks[p] * values; ++p)
        k -= A->blocks[p] * values;
    return C->is_complex && s & LCL_NEGATED ? -A->val[p][k] : A->val[p][k];
}

static double value_at(const struct lcl_composed *C,
                       const struct lcl_layout_arrays *A, int64_t v)
{
    const uint32_t s = C->source ? C->source[v] : (uint32_t)v;
    const int64_t g = without_sign(C, s) - C->entries;
    if (g < 0)
        return given(C, A, s);
    double sum = given(C, A, C->list[C->start[g]]);
    for (uint32_t k = C->start[g] + 1; k < C->start[g + 1]; ++k)
        sum += given(C, A, C->list[k]);
    return sum;
}

static void fill_row(struct lcl_csr *A, int64_t row,
                     const struct lcl_composed *C,
                     const struct lcl_layout_arrays *from)
{
    const struct lcl_bsr *P = &C->pattern;
    const int64_t b = P->block_size, i = row / b, r = row % b;
    int64_t out = A->row_ptr[row];
    for (int64_t t = P->row_ptr[i]; t < P->row_ptr[i + 1]; ++t)
        for (int64_t s = 0; s < b; ++s) {
            A->col_ind[out] = (int32_t)(P->col_ind[t] * b + s);
            A->val[out++] = value_at(C, from, (t * b + r) * b + s);
        }
    A->row_ptr[row + 1] = out;
}

static enum lcl_status expand(struct lcl_csr *A, const struct lcl_composed *C,
                              const struct lcl_layout *L,
                              const struct lcl_log *log)
{
    const struct lcl_layout_arrays from = lcl_layout_arrays(L);
    const struct lcl_bsr *P = &C->pattern;
    *A = (struct lcl_csr){
        .rows = P->rows * P->block_size,
        .cols = P->cols * P->block_size,
        .nnz = P->nnz * lcl_block_values(P),
    };
    A->row_ptr = lcl_calloc((size_t)A->rows + 1, sizeof *A->row_ptr);
    A->col_ind = lcl_malloc((size_t)A->nnz, sizeof *A->col_ind);
    A->val = lcl_malloc((size_t)A->nnz, sizeof *A->val);
    if (!A->row_ptr || !A->col_ind || !A->val) {
        lcl_csr_finish(A);
        return lcl_fail_memory(log, "the matrix");
    }
    for (int64_t i = 0; i < A->rows; ++i)
        fill_row(A, i, C, &from);
    return LCL_OK;
}

enum lcl_status lcl_csr_from_layout(struct lcl_csr *A,
                                    const struct lcl_layout *L,
                                    const struct lcl_log *log)
{
    struct lcl_composed C;
    enum lcl_status st;
    if (!A)
        return lcl_misuse(log, "lcl_csr_from_layout: an argument is NULL");
    *A = (struct lcl_csr)LCL_CSR_INIT;
    if ((st = lcl_layout_check(L, log)) < 0)
        return st;
    if ((st = lcl_layout_compose(&C, L, log)) == LCL_OK)
        st = expand(A, &C, L, log);
    lcl_composed_finish(&C);
    return st;
}
