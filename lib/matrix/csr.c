// SPDX-License-Identifier: BSD-3-Clause
// Operations on the public CSR and dense structs.
#include "lib/matrix/csr.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/parallel.h"

#include <levelcl/matrix.h>

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

void lcl_csr_finish(struct lcl_csr *A)
{
    if (!A)
        return;
    lcl_free(A->row_ptr);
    lcl_free(A->col_ind);
    lcl_free(A->val);
    *A = (struct lcl_csr){0};
}

void lcl_dense_finish(struct lcl_dense *X)
{
    if (!X)
        return;
    lcl_free(X->val);
    *X = (struct lcl_dense){0};
}

// ------------------------------------------------------------------- values

// An exponent of all ones overflows into the sign bit.
static bool all_finite(const double *val, int64_t from, int64_t to)
{
    const uint64_t exponent = 0x7ff0000000000000, last = 0x0010000000000000;
    uint64_t carry = 0;
    for (int64_t k = from; k < to; ++k) {
        uint64_t bits;
        memcpy(&bits, &val[k], sizeof bits);
        carry |= (bits & exponent) + last;
    }
    return carry >> 63 == 0;
}

struct values {
    const double *val;
    int64_t count, chunks;
    bool finite[LCL_CHUNKS_MAX];
};

static void look_at_values(void *arg, int64_t chunk)
{
    struct values *V = arg;
    V->finite[chunk] =
        all_finite(V->val, lcl_chunk_start(V->count, V->chunks, chunk),
                   lcl_chunk_start(V->count, V->chunks, chunk + 1));
}

int64_t lcl_find_not_finite(const double *val, int64_t count)
{
    struct values V = {.val = val, .count = count, .chunks = lcl_chunks(count)};
    lcl_parallel(V.chunks, look_at_values, &V);
    for (int64_t c = 0; c < V.chunks; ++c) {
        if (V.finite[c])
            continue;
        int64_t k = lcl_chunk_start(count, V.chunks, c);
        while (isfinite(val[k]))
            ++k;
        return k;
    }
    return -1;
}

// ------------------------------------------------------------------- pattern

enum lcl_status lcl_csr_check_counts(const struct lcl_csr *A, const char *what,
                                     const struct lcl_log *log)
{
    if (A->rows < 1 || A->cols < 1 || A->nnz < 0)
        return lcl_fail(log, LCL_EFORMAT,
                        "%s: expected at least one row and column, found "
                        "%" PRId64 " x %" PRId64 " with %" PRId64 " entries",
                        what, A->rows, A->cols, A->nnz);
    if (A->rows > INT32_MAX || A->cols > INT32_MAX)
        return lcl_fail(log, LCL_EFORMAT,
                        "%s: expected at most %d rows and columns, found "
                        "%" PRId64 " x %" PRId64,
                        what, INT32_MAX, A->rows, A->cols);
    return LCL_OK;
}

struct row_ptrs {
    const struct lcl_csr *A;
    int64_t chunks;
    bool sound[LCL_CHUNKS_MAX];
};

// Whether no row pointer of the chunk is negative, above nnz, or below its
// predecessor.
static void look_at_row_ptrs(void *arg, int64_t chunk)
{
    struct row_ptrs *R = arg;
    const struct lcl_csr *A = R->A;
    const int64_t end = lcl_chunk_start(A->rows, R->chunks, chunk + 1);
    uint64_t signs = 0;
    for (int64_t i = lcl_chunk_start(A->rows, R->chunks, chunk); i < end; ++i) {
        const uint64_t from = (uint64_t)A->row_ptr[i];
        const uint64_t to = (uint64_t)A->row_ptr[i + 1];
        signs |= to | (to - from) | ((uint64_t)A->nnz - to);
    }
    R->sound[chunk] = signs >> 63 == 0;
}

static bool row_ptrs_are_sound(const struct lcl_csr *A)
{
    struct row_ptrs R = {.A = A, .chunks = lcl_chunks(A->rows)};
    bool sound = true;
    lcl_parallel(R.chunks, look_at_row_ptrs, &R);
    for (int64_t c = 0; c < R.chunks; ++c)
        sound = sound && R.sound[c];
    return sound;
}

static enum lcl_status check_row_ptr(const struct lcl_csr *A, const char *what,
                                     const struct lcl_log *log)
{
    if (A->row_ptr[0] != 0)
        return lcl_fail(log, LCL_EFORMAT,
                        "%s: row 0 starts at entry %" PRId64 ", expected 0",
                        what, A->row_ptr[0]);
    const bool sound = row_ptrs_are_sound(A);
    for (int64_t i = 0; !sound && i < A->rows; ++i)
        if (A->row_ptr[i + 1] < A->row_ptr[i] || A->row_ptr[i + 1] > A->nnz)
            return lcl_fail(log, LCL_EFORMAT,
                            "%s: row %" PRId64 " ends at entry %" PRId64
                            ", expected %" PRId64 " to %" PRId64,
                            what, i, A->row_ptr[i + 1], A->row_ptr[i], A->nnz);
    if (A->row_ptr[A->rows] != A->nnz)
        return lcl_fail(log, LCL_EFORMAT,
                        "%s: the last row %" PRId64 " ends at entry "
                        "%" PRId64 ", expected %" PRId64,
                        what, A->rows - 1, A->row_ptr[A->rows], A->nnz);
    return LCL_OK;
}

static enum lcl_status check_columns(const struct lcl_csr *A, const char *what,
                                     int64_t i, const struct lcl_log *log)
{
    int64_t previous = -1;
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
        const int64_t j = A->col_ind[k];
        if (j < 0 || j >= A->cols)
            return lcl_fail(log, LCL_EFORMAT,
                            "%s: row %" PRId64 " has column %" PRId64
                            ", expected 0 to %" PRId64,
                            what, i, j, A->cols - 1);
        if (j <= previous)
            return lcl_fail(log, LCL_EFORMAT,
                            "%s: row %" PRId64 " has column %" PRId64
                            " after %" PRId64 ", expected ascending columns",
                            what, i, j, previous);
        previous = j;
    }
    return LCL_OK;
}

// Whether the rows `first` to last-1, whose row pointers are valid, have valid
// columns: none out of range, and no more descents than row starts among them.
static bool columns_are_sound(const struct lcl_csr *A, int64_t first,
                              int64_t last)
{
    const int32_t *col = A->col_ind;
    const uint32_t cols = (uint32_t)A->cols;
    const int64_t from = A->row_ptr[first], to = A->row_ptr[last];
    uint32_t outside = 0, descents = 0;
    if (from == to)
        return true;
    for (int64_t k = from + 1; k < to; ++k) {
        outside |= (uint32_t)col[k] >= cols;
        descents += col[k] <= col[k - 1];
    }
    for (int64_t i = first; i < last; ++i) {
        const int64_t k = A->row_ptr[i];
        if (k > from && k < A->row_ptr[i + 1])
            descents -= col[k] <= col[k - 1];
    }
    return (uint32_t)col[from] < cols && outside == 0 && descents == 0;
}

struct columns {
    const struct lcl_csr *A;
    int64_t chunks;
    bool sound[LCL_CHUNKS_MAX];
};

static void look_at_columns(void *arg, int64_t chunk)
{
    struct columns *C = arg;
    const int64_t rows = C->A->rows;
    C->sound[chunk] =
        columns_are_sound(C->A, lcl_chunk_start(rows, C->chunks, chunk),
                          lcl_chunk_start(rows, C->chunks, chunk + 1));
}

static enum lcl_status check_all_columns(const struct lcl_csr *A,
                                         const char *what,
                                         const struct lcl_log *log)
{
    const int64_t chunks = lcl_chunks(A->nnz);
    struct columns C = {.A = A, .chunks = chunks < A->rows ? chunks : A->rows};
    enum lcl_status st = LCL_OK;
    lcl_parallel(C.chunks, look_at_columns, &C);
    for (int64_t c = 0; c < C.chunks && st == LCL_OK; ++c)
        for (int64_t i = lcl_chunk_start(A->rows, C.chunks, c);
             !C.sound[c] && st == LCL_OK; ++i)
            st = check_columns(A, what, i, log);
    return st;
}

enum lcl_status lcl_csr_check_pattern(const struct lcl_csr *A, const char *what,
                                      const struct lcl_log *log)
{
    enum lcl_status st;
    if ((st = lcl_csr_check_counts(A, what, log)) < 0 ||
        (st = check_row_ptr(A, what, log)) < 0)
        return st;
    return check_all_columns(A, what, log);
}

enum lcl_status lcl_csr_check_rows(const struct lcl_csr *A,
                                   const struct lcl_log *log)
{
    if (!A || !A->row_ptr || (A->nnz > 0 && (!A->col_ind || !A->val)))
        return lcl_misuse(log, "matrix: an array is NULL");
    const enum lcl_status st = lcl_csr_check_counts(A, "matrix", log);
    return st < 0 ? st : check_row_ptr(A, "matrix", log);
}

enum lcl_status lcl_csr_check(const struct lcl_csr *A,
                              const struct lcl_log *log)
{
    enum lcl_status st;
    if ((st = lcl_csr_check_rows(A, log)) < 0 ||
        (st = check_all_columns(A, "matrix", log)) < 0)
        return st;
    const int64_t k = lcl_find_not_finite(A->val, A->nnz);
    if (k < 0)
        return LCL_OK;
    return lcl_fail(log, LCL_EFORMAT,
                    "matrix: row %" PRId64 ", column %d has value %g, expected "
                    "a finite one",
                    lcl_csr_row_of(A, k), (int)A->col_ind[k], A->val[k]);
}

void lcl_csr_multiply(const struct lcl_csr *A, const double *x, double *y)
{
    for (int64_t i = 0; i < A->rows; ++i) {
        double sum = 0;
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            sum += A->val[k] * x[A->col_ind[k]];
        y[i] = sum;
    }
}

int64_t lcl_csr_row_of(const struct lcl_csr *A, int64_t k)
{
    int64_t low = 0, high = A->rows - 1;
    while (low < high) {
        const int64_t mid = low + (high - low) / 2;
        if (A->row_ptr[mid + 1] <= k)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

int64_t lcl_csr_seek(const struct lcl_csr *A, int64_t i, int64_t j)
{
    int64_t low = A->row_ptr[i], high = A->row_ptr[i + 1];
    while (low < high) {
        const int64_t mid = low + (high - low) / 2;
        if (A->col_ind[mid] < j)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

int64_t lcl_csr_find(const struct lcl_csr *A, int64_t i, int64_t j)
{
    const int64_t k = lcl_csr_seek(A, i, j);
    return k < A->row_ptr[i + 1] && A->col_ind[k] == j ? k : -1;
}
