// SPDX-License-Identifier: BSD-3-Clause
// Reads the archives of numpy.savez() and scipy.sparse.save_npz(): a sparse
// matrix is the arrays that scipy names, in the formats csr, csc and coo.
#include "lib/io/npz.h"

#include "host/alloc.h"
#include "host/log.h"
#include "lib/io/finish.h"
#include "lib/io/formats.h"
#include "lib/io/mm.h"
#include "lib/io/suffix.h"
#include "lib/matrix/entries.h"

#include <string.h>

enum { DATA, INDICES, INDPTR, SHAPE, ROW, COL, ARRAYS };

static const char *const names[ARRAYS] = {"data",  "indices", "indptr",
                                          "shape", "row",     "col"};

enum { FORMAT = 8 };

struct archive {
    lcl_stream *zip;
    struct lcl_dense array[ARRAYS + 1]; // the last one: of another name
    int count;                          // of arrays, the word left out
    bool is_complex[ARRAYS + 1];
    char format[FORMAT];
    int64_t bytes;
};

static enum lcl_status refuse(const struct archive *N, const char *what)
{
    return lcl_stream_refuse(N->zip, LCL_EFORMAT, "expected %s", what);
}

// ------------------------------------------------------------------- arrays

// The letters of an array of one word, in one or four bytes each.
static void read_word(char word[FORMAT], const unsigned char *bytes,
                      int64_t size)
{
    const bool two = size > 6 && bytes[6] == 1;
    int64_t at = two ? 10 : 12;
    int length = 0;
    if (size < at)
        return;
    for (int k = (int)at; k-- > 8;)
        at += (int64_t)bytes[k] << 8 * (k - 8);
    for (; at < size && length < FORMAT - 1; ++at)
        if (bytes[at])
            word[length++] = (char)bytes[at];
}

// Before the values, whose shape other formats change.
static enum lcl_status check_format(const struct archive *N)
{
    static const char *const known[] = {"csr", "csc", "coo"};
    for (int k = 0; k < 3; ++k)
        if (strcmp(N->format, known[k]) == 0)
            return LCL_OK;
    return lcl_stream_refuse(N->zip, LCL_EUNSUPPORTED,
                             "expected a sparse matrix in the formats csr, csc "
                             "or coo, found '%s'; its tocsr() makes one",
                             N->format);
}

static enum lcl_status read_array(struct archive *N, int k, lcl_stream *stream)
{
    struct lcl_read_info info = {0};
    if (N->array[k].val)
        return refuse(N, "one array of each name in a NumPy archive");
    const enum lcl_status st = lcl_npy_read(&N->array[k], stream, &info);
    N->is_complex[k] = info.is_complex;
    return st;
}

static enum lcl_status read_member(struct archive *N,
                                   const struct lcl_zip_member *m,
                                   const struct lcl_zip_file *f)
{
    const size_t length = strlen(m->name) - strlen(".npy");
    N->bytes += f->size;
    if (strcmp(m->name, "format.npy") == 0) {
        read_word(N->format, f->bytes, f->size);
        return check_format(N);
    }
    int k = 0;
    while (k < ARRAYS && (strlen(names[k]) != length ||
                          strncmp(m->name, names[k], length) != 0))
        ++k;
    ++N->count;
    return k == ARRAYS && N->array[k].val ? LCL_OK
                                          : read_array(N, k, f->stream);
}

bool lcl_is_npz_member(const struct lcl_zip_member *m)
{
    return lcl_ends_with(m->name, ".npy");
}

// From the first member on, whose header is read.
static enum lcl_status read_members(struct archive *N, struct lcl_zip_member *m)
{
    enum lcl_status st = LCL_OK;
    while (st == LCL_OK && *m->name) {
        if (!lcl_is_npz_member(m)) {
            st = lcl_zip_skip(m, N->zip);
        } else {
            struct lcl_zip_file f;
            if ((st = lcl_zip_open(&f, m, N->zip)) == LCL_OK)
                st = read_member(N, m, &f);
            lcl_zip_close(&f);
        }
        if (st == LCL_OK)
            st = lcl_zip_next(m, N->zip);
    }
    return st;
}

// ------------------------------------------------------------------- matrix

static int64_t length_of(const struct lcl_dense *X)
{
    return X->val ? X->rows * X->cols : -1;
}

// Numbers of a value.
static int parts_of(const struct archive *N)
{
    return N->is_complex[DATA] ? 2 : 1;
}

static int64_t count_values(const struct archive *N)
{
    return length_of(&N->array[DATA]) / parts_of(N);
}

static bool is_integer(double x, double from, double to)
{
    return x >= from && x <= to && x == (double)(int64_t)x;
}

static bool are_indices(const struct lcl_dense *X, int64_t count, int64_t to)
{
    bool good = length_of(X) == count;
    for (int64_t k = 0; k < count && good; ++k)
        good = is_integer(X->val[k], 0, (double)to - 1);
    return good;
}

static bool are_pointers(const struct lcl_dense *X, int64_t lines, int64_t nnz)
{
    bool good = length_of(X) == lines + 1 && X->val[0] == 0 &&
                X->val[lines] == (double)nnz;
    for (int64_t i = 0; i < lines && good; ++i)
        good =
            is_integer(X->val[i], 0, (double)nnz) && X->val[i] <= X->val[i + 1];
    return good;
}

static enum lcl_status check_shape(const struct archive *N)
{
    const struct lcl_dense *shape = &N->array[SHAPE];
    for (int k = 0; k < ARRAYS; ++k)
        if (k != DATA && N->is_complex[k])
            return refuse(N, "a shape and indices that are not complex");
    const double most = INT32_MAX / parts_of(N);
    return length_of(shape) == 2 && is_integer(shape->val[0], 1, most) &&
                   is_integer(shape->val[1], 1, most)
               ? LCL_OK
               : refuse(N,
                        "a shape of two numbers from 1 to 2^31 - 1, or to half "
                        "of that if complex, found another one");
}

static enum lcl_status check_coo(const struct archive *N,
                                 const struct lcl_csr *A)
{
    const int64_t nnz = count_values(N);
    return are_indices(&N->array[ROW], nnz, A->rows) &&
                   are_indices(&N->array[COL], nnz, A->cols)
               ? LCL_OK
               : refuse(N, "a row and a column for each value, within the "
                           "shape");
}

static enum lcl_status check_lines(const struct archive *N, int64_t lines,
                                   int64_t across)
{
    const int64_t nnz = count_values(N);
    return are_pointers(&N->array[INDPTR], lines, nnz) &&
                   are_indices(&N->array[INDICES], nnz, across)
               ? LCL_OK
               : refuse(N, "pointers that ascend from 0 to the number of "
                           "values, and an index within the shape for each "
                           "value");
}

static double value_of(const struct archive *N, int64_t k, int part)
{
    return N->array[DATA].val[k * parts_of(N) + part];
}

static void put_coo(struct lcl_entry *at, const struct archive *N, int64_t nnz,
                    int part)
{
    for (int64_t k = 0; k < nnz; ++k)
        at[k] = (struct lcl_entry){(int32_t)N->array[ROW].val[k],
                                   (int32_t)N->array[COL].val[k],
                                   value_of(N, k, part)};
}

static void put_lines(struct lcl_entry *at, const struct archive *N,
                      int64_t lines, bool by_rows, int part)
{
    const double *first = N->array[INDPTR].val;
    for (int64_t i = 0; i < lines; ++i)
        for (int64_t k = (int64_t)first[i]; k < (int64_t)first[i + 1]; ++k) {
            const int32_t line = (int32_t)i,
                          index = (int32_t)N->array[INDICES].val[k];
            at[k] = (struct lcl_entry){by_rows ? line : index,
                                       by_rows ? index : line,
                                       value_of(N, k, part)};
        }
}

static enum lcl_status make_entries(struct lcl_entries *E,
                                    const struct archive *N,
                                    const struct lcl_csr *A, int part)
{
    const bool by_rows = strcmp(N->format, "csr") == 0;
    const bool by_columns = strcmp(N->format, "csc") == 0;
    const int64_t lines = by_rows ? A->rows : A->cols;
    const int64_t nnz = count_values(N);
    const enum lcl_status st =
        by_rows || by_columns
            ? check_lines(N, lines, by_rows ? A->cols : A->rows)
            : check_coo(N, A);
    if (st < 0)
        return st;
    E->at = lcl_malloc((size_t)nnz, sizeof *E->at);
    if (!E->at)
        return lcl_fail_memory(lcl_stream_log(N->zip),
                               "the entries of the file");
    E->count = nnz;
    if (by_rows || by_columns)
        put_lines(E->at, N, lines, by_rows, part);
    else
        put_coo(E->at, N, nnz, part);
    return LCL_OK;
}

static enum lcl_status build_real(struct lcl_csr *A, const struct archive *N,
                                  struct lcl_read_info *info)
{
    struct lcl_entries E = {0};
    enum lcl_status st = make_entries(&E, N, A, 0);
    if (st == LCL_OK)
        st = lcl_csr_from_entries(A, &E, LCL_GENERAL, &info->duplicates,
                                  lcl_stream_log(N->zip));
    lcl_entries_finish(&E);
    return st;
}

static enum lcl_status build_complex(struct lcl_csr *A, const struct archive *N,
                                     struct lcl_read_info *info)
{
    struct lcl_pairs P = {0};
    enum lcl_status st;
    if ((st = make_entries(&P.re, N, A, 0)) == LCL_OK)
        st = make_entries(&P.im, N, A, 1);
    A->rows *= 2;
    A->cols *= 2;
    if (st == LCL_OK)
        st = lcl_csr_from_pairs(A, &P, LCL_GENERAL, &info->duplicates,
                                lcl_stream_log(N->zip));
    lcl_pairs_finish(&P);
    return st;
}

static enum lcl_status build(struct lcl_csr *A, const struct archive *N,
                             struct lcl_read_info *info)
{
    enum lcl_status st = check_shape(N);
    if (st < 0)
        return st;
    A->rows = (int64_t)N->array[SHAPE].val[0];
    A->cols = (int64_t)N->array[SHAPE].val[1];
    const struct lcl_mm_header sizes = {
        .rows = A->rows, .cols = A->cols, .entries = count_values(N)};
    info->is_complex = N->is_complex[DATA];
    info->entries = sizes.entries;
    st = lcl_mm_check_sparse(&sizes, N->zip);
    if (st == LCL_OK)
        st = info->is_complex ? build_complex(A, N, info)
                              : build_real(A, N, info);
    if (st == LCL_OK)
        st = lcl_io_finish_csr(A, 0, 0, N->zip, info);
    if (st < 0)
        lcl_csr_finish(A);
    return st;
}

// ------------------------------------------------------------------- all

static enum lcl_status take_result(struct lcl_csr *A, struct lcl_dense *X,
                                   struct archive *N,
                                   struct lcl_read_info *info)
{
    const bool sparse = *N->format && N->array[DATA].val && N->array[SHAPE].val;
    if (sparse && A)
        return build(A, N, info);
    if (sparse)
        return lcl_stream_refuse(N->zip, LCL_EUNSUPPORTED,
                                 "expected a vector, found a sparse matrix");
    if (!X)
        return lcl_stream_refuse(N->zip, LCL_EUNSUPPORTED,
                                 "expected a sparse matrix of scipy's "
                                 "save_npz(), found other arrays");
    if (N->count != 1)
        return lcl_stream_refuse(N->zip, LCL_EUNSUPPORTED,
                                 "expected one array in a NumPy archive, found "
                                 "%d",
                                 N->count);
    for (int k = 0; k <= ARRAYS; ++k)
        if (N->array[k].val) {
            *X = N->array[k];
            info->is_complex = N->is_complex[k];
            N->array[k] = (struct lcl_dense){0};
        }
    info->entries = X->rows * X->cols / (info->is_complex ? 2 : 1);
    return LCL_OK;
}

enum lcl_status lcl_npz_read(struct lcl_csr *A, struct lcl_dense *X,
                             lcl_stream *zip, struct lcl_zip_member *m,
                             struct lcl_read_info *info)
{
    struct archive N = {.zip = zip};
    enum lcl_status st = read_members(&N, m);
    if (st == LCL_OK)
        st = take_result(A, X, &N, info);
    info->bytes = N.bytes;
    for (int k = 0; k <= ARRAYS; ++k)
        lcl_dense_finish(&N.array[k]);
    return st;
}
