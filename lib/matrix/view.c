// SPDX-License-Identifier: BSD-3-Clause
// Consecutive rows of a matrix, and checks of them. Chunks of rows are looked
// at in parallel and without branches; only where one is wrong, a second look
// finds the fault.
#include "lib/matrix/view.h"

#include "host/log.h"
#include "host/parallel.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct lcl_view lcl_view_of_csr(const struct lcl_csr *A)
{
    return (struct lcl_view){.rows = A->rows,
                             .cols = A->cols,
                             .row_ptr = A->row_ptr,
                             .narrow = A->col_ind,
                             .val = A->val,
                             .values = 1};
}

struct lcl_view lcl_view_of_rows(const struct lcl_rows *R, int values)
{
    return (struct lcl_view){.first = R->first,
                             .rows = R->rows,
                             .cols = R->total,
                             .row_ptr = R->row_ptr,
                             .wide = R->col,
                             .val = R->val,
                             .values = values};
}

struct lcl_view lcl_view_of_part(const struct lcl_csr *A, int64_t first,
                                 int64_t rows)
{
    const int64_t start = A->row_ptr[first];
    return (struct lcl_view){.first = first,
                             .rows = rows,
                             .cols = A->cols,
                             .row_ptr = A->row_ptr + first,
                             .narrow = A->col_ind + start,
                             .val = A->val ? A->val + start : NULL,
                             .values = A->val ? 1 : 0,
                             .sound = LCL_VIEW_ROWS};
}

static bool is_far(const struct lcl_view *V, int64_t k)
{
    const uint64_t column = (uint64_t)lcl_view_column(V, k);
    return column - (uint64_t)V->first >= (uint64_t)V->rows;
}

int64_t lcl_view_far(const struct lcl_view *V, int64_t from, int64_t to)
{
    int64_t far = 0, k = lcl_view_entry(V, from);
    for (int64_t i = from; i < to; ++i) {
        const int64_t end = lcl_view_entry(V, i + 1);
        if (k < end && (is_far(V, k) || is_far(V, end - 1)))
            for (int64_t e = k; e < end; ++e)
                far += is_far(V, e);
        k = end;
    }
    return far;
}

// ------------------------------------------------------------------- chunks

// A look at one chunk of rows.
struct look {
    const struct lcl_view *V;
    int64_t nnz, chunks;
    bool sound[LCL_CHUNKS_MAX];
};

static int64_t chunk_row(const struct look *L, int64_t chunk)
{
    return lcl_chunk_start(L->V->rows, L->chunks, chunk);
}

static void inspect_chunks(struct look *L, const struct lcl_view *V,
                           int64_t nnz, int64_t size, lcl_chunk_fn *fn)
{
    const int64_t chunks = lcl_chunks(size);
    L->V = V;
    L->nnz = nnz;
    L->chunks = chunks < V->rows ? chunks : V->rows;
    lcl_parallel(L->chunks, fn, L);
}

// ------------------------------------------------------------------- pointers

// Whether no row pointer of the chunk is negative, above nnz, or below its
// predecessor.
static void look_at_row_ptr(void *arg, int64_t chunk)
{
    struct look *L = arg;
    const int64_t end = chunk_row(L, chunk + 1);
    const int64_t *row_ptr = L->V->row_ptr;
    uint64_t signs = 0;
    for (int64_t i = chunk_row(L, chunk); i < end; ++i) {
        const uint64_t from = (uint64_t)row_ptr[i];
        const uint64_t to = (uint64_t)row_ptr[i + 1];
        signs |= to | (to - from) | ((uint64_t)L->nnz - to);
    }
    L->sound[chunk] = signs >> 63 == 0;
}

static enum lcl_status check_row_end(const struct look *L, int64_t i,
                                     const char *what,
                                     const struct lcl_log *log)
{
    const int64_t from = L->V->row_ptr[i], to = L->V->row_ptr[i + 1];
    return to < from || to > L->nnz
               ? lcl_fail(log, LCL_EFORMAT,
                          "%s: row %" PRId64 " ends at entry %" PRId64
                          ", expected %" PRId64 " to %" PRId64,
                          what, L->V->first + i, to, from, L->nnz)
               : LCL_OK;
}

enum lcl_status lcl_view_check_row_ptr(const struct lcl_view *V, int64_t nnz,
                                       const char *what,
                                       const struct lcl_log *log)
{
    struct look L;
    enum lcl_status st = LCL_OK;
    if (V->row_ptr[0] != 0)
        return lcl_fail(log, LCL_EFORMAT,
                        "%s: row %" PRId64 " starts at entry %" PRId64
                        ", expected 0",
                        what, V->first, V->row_ptr[0]);
    inspect_chunks(&L, V, nnz, V->rows, look_at_row_ptr);
    for (int64_t c = 0; c < L.chunks; ++c)
        for (int64_t i = chunk_row(&L, c);
             !L.sound[c] && i < chunk_row(&L, c + 1); ++i)
            if ((st = check_row_end(&L, i, what, log)) < 0)
                return st;
    if (V->row_ptr[V->rows] != nnz)
        return lcl_fail(log, LCL_EFORMAT,
                        "%s: the last row %" PRId64 " ends at entry %" PRId64
                        ", expected %" PRId64,
                        what, V->first + V->rows - 1, V->row_ptr[V->rows], nnz);
    return LCL_OK;
}

// ------------------------------------------------------------------- columns

// Whether the entries `from` to to-1 have columns in range; *descents counts
// the columns that do not exceed their predecessors.
static bool columns_are_in_range(const struct lcl_view *V, int64_t from,
                                 int64_t to, uint64_t *descents)
{
    const int32_t *narrow = V->narrow;
    const int64_t *wide = V->wide;
    const uint64_t cols = (uint64_t)V->cols;
    uint64_t outside = 0, below = 0;
    if (from == to)
        return true;
    outside = (uint64_t)lcl_view_column(V, from) >= cols;
    for (int64_t k = from + 1; narrow && k < to; ++k) {
        outside |= (uint32_t)narrow[k] >= (uint32_t)cols;
        below += narrow[k] <= narrow[k - 1];
    }
    for (int64_t k = from + 1; !narrow && k < to; ++k) {
        outside |= (uint64_t)wide[k] >= cols;
        below += wide[k] <= wide[k - 1];
    }
    *descents = below;
    return outside == 0;
}

bool lcl_view_row_is_sound(const struct lcl_view *V, int64_t i)
{
    uint64_t descents = 0;
    return columns_are_in_range(V, lcl_view_entry(V, i),
                                lcl_view_entry(V, i + 1), &descents) &&
           descents == 0;
}

// A chunk is sound if all columns are in range and there are no more descents
// than row starts among them.
static void look_at_columns(void *arg, int64_t chunk)
{
    struct look *L = arg;
    const struct lcl_view *V = L->V;
    const int64_t first = chunk_row(L, chunk), last = chunk_row(L, chunk + 1);
    const int64_t from = lcl_view_entry(V, first);
    uint64_t descents = 0;
    const bool in_range =
        columns_are_in_range(V, from, lcl_view_entry(V, last), &descents);
    for (int64_t i = first; i < last; ++i) {
        const int64_t k = lcl_view_entry(V, i);
        if (k > from && k < lcl_view_entry(V, i + 1))
            descents -= lcl_view_column(V, k) <= lcl_view_column(V, k - 1);
    }
    L->sound[chunk] = in_range && descents == 0;
}

static enum lcl_status check_columns(const struct lcl_view *V, int64_t i,
                                     const char *what,
                                     const struct lcl_log *log)
{
    int64_t previous = -1;
    for (int64_t k = lcl_view_entry(V, i); k < lcl_view_entry(V, i + 1); ++k) {
        const int64_t j = lcl_view_column(V, k);
        if (j < 0 || j >= V->cols)
            return lcl_fail(log, LCL_EFORMAT,
                            "%s: row %" PRId64 " has column %" PRId64
                            ", expected 0 to %" PRId64,
                            what, V->first + i, j, V->cols - 1);
        if (j <= previous)
            return lcl_fail(log, LCL_EFORMAT,
                            "%s: row %" PRId64 " has column %" PRId64
                            " after %" PRId64 ", expected ascending columns",
                            what, V->first + i, j, previous);
        previous = j;
    }
    return LCL_OK;
}

enum lcl_status lcl_view_check_columns(const struct lcl_view *V,
                                       const char *what,
                                       const struct lcl_log *log)
{
    struct look L;
    enum lcl_status st = LCL_OK;
    inspect_chunks(&L, V, lcl_view_nnz(V), lcl_view_nnz(V), look_at_columns);
    for (int64_t c = 0; c < L.chunks && st == LCL_OK; ++c)
        for (int64_t i = chunk_row(&L, c); !L.sound[c] && st == LCL_OK; ++i)
            st = check_columns(V, i, what, log);
    return st;
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

static int64_t row_of_entry(const struct lcl_view *V, int64_t k)
{
    int64_t i = 0;
    while (lcl_view_entry(V, i + 1) <= k)
        ++i;
    return V->first + i;
}

enum lcl_status lcl_view_check_values(const struct lcl_view *V,
                                      const char *what,
                                      const struct lcl_log *log)
{
    const int64_t v = lcl_find_not_finite(V->val, lcl_view_nnz(V) * V->values);
    if (v < 0)
        return LCL_OK;
    const int64_t k = v / V->values;
    return lcl_fail(log, LCL_EFORMAT,
                    "%s: row %" PRId64 ", column %" PRId64
                    " has value %g, expected a finite one",
                    what, row_of_entry(V, k), lcl_view_column(V, k), V->val[v]);
}

// ------------------------------------------------------------------- ranks

static enum lcl_status check_sizes(const struct lcl_view *V,
                                   const struct lcl_log *log)
{
    if (V->rows < 1 || V->first < 0 || V->cols < V->rows ||
        V->first > V->cols - V->rows)
        return lcl_fail(log, LCL_EFORMAT,
                        "%" PRId64 " rows after the first %" PRId64
                        " of %" PRId64
                        ": expected at least one, within the matrix",
                        V->rows, V->first, V->cols);
    if (V->rows > INT32_MAX)
        return lcl_fail(log, LCL_ERANGE,
                        "%" PRId64 " rows on one rank: expected at most %d",
                        V->rows, (int)INT32_MAX);
    return LCL_OK;
}

static bool lacks_an_array(const struct lcl_view *V)
{
    return !V->row_ptr ||
           (V->row_ptr[V->rows] != 0 &&
            ((!V->narrow && !V->wide) || (V->values > 0 && !V->val)));
}

static const char *name_of(const struct lcl_view *V)
{
    return V->values > 1 ? "block matrix" : "matrix";
}

enum lcl_status lcl_view_check_entries(const struct lcl_view *V,
                                       const struct lcl_log *log)
{
    const enum lcl_status st = lcl_view_check_columns(V, name_of(V), log);
    return st < 0 ? st : lcl_view_check_values(V, name_of(V), log);
}

enum lcl_status lcl_view_check_rank(const struct lcl_view *V,
                                    const struct lcl_log *log)
{
    enum lcl_status st;
    if (V->sound != LCL_VIEW_UNKNOWN)
        return LCL_OK;
    if ((st = check_sizes(V, log)) < 0)
        return st;
    if (lacks_an_array(V))
        return lcl_fail(log, LCL_EINVAL, "the rows of a rank lack an array");
    st = lcl_view_check_row_ptr(V, V->row_ptr[V->rows], name_of(V), log);
    return st < 0 ? st : lcl_view_check_entries(V, log);
}

enum lcl_status lcl_view_name_fault(const struct lcl_view *V,
                                    const struct lcl_log *log)
{
    const enum lcl_status st = lcl_view_check_entries(V, log);
    return st < 0 ? st
                  : lcl_fail(log, LCL_EFORMAT,
                             "the matrix changed during the check");
}
