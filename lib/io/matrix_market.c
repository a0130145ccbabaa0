// SPDX-License-Identifier: BSD-3-Clause
// Reads matrices and vectors from Matrix Market files.
#include "lib/io/mm.h"

#include "host/alloc.h"
#include "host/log.h"
#include "lib/io/finish.h"

#include <inttypes.h>
#include <stdbool.h>

// Maximum number of rows per entry of a sparse matrix, and of elements per
// entry of a dense matrix in coordinate format. Without a limit a tiny file
// could request any amount of memory. The constants admit small files.
enum { SPREAD = 1000, SPREAD_ROWS = 1000, SPREAD_PLACES = 10000 };

// Whether the number of entries that the file announces justifies `count`.
static bool is_backed(int64_t count, int64_t entries, int64_t allowance)
{
    return count / SPREAD <= entries + allowance;
}

static void describe(struct lcl_read_info *info, const struct lcl_mm_header *h,
                     const lcl_stream *stream)
{
    info->entries = h->entries;
    info->bytes = lcl_stream_bytes(stream);
    info->symmetric = h->symmetry;
    info->pattern = h->field == LCL_MM_PATTERN;
}

// Reads the body of a coordinate file and converts it to CSR.
static enum lcl_status read_real(struct lcl_csr *A, lcl_stream *stream,
                                 const struct lcl_mm_header *h,
                                 struct lcl_read_info *info)
{
    struct lcl_entries entries = {0};
    enum lcl_status st = lcl_mm_read_entries(&entries, stream, h);
    A->rows = h->rows;
    A->cols = h->cols;
    if (st == LCL_OK)
        st = lcl_csr_from_entries(A, &entries, h->symmetry, &info->duplicates,
                                  lcl_stream_log(stream));
    lcl_entries_finish(&entries);
    return st;
}

static enum lcl_status read_complex(struct lcl_csr *A, lcl_stream *stream,
                                    const struct lcl_mm_header *h,
                                    struct lcl_read_info *info)
{
    struct lcl_pairs pairs = {0};
    enum lcl_status st = lcl_mm_read_pairs(&pairs, stream, h);
    A->rows = 2 * h->rows;
    A->cols = 2 * h->cols;
    if (st == LCL_OK)
        st = lcl_csr_from_pairs(A, &pairs, h->symmetry, &info->duplicates,
                                lcl_stream_log(stream));
    lcl_pairs_finish(&pairs);
    return st;
}

static enum lcl_status read_coordinate(struct lcl_csr *A, lcl_stream *stream,
                                       const struct lcl_mm_header *h,
                                       struct lcl_read_info *info)
{
    enum lcl_status st = info->is_complex ? read_complex(A, stream, h, info)
                                          : read_real(A, stream, h, info);
    if (st == LCL_OK)
        st = lcl_io_finish_csr(A, 0, 1, stream, info);
    if (st == LCL_OK)
        describe(info, h, stream);
    else
        lcl_csr_finish(A);
    return st;
}

enum lcl_status lcl_mm_check_sparse(const struct lcl_mm_header *h,
                                    const lcl_stream *stream)
{
    if (h->layout == LCL_MM_ARRAY)
        return lcl_stream_fail(stream, LCL_EUNSUPPORTED,
                               "expected a matrix in coordinate format, found "
                               "a dense one in array format");
    if (!is_backed(h->rows, h->entries, SPREAD_ROWS))
        return lcl_stream_fail(stream, LCL_ERANGE,
                               "expected more than %" PRId64 " entries for "
                               "%" PRId64 " rows",
                               h->entries, h->rows);
    return LCL_OK;
}

static enum lcl_status read_sparse(struct lcl_csr *A, lcl_stream *stream,
                                   const struct lcl_mm_header *h,
                                   struct lcl_read_info *info)
{
    const enum lcl_status st = lcl_mm_check_sparse(h, stream);
    return st < 0 ? st : read_coordinate(A, stream, h, info);
}

// Of a complex matrix, the first of each two columns has the pairs.
static void scatter_csr(struct lcl_dense *X, const struct lcl_csr *A, int step)
{
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k += step)
            X->val[i + A->col_ind[k] / step * X->rows] = A->val[k];
}

static enum lcl_status dense_from_coordinate(struct lcl_dense *X,
                                             lcl_stream *stream,
                                             const struct lcl_mm_header *h,
                                             struct lcl_read_info *info)
{
    if (!is_backed(h->rows * h->cols, h->entries, SPREAD_PLACES))
        return lcl_stream_fail(stream, LCL_ERANGE,
                               "expected a vector or a dense matrix, found a "
                               "sparse one of %" PRId64 " x %" PRId64
                               " with %" PRId64 " entries",
                               h->rows, h->cols, h->entries);
    struct lcl_csr A = {0};
    enum lcl_status st = read_coordinate(&A, stream, h, info);
    if (st < 0)
        return st;
    X->val = lcl_calloc((size_t)(X->rows * X->cols), sizeof *X->val);
    if (X->val)
        scatter_csr(X, &A, info->is_complex ? 2 : 1);
    else
        st = lcl_fail_memory(lcl_stream_log(stream), "a dense matrix");
    lcl_csr_finish(&A);
    return st;
}

// Expands part `part` of the numbers in `values`, the lower triangle by
// columns, strictly below if skew.
static void scatter_triangle(struct lcl_dense *X, const double *values,
                             enum lcl_symmetry symmetry, int part, int parts)
{
    const bool skew = symmetry == LCL_SKEW_SYMMETRIC;
    const double sign = skew || (symmetry == LCL_HERMITIAN && part) ? -1 : 1;
    for (int64_t j = 0; j < X->cols; ++j)
        for (int64_t i = j + skew; i < X->cols; ++i) {
            X->val[i * parts + part + j * X->rows] = values[part];
            if (i != j)
                X->val[j * parts + part + i * X->rows] = sign * values[part];
            values += parts;
        }
}

// The parts of the diagonal of a Hermitian matrix, in its lower triangle by
// columns.
static enum lcl_status check_diagonal(const double *pairs, int64_t n,
                                      const lcl_stream *stream)
{
    for (int64_t j = 0; j < n; pairs += 2 * (n - j), ++j)
        if (pairs[1] != 0)
            return lcl_stream_refuse(stream, LCL_EFORMAT,
                                     "expected a real diagonal, because the "
                                     "matrix is Hermitian, found an imaginary "
                                     "part of %g in row %" PRId64,
                                     pairs[1], j + 1);
    return LCL_OK;
}

static enum lcl_status dense_from_array(struct lcl_dense *X, lcl_stream *stream,
                                        const struct lcl_mm_header *h,
                                        struct lcl_read_info *info)
{
    const int parts = info->is_complex ? 2 : 1;
    double *values = NULL;
    enum lcl_status st = lcl_mm_read_values(&values, stream, h);
    if (st == LCL_OK && h->symmetry == LCL_HERMITIAN)
        st = check_diagonal(values, h->rows, stream);
    if (st < 0)
        goto out;
    describe(info, h, stream);
    if (h->symmetry == LCL_GENERAL) {
        X->val = values;
        values = NULL;
        goto out;
    }
    X->val = lcl_calloc((size_t)(X->rows * X->cols), sizeof *X->val);
    for (int part = 0; X->val && part < parts; ++part)
        scatter_triangle(X, values, h->symmetry, part, parts);
    if (!X->val)
        st = lcl_fail_memory(lcl_stream_log(stream), "a dense matrix");
out:
    lcl_free(values);
    return st;
}

static enum lcl_status read_dense(struct lcl_dense *X, lcl_stream *stream,
                                  const struct lcl_mm_header *h,
                                  struct lcl_read_info *info)
{
    X->rows = info->is_complex ? 2 * h->rows : h->rows;
    X->cols = h->cols;
    const enum lcl_status st = h->layout == LCL_MM_ARRAY
                                   ? dense_from_array(X, stream, h, info)
                                   : dense_from_coordinate(X, stream, h, info);
    if (st < 0)
        lcl_dense_finish(X);
    return st;
}

enum lcl_status lcl_mm_read(struct lcl_csr *A, struct lcl_dense *X,
                            lcl_stream *stream, struct lcl_read_info *info)
{
    struct lcl_mm_header h;
    const enum lcl_status st = lcl_mm_read_header(&h, stream);
    if (st < 0)
        return st;
    info->is_complex = h.field == LCL_MM_COMPLEX;
    return !X || (A && h.layout == LCL_MM_COORDINATE)
               ? read_sparse(A, stream, &h, info)
               : read_dense(X, stream, &h, info);
}
