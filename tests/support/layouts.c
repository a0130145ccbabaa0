// SPDX-License-Identifier: BSD-3-Clause
// Random matrices in layouts of a caller.
#include "tests/support/test.h"

#include "tests/support/layouts.h"

#include "tests/support/matrices.h"

#include <stdlib.h>

static int64_t below(uint64_t *state, int64_t limit)
{
    return (int64_t)(test_random(state) * (double)limit);
}

static int block_of(const struct test_layout *T)
{
    return T->L.block_size ? T->L.block_size : 1;
}

// Numbers of an entry.
static int parts_of(const struct test_layout *T)
{
    return T->L.is_complex ? 2 : 1;
}

static int64_t cols_of(const struct test_layout *T)
{
    return T->L.cols ? T->L.cols : T->L.rows;
}

// ------------------------------------------------------------------- pattern

static void swap(int32_t *a, int32_t *b)
{
    const int32_t kept = *a;
    *a = *b;
    *b = kept;
}

static void make_entry(struct test_layout *T, int64_t k, uint64_t *state)
{
    const bool ldu = T->L.type == LCL_LAYOUT_LDU;
    int32_t *row = &T->row[k], *col = &T->col[k];
    *row = (int32_t)below(state, T->L.rows);
    *col = (int32_t)below(state, cols_of(T));
    if (ldu && *row == *col)
        *col = *row == 0 ? 1 : 0;
    if (T->L.triangle == LCL_TRIANGLE_LOWER          ? *row < *col
        : T->L.triangle == LCL_TRIANGLE_UPPER || ldu ? *row > *col
                                                     : false)
        swap(row, col);
    *row += T->L.base;
    *col += T->L.base;
}

static int compare(const void *a, const void *b)
{
    return *(const int32_t *)a - *(const int32_t *)b;
}

// Rows of the entries, which are sorted by row afterwards, before columns are
// drawn again.
static void make_row_ptr(struct test_layout *T, bool wide, uint64_t *state)
{
    const int64_t rows = T->L.rows, base = T->L.base;
    qsort(T->row, (size_t)T->L.nnz, sizeof *T->row, compare);
    for (int64_t i = 0, k = 0; i <= rows; ++i) {
        while (k < T->L.nnz && T->row[k] - base < i)
            ++k;
        T->row_ptr[i] = k + base;
        T->row_ptr32[i] = (int32_t)(k + base);
    }
    for (int64_t k = 0; k < T->L.nnz; ++k) {
        const int64_t i = T->row[k] - base;
        const int64_t from = T->L.triangle == LCL_TRIANGLE_UPPER ? i : 0;
        const int64_t to =
            T->L.triangle == LCL_TRIANGLE_LOWER ? i + 1 : cols_of(T);
        T->col[k] = (int32_t)(from + below(state, to - from) + base);
    }
    T->L.row_ptr = wide ? T->row_ptr : NULL;
    T->L.row_ptr32 = wide ? NULL : T->row_ptr32;
}

void test_layout_init(struct test_layout *T, const struct lcl_layout *L,
                      bool lower, bool wide, unsigned seed)
{
    const bool ldu = L->type == LCL_LAYOUT_LDU;
    const size_t count = (size_t)L->nnz + 1;
    uint64_t state = seed;
    *T = (struct test_layout){.L = *L};
    const int64_t size = block_of(T) * block_of(T) * parts_of(T);
    T->values = (ldu ? L->rows + (lower ? 2 : 1) * L->nnz : L->nnz) * size;
    T->row_ptr = calloc((size_t)L->rows + 1, sizeof *T->row_ptr);
    T->row_ptr32 = calloc((size_t)L->rows + 1, sizeof *T->row_ptr32);
    T->row = calloc(count, sizeof *T->row);
    T->col = calloc(count, sizeof *T->col);
    T->val = calloc((size_t)T->values + 1, sizeof *T->val);
    assert_true(T->row_ptr && T->row_ptr32 && T->row && T->col && T->val);
    for (int64_t k = 0; k < L->nnz; ++k)
        make_entry(T, k, &state);
    if (L->type == LCL_LAYOUT_CSR)
        make_row_ptr(T, wide, &state);
    T->L.row = L->type == LCL_LAYOUT_CSR ? NULL : T->row;
    T->L.col = T->col;
    T->L.val = T->val;
    T->L.upper = ldu ? T->val + L->rows * size : NULL;
    T->L.lower = ldu && lower ? T->L.upper + L->nnz * size : NULL;
    test_layout_renew(T, seed + 1);
}

void test_layout_finish(struct test_layout *T)
{
    free(T->row_ptr);
    free(T->row_ptr32);
    free(T->row);
    free(T->col);
    free(T->val);
}

// ------------------------------------------------------------------- values

// The place of value (r, c) of block k of `count`.
static int64_t place_of(const struct test_layout *T, int64_t count, int64_t k,
                        int r, int c)
{
    const int b = block_of(T);
    const int64_t places[] = {
        [LCL_BLOCK_BY_ROWS] = k * b * b + r * b + c,
        [LCL_BLOCK_BY_COLUMNS] = k * b * b + c * b + r,
        [LCL_BLOCK_BY_COMPONENTS] = (r * b + c) * count + k,
    };
    return places[T->L.order];
}

void test_layout_renew(struct test_layout *T, unsigned seed)
{
    uint64_t state = seed;
    for (int64_t v = 0; v < T->values; ++v)
        T->val[v] = 2 * test_random(&state) - 1;
    for (int64_t i = 0; T->L.type == LCL_LAYOUT_LDU && i < T->L.rows; ++i)
        for (int r = 0; r < block_of(T); ++r)
            T->val[place_of(T, T->L.rows, i, r, r) * parts_of(T)] +=
                4 * (double)(T->L.nnz * block_of(T)) / (double)T->L.rows + 9;
}

struct dense {
    const struct test_layout *T;
    double *at;
    bool *set;
};

// Value (r, c) of a block in real form.
static double value_of(const struct test_layout *T, const double *val,
                       int64_t count, int64_t k, int r, int c, bool mirrored)
{
    const int parts = parts_of(T), i = r / parts, j = c / parts;
    const int64_t place =
        mirrored ? place_of(T, count, k, j, i) : place_of(T, count, k, i, j);
    if (parts == 1)
        return val[place];
    const bool conjugate = mirrored && T->L.hermitian;
    const double re = val[2 * place];
    const double im = conjugate ? -val[2 * place + 1] : val[2 * place + 1];
    return r % 2 == c % 2 ? re : r % 2 ? im : -im;
}

static void add_block(const struct dense *D, int64_t i, int64_t j,
                      const double *val, int64_t count, int64_t k,
                      bool transposed)
{
    const int b = block_of(D->T) * parts_of(D->T);
    const int64_t cols = cols_of(D->T) * b;
    for (int r = 0; r < b; ++r)
        for (int c = 0; c < b; ++c) {
            const double v = value_of(D->T, val, count, k, r, c, transposed);
            const int64_t at = (i * b + r) * cols + j * b + c;
            D->at[at] = D->set[at] ? D->at[at] + v : v;
            D->set[at] = true;
        }
}

static void add_entries(const struct dense *D)
{
    const struct lcl_layout *L = &D->T->L;
    for (int64_t k = 0; k < L->nnz; ++k) {
        const int64_t i = D->T->row[k] - L->base, j = L->col[k] - L->base;
        add_block(D, i, j, L->val, L->nnz, k, false);
        if (L->triangle != LCL_TRIANGLE_BOTH && i != j)
            add_block(D, j, i, L->val, L->nnz, k, true);
    }
}

static void add_faces(const struct dense *D)
{
    const struct lcl_layout *L = &D->T->L;
    for (int64_t i = 0; i < L->rows; ++i)
        add_block(D, i, i, L->val, L->rows, i, false);
    for (int64_t f = 0; f < L->nnz; ++f) {
        const int64_t i = L->row[f] - L->base, j = L->col[f] - L->base;
        add_block(D, i, j, L->upper, L->nnz, f, false);
        add_block(D, j, i, L->lower ? L->lower : L->upper, L->nnz, f,
                  !L->lower);
    }
}

double *test_layout_dense(const struct test_layout *T)
{
    const int b = block_of(T) * parts_of(T);
    const size_t count = (size_t)(T->L.rows * cols_of(T) * b * b);
    const struct dense D = {T, calloc(count, sizeof *D.at),
                            calloc(count, sizeof *D.set)};
    assert_true(D.at && D.set);
    if (T->L.type == LCL_LAYOUT_LDU)
        add_faces(&D);
    else
        add_entries(&D);
    free(D.set);
    return D.at;
}
