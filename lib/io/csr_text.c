// SPDX-License-Identifier: BSD-3-Clause
// Reads a matrix from three files of numbers, and a vector from one file.
#include "host/alloc.h"
#include "host/log.h"
#include "lib/io/mm.h"
#include "lib/io/number.h"
#include "lib/io/text.h"

#include <inttypes.h>
#include <math.h>

// Maximum number of entries: more cannot be addressed with working space. Far
// below the largest integer that a double counts exactly.
#define ENTRIES_MAX (INT64_C(1) << 50)

// ------------------------------------------------------------------- numbers

// The numbers of a file, separated by white space.
struct numbers {
    lcl_stream *stream;
    const char *what; // "a row pointer"
    char *p, *end;    // unread rest of the line
    int64_t count;
    bool ended;
};

static struct numbers numbers_of(lcl_stream *stream, const char *what)
{
    return (struct numbers){.stream = stream, .what = what};
}

// Moves to the next word; p becomes NULL at the end of the file.
static enum lcl_status next_word(struct numbers *N)
{
    while (!N->ended) {
        if (N->p && (N->p = lcl_skip_blanks(N->p)) != N->end)
            return LCL_OK;
        const enum lcl_status st = lcl_stream_line(N->stream, &N->p, &N->end);
        if (st < 0)
            return st;
        N->ended = !N->p;
    }
    return LCL_OK;
}

// Reads the next of `expected` numbers; it must exist and be finite.
static enum lcl_status next_number(struct numbers *N, int64_t expected,
                                   double *value)
{
    const enum lcl_status st = next_word(N);
    if (st < 0)
        return st;
    if (!N->p)
        return lcl_stream_fail(N->stream, LCL_EFORMAT,
                               "expected %" PRId64 " numbers, found the end of "
                               "the file after %" PRId64,
                               expected, N->count);
    char *end = lcl_parse_double(N->p, value);
    if (!end || !lcl_is_gap(*end) || !isfinite(*value))
        return lcl_stream_fail(N->stream, LCL_EFORMAT, "expected %s, found %s",
                               N->what, lcl_mm_found(N->p).text);
    N->p = end;
    ++N->count;
    return LCL_OK;
}

// Reads an integer from `low` to `high`, which may be written as a decimal
// number.
static enum lcl_status next_index(struct numbers *N, int64_t expected,
                                  int64_t low, int64_t high, int64_t *index)
{
    double value;
    const enum lcl_status st = next_number(N, expected, &value);
    if (st < 0)
        return st;
    if (value != trunc(value) || value < (double)low || value > (double)high)
        return lcl_stream_fail(N->stream, LCL_EFORMAT,
                               "expected %s from %" PRId64 " to %" PRId64
                               ", counted from 0, found %.17g",
                               N->what, low, high, value);
    *index = (int64_t)value;
    return LCL_OK;
}

static enum lcl_status expect_end(struct numbers *N)
{
    const enum lcl_status st = next_word(N);
    if (st < 0 || !N->p)
        return st;
    return lcl_stream_fail(N->stream, LCL_EFORMAT,
                           "expected the end of the file after %" PRId64
                           " numbers, found %s",
                           N->count, lcl_mm_found(N->p).text);
}

// ------------------------------------------------------------------- matrix

static enum lcl_status read_first(struct numbers *N)
{
    double first;
    const enum lcl_status st = next_number(N, 2, &first);
    if (st < 0 || first == 0)
        return st;
    if (first == 1)
        return lcl_stream_fail(N->stream, LCL_EFORMAT,
                               "expected 0 as the first row pointer, found 1: "
                               "row pointers and columns must be counted from "
                               "0");
    return lcl_stream_fail(N->stream, LCL_EFORMAT,
                           "expected 0 as the first row pointer, found %.17g",
                           first);
}

// Reads all row pointers of the file; they determine A->rows and A->nnz.
static enum lcl_status read_row_ptr(struct lcl_csr *A, lcl_stream *stream)
{
    struct numbers N = numbers_of(stream, "a row pointer");
    int64_t capacity = 0, next = 0;
    enum lcl_status st = read_first(&N);
    for (int64_t i = 0; st == LCL_OK; ++i) {
        void *array = A->row_ptr;
        if (i == capacity) {
            st = lcl_io_grow(&array, &capacity, (int64_t)INT32_MAX + 1,
                             sizeof *A->row_ptr, lcl_stream_log(stream));
            A->row_ptr = array;
        }
        if (st < 0)
            return st;
        A->row_ptr[i] = A->nnz = next;
        A->rows = i;
        if ((st = next_word(&N)) < 0 || (!N.p && i > 0))
            return st;
        if (i == INT32_MAX)
            return lcl_stream_fail(stream, LCL_ERANGE,
                                   "expected at most %d rows", INT32_MAX);
        st = next_index(&N, 2, A->nnz, ENTRIES_MAX, &next);
    }
    return st;
}

static enum lcl_status read_columns(struct lcl_entries *E,
                                    const struct lcl_csr *A, lcl_stream *stream)
{
    struct numbers N = numbers_of(stream, "a column");
    for (int64_t i = 0; i < A->rows; ++i)
        while (E->count < A->row_ptr[i + 1]) {
            int64_t j = 0;
            void *at = E->at;
            enum lcl_status st = next_index(&N, A->nnz, 0, A->rows - 1, &j);
            if (st == LCL_OK && E->count == E->capacity) {
                st = lcl_io_grow(&at, &E->capacity, A->nnz, sizeof *E->at,
                                 lcl_stream_log(stream));
                E->at = at;
            }
            if (st < 0)
                return st;
            E->at[E->count++] = (struct lcl_entry){(int32_t)i, (int32_t)j, 0};
        }
    return expect_end(&N);
}

static enum lcl_status read_entries(struct lcl_entries *E, lcl_stream *stream)
{
    struct numbers N = numbers_of(stream, "a finite value");
    for (int64_t k = 0; k < E->count; ++k) {
        const enum lcl_status st = next_number(&N, E->count, &E->at[k].val);
        if (st < 0)
            return st;
    }
    return expect_end(&N);
}

static enum lcl_status make_matrix(struct lcl_csr *A,
                                   const struct lcl_entries *E,
                                   const lcl_stream *val,
                                   struct lcl_read_info *info)
{
    const int64_t rows = A->rows;
    lcl_csr_finish(A);
    A->rows = A->cols = rows;
    const enum lcl_status st = lcl_csr_from_entries(
        A, E, LCL_GENERAL, &info->duplicates, lcl_stream_log(val));
    if (st < 0)
        return st;
    info->entries = E->count;
    info->explicit_zeros = lcl_mm_count_zeros(A->val, A->nnz);
    return info->duplicates > 0 ? lcl_mm_check_sums(A, 0, val) : LCL_OK;
}

enum lcl_status lcl_csr_read_text_streams(struct lcl_csr *A,
                                          lcl_stream *row_ptr,
                                          lcl_stream *col_ind, lcl_stream *val,
                                          struct lcl_read_info *info)
{
    struct lcl_entries E = {0};
    enum lcl_status st;
    if ((st = read_row_ptr(A, row_ptr)) == LCL_OK &&
        (st = read_columns(&E, A, col_ind)) == LCL_OK &&
        (st = read_entries(&E, val)) == LCL_OK)
        st = make_matrix(A, &E, val, info);
    info->bytes = lcl_stream_bytes(row_ptr) + lcl_stream_bytes(col_ind) +
                  lcl_stream_bytes(val);
    lcl_entries_finish(&E);
    if (st < 0)
        lcl_csr_finish(A);
    return st;
}

// ------------------------------------------------------------------- vector

enum lcl_status lcl_dense_read_text_stream(struct lcl_dense *X,
                                           lcl_stream *stream)
{
    struct numbers N = numbers_of(stream, "a finite value");
    int64_t capacity = 0;
    enum lcl_status st;
    while ((st = next_word(&N)) == LCL_OK && (N.p || N.count == 0)) {
        double value;
        void *array = X->val;
        if ((st = next_number(&N, 1, &value)) < 0)
            break;
        if (X->rows == capacity) {
            st = lcl_io_grow(&array, &capacity, ENTRIES_MAX, sizeof *X->val,
                             lcl_stream_log(stream));
            X->val = array;
        }
        if (st < 0)
            break;
        X->val[X->rows++] = value;
        X->cols = 1;
    }
    if (st < 0)
        lcl_dense_finish(X);
    return st;
}

// ------------------------------------------------------------------- paths

enum lcl_status lcl_csr_read_text(struct lcl_csr *A, const char *row_ptr,
                                  const char *col_ind, const char *val,
                                  struct lcl_read_info *info,
                                  const struct lcl_log *log)
{
    const char *const path[3] = {row_ptr, col_ind, val};
    lcl_stream *stream[3] = {NULL, NULL, NULL};
    struct lcl_read_info seen = {0};
    struct lcl_c_locale locale;
    enum lcl_status st = LCL_OK;
    if (!A || !row_ptr || !col_ind || !val)
        return lcl_misuse(log, "lcl_csr_read_text: an argument is NULL");
    *A = (struct lcl_csr){0};
    for (int f = 0; f < 3 && st == LCL_OK; ++f)
        st = lcl_stream_open(&stream[f], path[f], log);
    if (st == LCL_OK && !lcl_c_locale_enter(&locale))
        st = lcl_fail_memory(log, "a locale");
    else if (st == LCL_OK) {
        st = lcl_csr_read_text_streams(A, stream[0], stream[1], stream[2],
                                       &seen);
        lcl_c_locale_leave(&locale);
    }
    for (int f = 0; f < 3; ++f)
        lcl_stream_close(&stream[f]);
    if (info)
        *info = seen;
    return st;
}

enum lcl_status lcl_dense_read_text(struct lcl_dense *X, const char *path,
                                    const struct lcl_log *log)
{
    struct lcl_c_locale locale;
    lcl_stream *stream;
    if (!X || !path)
        return lcl_misuse(log, "lcl_dense_read_text: an argument is NULL");
    *X = (struct lcl_dense){0};
    enum lcl_status st = lcl_stream_open(&stream, path, log);
    if (st < 0)
        return st;
    if (lcl_c_locale_enter(&locale)) {
        st = lcl_dense_read_text_stream(X, stream);
        lcl_c_locale_leave(&locale);
    } else {
        st = lcl_fail_memory(log, "a locale");
    }
    lcl_stream_close(&stream);
    return st;
}
