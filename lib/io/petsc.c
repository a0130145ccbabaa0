// SPDX-License-Identifier: BSD-3-Clause
// Reads PETSc binary files. Arrays grow with the data read: a header may lie.
#include "lib/io/petsc.h"

#include "lib/io/finish.h"
#include "lib/io/grow.h"
#include "lib/matrix/entries.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Class ids of PETSc are from FIRST to LAST.
enum { CLASS_FIRST = 1211200, CLASS_LAST = 1211299 };
// Elements and row lengths read and converted at once: they stay in the cache.
enum { BLOCK = 1 << 15, LENGTHS = 1 << 12, MESSAGE = 256 };

struct source {
    lcl_stream *stream;
    int64_t offset; // bytes read
};

// Logs "NAME: byte OFFSET: ..." and returns `status`.
static enum lcl_status fail_at(const struct source *S, int64_t offset,
                               enum lcl_status status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static enum lcl_status fail_at(const struct source *S, int64_t offset,
                               enum lcl_status status, const char *format, ...)
{
    char message[MESSAGE];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return lcl_stream_refuse(S->stream, status, "byte %" PRId64 ": %s", offset,
                             message);
}

static enum lcl_status fail_end(const struct source *S, const char *what)
{
    return fail_at(S, S->offset, LCL_EFORMAT,
                   "expected %s, found the end of the file", what);
}

static enum lcl_status read_bytes(struct source *S, void *to, size_t size,
                                  const char *what)
{
    size_t taken;
    if (!lcl_stream_copy(S->stream, to, size, &taken))
        return lcl_stream_report(S->stream);
    S->offset += (int64_t)taken;
    return taken == size ? LCL_OK : fail_end(S, what);
}

static enum lcl_status skip(struct source *S, int64_t size, const char *what)
{
    int64_t skipped;
    if (!lcl_stream_skip(S->stream, size, &skipped))
        return lcl_stream_report(S->stream);
    S->offset += skipped;
    return skipped == size ? LCL_OK : fail_end(S, what);
}

static enum lcl_status expect_end(struct source *S)
{
    char byte;
    size_t taken;
    if (!lcl_stream_copy(S->stream, &byte, 1, &taken))
        return lcl_stream_report(S->stream);
    return taken == 0 ? LCL_OK
                      : fail_at(S, S->offset, LCL_EFORMAT,
                                "expected the end of the file, found more "
                                "bytes: a file holds one matrix or vector of "
                                "real numbers in double precision");
}

// ------------------------------------------------------------------- header

static bool is_class(uint32_t id)
{
    return id >= CLASS_FIRST && id <= CLASS_LAST;
}

// In files with 64-bit indices the class id has 64 bits, too.
static bool is_wide(const char *bytes, size_t size)
{
    return size >= 8 && lcl_big32(bytes) == 0 && is_class(lcl_big32(bytes + 4));
}

bool lcl_is_petsc(const char *bytes, size_t size)
{
    return (size >= 4 && is_class(lcl_big32(bytes))) || is_wide(bytes, size);
}

static enum lcl_status read_number(struct source *S, const char *what,
                                   int64_t *number)
{
    char bytes[4];
    const enum lcl_status st = read_bytes(S, bytes, sizeof bytes, what);
    if (st == LCL_OK)
        *number = (int32_t)lcl_big32(bytes);
    return st;
}

// Refuses the number just read if it is below `least`.
static enum lcl_status check_size(const struct source *S, const char *what,
                                  int64_t least, int64_t size)
{
    return size >= least
               ? LCL_OK
               : fail_at(S, S->offset - 4, LCL_EFORMAT,
                         "expected %s, at least %" PRId64 ", found %" PRId64,
                         what, least, size);
}

static enum lcl_status read_size(struct source *S, const char *what,
                                 int64_t *size)
{
    const enum lcl_status st = read_number(S, what, size);
    return st < 0 ? st : check_size(S, what, 1, *size);
}

// A dense matrix has -1 in place of the number of entries.
static enum lcl_status read_matrix_sizes(struct source *S, struct lcl_csr *A)
{
    const char *const entries = "the number of entries";
    enum lcl_status st;
    if ((st = read_size(S, "the number of rows", &A->rows)) < 0 ||
        (st = read_size(S, "the number of columns", &A->cols)) < 0 ||
        (st = read_number(S, entries, &A->nnz)) < 0)
        return st;
    if (A->nnz == -1)
        return fail_at(S, S->offset - 4, LCL_EUNSUPPORTED,
                       "dense matrices are not supported, expected %s of a "
                       "sparse one, found -1",
                       entries);
    return check_size(S, entries, 0, A->nnz);
}

// ------------------------------------------------------------------- arrays

static enum lcl_status add_lengths(struct source *S, int64_t *row_ptr,
                                   const char *bytes, int64_t count)
{
    int32_t signs = 0;
    for (int64_t i = 0; i < count; ++i) {
        const int32_t length = (int32_t)lcl_big32(bytes + 4 * i);
        signs |= length;
        row_ptr[i + 1] = row_ptr[i] + length;
    }
    for (int64_t i = 0; signs < 0 && i < count; ++i)
        if (row_ptr[i + 1] < row_ptr[i])
            return fail_at(S, S->offset - 4 * (count - i), LCL_EFORMAT,
                           "expected the length of a row, at least 0, found "
                           "%" PRId64,
                           row_ptr[i + 1] - row_ptr[i]);
    return LCL_OK;
}

static enum lcl_status check_lengths(const struct source *S, int64_t start,
                                     int64_t nnz, int64_t sum)
{
    return sum == nnz ? LCL_OK
                      : fail_at(S, start, LCL_EFORMAT,
                                "expected row lengths that add up to %" PRId64
                                ", found %" PRId64,
                                nnz, sum);
}

static enum lcl_status read_row_ptr(struct source *S, struct lcl_csr *A)
{
    const int64_t start = S->offset;
    char bytes[4 * LENGTHS];
    int64_t capacity = 0, count;
    for (int64_t i = 0; i < A->rows; i += count) {
        void *row_ptr = A->row_ptr;
        count = A->rows - i < LENGTHS ? A->rows - i : LENGTHS;
        enum lcl_status st =
            read_bytes(S, bytes, 4 * (size_t)count, "row lengths");
        if (st == LCL_OK)
            st = lcl_io_grow(&row_ptr, &capacity, i + count + 1, A->rows + 1,
                             sizeof *A->row_ptr, lcl_stream_log(S->stream));
        A->row_ptr = row_ptr;
        if (st < 0)
            return st;
        if (i == 0)
            A->row_ptr[0] = 0;
        if ((st = add_lengths(S, A->row_ptr + i, bytes, count)) < 0)
            return st;
    }
    return check_lengths(S, start, A->nnz, A->row_ptr[A->rows]);
}

static enum lcl_status convert_columns(struct source *S, void *block,
                                       int64_t count, int64_t cols)
{
    int32_t *col = block;
    uint32_t outside = 0;
    for (int64_t k = 0; k < count; ++k) {
        const uint32_t j = lcl_big32(&col[k]);
        outside |= j >= (uint32_t)cols;
        col[k] = (int32_t)j;
    }
    for (int64_t k = 0; outside && k < count; ++k)
        if (col[k] < 0 || col[k] >= cols)
            return fail_at(S, S->offset - 4 * (count - k), LCL_EFORMAT,
                           "expected a column from 0 to %" PRId64 ", found %d",
                           cols - 1, col[k]);
    return LCL_OK;
}

// An exponent of all ones overflows into the sign bit.
static enum lcl_status convert_values(struct source *S, void *block,
                                      int64_t count, int64_t unused)
{
    const uint64_t exponent = 0x7ff0000000000000, last = 0x0010000000000000;
    double *val = block;
    uint64_t carry = 0;
    (void)unused;
    for (int64_t k = 0; k < count; ++k) {
        const uint64_t bits = lcl_big64(&val[k]);
        carry |= (bits & exponent) + last;
        memcpy(&val[k], &bits, sizeof bits);
    }
    for (int64_t k = 0; carry >> 63 && k < count; ++k)
        if (!isfinite(val[k]))
            return fail_at(S, S->offset - 8 * (count - k), LCL_EFORMAT,
                           "expected a finite value, found %g", val[k]);
    return LCL_OK;
}

typedef enum lcl_status convert_fn(struct source *S, void *block, int64_t count,
                                   int64_t limit);

// Reads `total` elements and converts each block. *array is NULL on entry.
static enum lcl_status read_array(struct source *S, void **array, size_t size,
                                  int64_t total, const char *what,
                                  convert_fn *convert, int64_t limit)
{
    const struct lcl_log *log = lcl_stream_log(S->stream);
    int64_t capacity = 0, count;
    enum lcl_status st = lcl_io_grow(array, &capacity, 0, total, size, log);
    for (int64_t k = 0; st == LCL_OK && k < total; k += count) {
        count = total - k < BLOCK ? total - k : BLOCK;
        st = lcl_io_grow(array, &capacity, k + count, total, size, log);
        if (st < 0)
            return st;
        char *block = (char *)*array + (size_t)k * size;
        if ((st = read_bytes(S, block, (size_t)count * size, what)) == LCL_OK)
            st = convert(S, block, count, limit);
    }
    return st;
}

static enum lcl_status read_columns(struct source *S, struct lcl_csr *A)
{
    void *array = NULL;
    const enum lcl_status st = read_array(S, &array, sizeof *A->col_ind, A->nnz,
                                          "columns", convert_columns, A->cols);
    A->col_ind = array;
    return st;
}

static enum lcl_status read_values(struct source *S, double **val,
                                   int64_t count)
{
    void *array = NULL;
    const enum lcl_status st =
        read_array(S, &array, sizeof **val, count, "values", convert_values, 0);
    *val = array;
    return st;
}

// ------------------------------------------------------------------- objects

static enum lcl_status read_matrix(struct lcl_csr *A, struct source *S,
                                   struct lcl_read_info *info)
{
    enum lcl_status st;
    if ((st = read_matrix_sizes(S, A)) < 0 || (st = read_row_ptr(S, A)) < 0 ||
        (st = read_columns(S, A)) < 0 ||
        (st = read_values(S, &A->val, A->nnz)) < 0 || (st = expect_end(S)) < 0)
        return st;
    info->entries = A->nnz;
    info->bytes = S->offset;
    st = lcl_csr_order(A, LCL_GENERAL, &info->duplicates,
                       lcl_stream_log(S->stream));
    return st < 0 ? st : lcl_io_finish_csr(A, 0, 0, S->stream, info);
}

static enum lcl_status read_vector(struct lcl_dense *X, struct source *S,
                                   struct lcl_read_info *info)
{
    enum lcl_status st;
    X->cols = 1;
    if ((st = read_size(S, "the number of rows", &X->rows)) < 0 ||
        (st = read_values(S, &X->val, X->rows)) < 0)
        return st;
    info->entries = X->rows;
    info->bytes = S->offset;
    return expect_end(S);
}

// ------------------------------------------------------------ rows of a rank

// Entries of the file, and those before the rows of the rank.
struct entries {
    int64_t nnz, before;
};

// Appends the row pointers of R that are among ptr[0 .. count], of the rows
// from i on.
static enum lcl_status keep_row_ptr(const struct source *S, struct lcl_csr *A,
                                    int64_t *capacity, const struct lcl_rows *R,
                                    const int64_t *ptr, int64_t i,
                                    int64_t count)
{
    void *row_ptr = A->row_ptr;
    const int64_t from = i > R->first ? i : R->first;
    const int64_t last = R->first + R->rows;
    const int64_t to = i + count < last ? i + count : last;
    if (from > to)
        return LCL_OK;
    const enum lcl_status st =
        lcl_io_grow(&row_ptr, capacity, to - R->first + 1, R->rows + 1,
                    sizeof *A->row_ptr, lcl_stream_log(S->stream));
    A->row_ptr = row_ptr;
    if (st == LCL_OK)
        memcpy(A->row_ptr + (from - R->first), ptr + (from - i),
               (size_t)(to - from + 1) * sizeof *ptr);
    return st;
}

// Reads the lengths of all rows; A gets the row pointers of R, as in the file.
static enum lcl_status read_window(struct source *S, struct lcl_csr *A,
                                   const struct lcl_rows *R, int64_t nnz)
{
    const int64_t start = S->offset;
    char bytes[4 * LENGTHS];
    int64_t ptr[LENGTHS + 1] = {0}, capacity = 0, count;
    for (int64_t i = 0; i < R->total; i += count) {
        count = R->total - i < LENGTHS ? R->total - i : LENGTHS;
        enum lcl_status st =
            read_bytes(S, bytes, 4 * (size_t)count, "row lengths");
        if (st < 0 || (st = add_lengths(S, ptr, bytes, count)) < 0 ||
            (st = keep_row_ptr(S, A, &capacity, R, ptr, i, count)) < 0)
            return st;
        ptr[0] = ptr[count];
    }
    return check_lengths(S, start, nnz, ptr[0]);
}

// Reads the entries of A and skips those before and after them.
static enum lcl_status read_entries(struct source *S, struct lcl_csr *A,
                                    const struct entries *E)
{
    const int64_t after = E->nnz - E->before - A->nnz;
    enum lcl_status st;
    if ((st = skip(S, 4 * E->before, "columns")) < 0 ||
        (st = read_columns(S, A)) < 0 ||
        (st = skip(S, 4 * after, "columns")) < 0 ||
        (st = skip(S, 8 * E->before, "values")) < 0 ||
        (st = read_values(S, &A->val, A->nnz)) < 0 ||
        (st = skip(S, 8 * after, "values")) < 0)
        return st;
    return expect_end(S);
}

static enum lcl_status read_share(struct lcl_rows *R, struct lcl_csr *A,
                                  struct source *S,
                                  const struct lcl_share *share)
{
    const struct lcl_log *log = lcl_stream_log(S->stream);
    struct lcl_read_info info = {0};
    enum lcl_status st = read_matrix_sizes(S, A);
    if (st < 0)
        return st;
    if (A->rows != A->cols)
        return fail_at(S, S->offset - 8, LCL_EFORMAT,
                       "expected %" PRId64 " columns as there are rows, found "
                       "%" PRId64,
                       A->rows, A->cols);
    struct entries E = {.nnz = A->nnz};
    if ((st = lcl_rows_init(R, A->rows, share, log)) < 0 ||
        (st = read_window(S, A, R, E.nnz)) < 0)
        return st;
    E.before = A->row_ptr[0];
    A->rows = R->rows;
    A->nnz = A->row_ptr[R->rows] - E.before;
    for (int64_t i = 0; i <= A->rows; ++i)
        A->row_ptr[i] -= E.before;
    if ((st = read_entries(S, A, &E)) < 0 ||
        (st = lcl_csr_order(A, LCL_GENERAL, &info.duplicates, log)) < 0 ||
        (st = lcl_io_finish_csr(A, R->first, 0, S->stream, &info)) < 0)
        return st;
    return lcl_rows_adopt(R, A, log);
}

static enum lcl_status refuse_class(const struct source *S, uint32_t id,
                                    const char *expected)
{
    const char *kind = id == LCL_PETSC_MATRIX   ? " (a matrix)"
                       : id == LCL_PETSC_VECTOR ? " (a vector)"
                                                : "";
    return fail_at(S, 0, LCL_EUNSUPPORTED,
                   "expected the PETSc class id of %s, found %" PRIu32 "%s",
                   expected, id, kind);
}

static enum lcl_status read_class(struct source *S, uint32_t *id)
{
    char bytes[4];
    const enum lcl_status st = read_bytes(S, bytes, sizeof bytes, "a class id");
    if (st < 0)
        return st;
    *id = lcl_big32(bytes);
    return *id ? LCL_OK
               : fail_at(S, 0, LCL_EUNSUPPORTED,
                         "PETSc files with 64-bit indices are not supported, "
                         "expected 32-bit ones");
}

enum lcl_status lcl_petsc_read_rows(struct lcl_rows *R, lcl_stream *stream,
                                    const struct lcl_share *share)
{
    struct source S = {.stream = stream};
    struct lcl_csr A = {0};
    uint32_t id;
    enum lcl_status st = read_class(&S, &id);
    if (st == LCL_OK)
        st = id == LCL_PETSC_MATRIX ? read_share(R, &A, &S, share)
                                    : refuse_class(&S, id, "a matrix");
    lcl_csr_finish(&A);
    return st;
}

enum lcl_status lcl_petsc_read(struct lcl_csr *A, struct lcl_dense *X,
                               lcl_stream *stream, struct lcl_read_info *info)
{
    struct source S = {.stream = stream};
    uint32_t id;
    enum lcl_status st = read_class(&S, &id);
    if (st < 0)
        return st;
    if (A && id == LCL_PETSC_MATRIX)
        st = read_matrix(A, &S, info);
    else if (X && id == LCL_PETSC_VECTOR)
        st = read_vector(X, &S, info);
    else
        st = refuse_class(&S, id,
                          !X   ? "a matrix"
                          : !A ? "a vector"
                               : "a matrix or vector");
    if (st < 0 && A)
        lcl_csr_finish(A);
    if (st < 0 && X)
        lcl_dense_finish(X);
    return st;
}
