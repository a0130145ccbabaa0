// SPDX-License-Identifier: BSD-3-Clause
// Operations on the public BSR struct.
#include "lib/matrix/bsr.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/parallel.h"
#include "lib/matrix/csr.h"
#include "lib/matrix/view.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

void lcl_bsr_finish(struct lcl_bsr *A)
{
    if (!A)
        return;
    lcl_free(A->row_ptr);
    lcl_free(A->col_ind);
    lcl_free(A->val);
    *A = (struct lcl_bsr){0};
}

// ---------------------------------------------------------------- checks

static enum lcl_status check_size(const struct lcl_bsr *A,
                                  const struct lcl_log *log)
{
    const int b = A->block_size;
    if (b < 1 || b > LCL_BLOCK_MAX)
        return lcl_fail(log, LCL_EFORMAT,
                        "block matrix: expected blocks of 1 to %d rows, found "
                        "%d",
                        LCL_BLOCK_MAX, b);
    if (A->rows > INT32_MAX / b || A->cols > INT32_MAX / b)
        return lcl_fail(log, LCL_EFORMAT,
                        "block matrix: expected at most %d rows and columns, "
                        "found %" PRId64 " x %" PRId64 " blocks of %d",
                        INT32_MAX, A->rows, A->cols, b);
    return LCL_OK;
}

enum lcl_status lcl_bsr_check(const struct lcl_bsr *A,
                              const struct lcl_log *log)
{
    if (!A || !A->row_ptr || (A->nnz > 0 && (!A->col_ind || !A->val)))
        return lcl_misuse(log, "block matrix: an array is NULL");
    const struct lcl_csr pattern = lcl_bsr_pattern(A);
    enum lcl_status st;
    if ((st = check_size(A, log)) < 0 ||
        (st = lcl_csr_check_pattern(&pattern, "block matrix", log)) < 0)
        return st;
    struct lcl_view V = lcl_view_of_csr(&pattern);
    V.values = lcl_block_values(A);
    return lcl_view_check_values(&V, "block matrix", log);
}

// ---------------------------------------------------------------- natural

// Whether row i consists of runs of b columns that start at multiples of b.
static bool is_made_of_runs(const struct lcl_csr *A, int64_t i, int b)
{
    const int64_t from = A->row_ptr[i], to = A->row_ptr[i + 1];
    if ((to - from) % b != 0)
        return false;
    for (int64_t k = from; k < to; k += b) {
        if (A->col_ind[k] % b != 0)
            return false;
        for (int c = 1; c < b; ++c)
            if (A->col_ind[k + c] != A->col_ind[k] + c)
                return false;
    }
    return true;
}

static bool has_pattern_of(const struct lcl_csr *A, int64_t i, int64_t other)
{
    const int64_t length = A->row_ptr[i + 1] - A->row_ptr[i];
    return length == A->row_ptr[other + 1] - A->row_ptr[other] &&
           memcmp(A->col_ind + A->row_ptr[i], A->col_ind + A->row_ptr[other],
                  (size_t)length * sizeof *A->col_ind) == 0;
}

// The rows in chunks of whole blocks, until one does not fit.
struct fit {
    const struct lcl_csr *A;
    int b;
    int64_t chunks;
    atomic_bool refused;
};

static void fit_chunk(void *arg, int64_t chunk)
{
    struct fit *f = arg;
    const int b = f->b;
    const int64_t blocks = f->A->rows / b;
    const int64_t end = lcl_chunk_start(blocks, f->chunks, chunk + 1) * b;
    for (int64_t i = lcl_chunk_start(blocks, f->chunks, chunk) * b;
         i < end && !atomic_load_explicit(&f->refused, memory_order_relaxed);
         ++i) {
        const int64_t first = i - i % b;
        if (i == first ? !is_made_of_runs(f->A, i, b)
                       : !has_pattern_of(f->A, i, first))
            atomic_store(&f->refused, true);
    }
}

// Most matrices without blocks fail in their first rows, before any thread
// starts.
bool lcl_csr_has_blocks(const struct lcl_csr *A, int b)
{
    struct fit f = {.A = A, .b = b, .chunks = lcl_chunks(A->rows)};
    if (A->rows % b != 0 || A->cols % b != 0 ||
        (A->rows > 0 && !is_made_of_runs(A, 0, b)))
        return false;
    lcl_parallel(f.chunks, fit_chunk, &f);
    return !atomic_load(&f.refused);
}

int lcl_csr_natural_block(const struct lcl_csr *A)
{
    if (!A || A->nnz == 0)
        return 1;
    int b = LCL_BLOCK_MAX;
    while (b > 1 && !lcl_csr_has_blocks(A, b))
        --b;
    return b;
}

// ---------------------------------------------------------------- conversion

// A walk through the rows of one block row in parallel: the rest of each row.
struct walk {
    const struct lcl_csr *A;
    int b;
    int64_t next[LCL_BLOCK_MAX], end[LCL_BLOCK_MAX];
};

static void walk_begin(struct walk *w, int64_t block_row)
{
    for (int r = 0; r < w->b; ++r) {
        w->next[r] = w->A->row_ptr[block_row * w->b + r];
        w->end[r] = w->A->row_ptr[block_row * w->b + r + 1];
    }
}

// Block column of the next block, -1 after the last.
static int32_t walk_column(const struct walk *w)
{
    int32_t column = -1;
    for (int r = 0; r < w->b; ++r) {
        if (w->next[r] == w->end[r])
            continue;
        const int32_t own = w->A->col_ind[w->next[r]] / w->b;
        if (column < 0 || own < column)
            column = own;
    }
    return column;
}

// Skips the block in that column. Writes the positions of its entries, counted
// from `at`, to `place` unless that is NULL.
static void walk_past(struct walk *w, int32_t column, int64_t at,
                      int64_t *place)
{
    const int b = w->b;
    for (int r = 0; r < b; ++r)
        for (; w->next[r] < w->end[r]; ++w->next[r]) {
            const int32_t j = w->A->col_ind[w->next[r]];
            if (j / b != column)
                break;
            if (place)
                place[w->next[r]] = at + (int64_t)r * b + j % b;
        }
}

static void count_blocks(struct lcl_bsr *B, const struct lcl_csr *A)
{
    struct walk w = {.A = A, .b = B->block_size};
    for (int64_t i = 0; i < B->rows; ++i) {
        walk_begin(&w, i);
        for (int32_t j; (j = walk_column(&w)) >= 0; ++B->nnz)
            walk_past(&w, j, 0, NULL);
        B->row_ptr[i + 1] = B->nnz;
    }
}

static void find_places(struct lcl_bsr *B, const struct lcl_csr *A,
                        int64_t *place)
{
    struct walk w = {.A = A, .b = B->block_size};
    int64_t block = 0;
    for (int64_t i = 0; i < B->rows; ++i) {
        walk_begin(&w, i);
        for (int32_t j; (j = walk_column(&w)) >= 0; ++block) {
            walk_past(&w, j, block * lcl_block_values(B), place);
            B->col_ind[block] = j;
        }
    }
}

static enum lcl_status allocate_blocks(struct lcl_bsr *B)
{
    const size_t blocks = (size_t)B->nnz;
    B->col_ind = lcl_malloc(blocks, sizeof *B->col_ind);
    B->val = lcl_calloc(blocks, (size_t)lcl_block_values(B) * sizeof *B->val);
    return B->col_ind && B->val ? LCL_OK : LCL_ENOMEM;
}

static enum lcl_status convert(struct lcl_bsr *B, int64_t *place,
                               const struct lcl_csr *A,
                               const struct lcl_log *log)
{
    B->row_ptr = lcl_calloc((size_t)B->rows + 1, sizeof *B->row_ptr);
    if (!place || !B->row_ptr)
        return lcl_fail_memory(log, "the block matrix");
    count_blocks(B, A);
    if (allocate_blocks(B) < 0)
        return lcl_fail_memory(log, "the block matrix");
    find_places(B, A, place);
    for (int64_t k = 0; k < A->nnz; ++k)
        B->val[place[k]] = A->val[k];
    return LCL_OK;
}

enum lcl_status lcl_block_size_check(int64_t rows, int64_t cols, int b,
                                     const struct lcl_log *log)
{
    if (b < 1 || b > LCL_BLOCK_MAX)
        return lcl_fail(log, LCL_EINVAL,
                        "block size %d: expected a number from 1 to %d", b,
                        LCL_BLOCK_MAX);
    if (rows % b != 0 || cols % b != 0)
        return lcl_fail(log, LCL_EINVAL,
                        "block size %d does not divide the matrix, which is "
                        "%" PRId64 " x %" PRId64,
                        b, rows, cols);
    return LCL_OK;
}

enum lcl_status lcl_bsr_from_csr_placed(struct lcl_bsr *out, int64_t **place,
                                        const struct lcl_csr *A, int block_size,
                                        const struct lcl_log *log)
{
    const int b = block_size;
    enum lcl_status st = lcl_block_size_check(A->rows, A->cols, b, log);
    *out = (struct lcl_bsr){0};
    *place = NULL;
    if (st < 0)
        return st;
    struct lcl_bsr B = {
        .rows = A->rows / b, .cols = A->cols / b, .block_size = b};
    int64_t *places = lcl_malloc((size_t)A->nnz, sizeof *places);
    if ((st = convert(&B, places, A, log)) < 0) {
        lcl_free(places);
        lcl_bsr_finish(&B);
        return st;
    }
    *out = B;
    *place = places;
    return LCL_OK;
}

enum lcl_status lcl_bsr_from_csr(struct lcl_bsr *out, const struct lcl_csr *A,
                                 int block_size, const struct lcl_log *log)
{
    int64_t *place;
    if (out)
        *out = (struct lcl_bsr){0};
    if (!out || !A || !A->row_ptr)
        return lcl_misuse(log, "lcl_bsr_from_csr: an argument is NULL");
    const enum lcl_status st =
        lcl_bsr_from_csr_placed(out, &place, A, block_size, log);
    lcl_free(place);
    return st;
}

// ---------------------------------------------------------------- product

void lcl_bsr_multiply(const struct lcl_bsr *A, const double *x, double *y)
{
    const int b = A ? A->block_size : 1;
    const int64_t rows = A && x && y ? A->rows * b : 0;
    for (int64_t row = 0; row < rows; ++row) {
        double sum = 0;
        for (int64_t k = A->row_ptr[row / b]; k < A->row_ptr[row / b + 1]; ++k)
            for (int c = 0; c < b; ++c)
                sum += A->val[(k * b + row % b) * b + c] *
                       x[(int64_t)A->col_ind[k] * b + c];
        y[row] = sum;
    }
}
