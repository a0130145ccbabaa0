// SPDX-License-Identifier: BSD-3-Clause
// Reads a matrix from three files of numbers, and a vector from one file.
#include "host/log.h"
#include "lib/io/finish.h"
#include "lib/io/mm.h"
#include "lib/io/number.h"
#include "lib/io/pieces.h"
#include "lib/io/text.h"
#include "lib/matrix/entries.h"

#include <inttypes.h>
#include <math.h>

// Maximum number of entries: more cannot be addressed with working space. Far
// below the largest integer that a double counts exactly.
#define ENTRIES_MAX (INT64_C(1) << 50)

// ------------------------------------------------------------------- numbers

// Reads a finite number. `what` it is: "a row pointer".
static enum lcl_status parse_number(struct lcl_cursor *at, const char *what,
                                    double *value)
{
    char *end = lcl_parse_double(at->p, value);
    if (!end || !lcl_is_gap(*end) || !isfinite(*value))
        return lcl_stream_fail(at->stream, LCL_EFORMAT, "expected %s, found %s",
                               what, lcl_mm_found(at->p).text);
    at->p = end;
    return LCL_OK;
}

// Reads an integer from `low` to `high`, which may be written as a decimal
// number.
static enum lcl_status parse_index(struct lcl_cursor *at, const char *what,
                                   int64_t low, int64_t high, int64_t *index)
{
    double value;
    const enum lcl_status st = parse_number(at, what, &value);
    if (st < 0)
        return st;
    if (value != trunc(value) || value < (double)low || value > (double)high)
        return lcl_stream_fail(at->stream, LCL_EFORMAT,
                               "expected %s from %" PRId64 " to %" PRId64
                               ", counted from 0, found %.17g",
                               what, low, high, value);
    *index = (int64_t)value;
    return LCL_OK;
}

static enum lcl_status fail_count(const struct lcl_grammar *G,
                                  const lcl_stream *stream, int64_t count,
                                  const char *p)
{
    if (!p)
        return lcl_stream_fail(stream, LCL_EFORMAT,
                               "expected %" PRId64 " numbers, found the end of "
                               "the file after %" PRId64,
                               G->least, count);
    return lcl_stream_fail(stream, LCL_EFORMAT,
                           "expected the end of the file after %" PRId64
                           " numbers, found %s",
                           count, lcl_mm_found(p).text);
}

// ------------------------------------------------------------------- rows

static enum lcl_status parse_first(struct lcl_cursor *at)
{
    double first;
    const enum lcl_status st = parse_number(at, "a row pointer", &first);
    *(int64_t *)at->to = 0;
    if (st < 0 || first == 0)
        return st;
    if (first == 1)
        return lcl_stream_fail(at->stream, LCL_EFORMAT,
                               "expected 0 as the first row pointer, found 1: "
                               "row pointers and columns must be counted from "
                               "0");
    return lcl_stream_fail(at->stream, LCL_EFORMAT,
                           "expected 0 as the first row pointer, found %.17g",
                           first);
}

// The first one is 0, and none is below its predecessor.
static enum lcl_status parse_row_ptr(const struct lcl_grammar *G,
                                     struct lcl_cursor *at)
{
    int64_t *row_ptr = at->to;
    (void)G;
    if (at->stream && at->index == 0)
        return parse_first(at);
    return parse_index(at, "a row pointer", at->stream ? row_ptr[-1] : 0,
                       ENTRIES_MAX, row_ptr);
}

static bool row_ptr_fits(const void *elements, int64_t first, int64_t count)
{
    const int64_t *row_ptr = elements;
    uint64_t signs = 0;
    for (int64_t k = first > 0 ? first : 1; k < first + count; ++k)
        signs |= (uint64_t)(row_ptr[k] - row_ptr[k - 1]);
    return signs >> 63 == 0 && (first > 0 || count == 0 || row_ptr[0] == 0);
}

static enum lcl_status fail_rows(const struct lcl_grammar *G,
                                 const lcl_stream *stream, int64_t count,
                                 const char *p)
{
    if (!p)
        return fail_count(G, stream, count, p);
    return lcl_stream_fail(stream, LCL_ERANGE, "expected at most %d rows",
                           INT32_MAX);
}

// Reads all row pointers of the file; they determine A->rows and A->nnz.
static enum lcl_status read_row_ptr(struct lcl_csr *A, lcl_stream *stream)
{
    const struct lcl_grammar G = {.size = sizeof *A->row_ptr,
                                  .is_words = true,
                                  .least = 2,
                                  .most = (int64_t)INT32_MAX + 1,
                                  .parse = parse_row_ptr,
                                  .fits = row_ptr_fits,
                                  .fail_count = fail_rows};
    void *row_ptr = NULL;
    int64_t count = 0;
    const enum lcl_status st = lcl_pieces_read(&G, stream, &row_ptr, &count);
    A->row_ptr = row_ptr;
    if (st < 0)
        return st;
    A->rows = A->cols = count - 1;
    A->nnz = A->row_ptr[A->rows];
    return LCL_OK;
}

// ------------------------------------------------------------------- entries

static enum lcl_status parse_column(const struct lcl_grammar *G,
                                    struct lcl_cursor *at)
{
    const int64_t *cols = G->user;
    int64_t j = 0;
    const enum lcl_status st = parse_index(at, "a column", 0, *cols - 1, &j);
    *(int32_t *)at->to = (int32_t)j;
    return st;
}

static enum lcl_status parse_value(const struct lcl_grammar *G,
                                   struct lcl_cursor *at)
{
    (void)G;
    return parse_number(at, "a finite value", at->to);
}

static enum lcl_status read_columns(struct lcl_csr *A, lcl_stream *stream)
{
    const struct lcl_grammar G = {.size = sizeof *A->col_ind,
                                  .is_words = true,
                                  .least = A->nnz,
                                  .most = A->nnz,
                                  .user = &A->cols,
                                  .parse = parse_column,
                                  .fail_count = fail_count};
    void *col_ind = NULL;
    int64_t count = 0;
    const enum lcl_status st = lcl_pieces_read(&G, stream, &col_ind, &count);
    A->col_ind = col_ind;
    return st;
}

// Reads `least` to `most` values.
static enum lcl_status read_values(double **val, int64_t least, int64_t most,
                                   lcl_stream *stream, int64_t *count)
{
    const struct lcl_grammar G = {.size = sizeof **val,
                                  .is_words = true,
                                  .least = least,
                                  .most = most,
                                  .parse = parse_value,
                                  .fail_count = fail_count};
    void *values = NULL;
    const enum lcl_status st = lcl_pieces_read(&G, stream, &values, count);
    *val = values;
    return st;
}

enum lcl_status lcl_csr_read_text_streams(struct lcl_csr *A,
                                          lcl_stream *row_ptr,
                                          lcl_stream *col_ind, lcl_stream *val,
                                          struct lcl_read_info *info)
{
    enum lcl_status st;
    int64_t count = 0;
    if ((st = read_row_ptr(A, row_ptr)) == LCL_OK &&
        (st = read_columns(A, col_ind)) == LCL_OK &&
        (st = read_values(&A->val, A->nnz, A->nnz, val, &count)) == LCL_OK) {
        info->entries = A->nnz;
        st = lcl_csr_order(A, LCL_GENERAL, &info->duplicates,
                           lcl_stream_log(val));
    }
    if (st == LCL_OK)
        st = lcl_io_finish_csr(A, 0, 0, val, info);
    info->bytes = lcl_stream_bytes(row_ptr) + lcl_stream_bytes(col_ind) +
                  lcl_stream_bytes(val);
    if (st < 0)
        lcl_csr_finish(A);
    return st;
}

// ------------------------------------------------------------------- vector

enum lcl_status lcl_dense_read_text_stream(struct lcl_dense *X,
                                           lcl_stream *stream)
{
    const enum lcl_status st =
        read_values(&X->val, 1, ENTRIES_MAX, stream, &X->rows);
    X->cols = 1;
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
