// SPDX-License-Identifier: BSD-3-Clause
// Writes PETSc binary files.
#include "lib/io/petsc.h"

#include "host/log.h"

#include <inttypes.h>
#include <string.h>

// Numbers converted at once.
enum { BLOCK = 1 << 13 };

static enum lcl_status check_size(const lcl_sink *sink, const char *what,
                                  int64_t size)
{
    return size <= INT32_MAX
               ? LCL_OK
               : lcl_fail(lcl_sink_log(sink), LCL_ERANGE,
                          "%s: cannot write: expected at most %d %s in a PETSc "
                          "file, found %" PRId64,
                          lcl_sink_name(sink), INT32_MAX, what, size);
}

static void write_header(lcl_sink *sink, const int64_t *number, int count)
{
    char bytes[16];
    for (int i = 0; i < count; ++i)
        lcl_put_big32(bytes + 4 * i, (uint32_t)number[i]);
    lcl_sink_write(sink, bytes, 4 * (size_t)count);
}

static void write_lengths(lcl_sink *sink, const struct lcl_csr *A)
{
    char bytes[4 * BLOCK];
    for (int64_t i = 0, n = 0; i < A->rows; ++i) {
        const int64_t length = A->row_ptr[i + 1] - A->row_ptr[i];
        lcl_put_big32(bytes + 4 * n, (uint32_t)length);
        if (++n < BLOCK && i + 1 < A->rows)
            continue;
        lcl_sink_write(sink, bytes, 4 * (size_t)n);
        n = 0;
    }
}

static void write_columns(lcl_sink *sink, const int32_t *col, int64_t count)
{
    char bytes[4 * BLOCK];
    for (int64_t k = 0; k < count; k += BLOCK) {
        const int64_t n = count - k < BLOCK ? count - k : BLOCK;
        for (int64_t i = 0; i < n; ++i)
            lcl_put_big32(bytes + 4 * i, (uint32_t)col[k + i]);
        lcl_sink_write(sink, bytes, 4 * (size_t)n);
    }
}

static void write_values(lcl_sink *sink, const double *val, int64_t count)
{
    char bytes[8 * BLOCK];
    for (int64_t k = 0; k < count; k += BLOCK) {
        const int64_t n = count - k < BLOCK ? count - k : BLOCK;
        for (int64_t i = 0; i < n; ++i) {
            uint64_t bits;
            memcpy(&bits, &val[k + i], sizeof bits);
            lcl_put_big64(bytes + 8 * i, bits);
        }
        lcl_sink_write(sink, bytes, 8 * (size_t)n);
    }
}

enum lcl_status lcl_petsc_write_csr(lcl_sink *sink, const void *matrix)
{
    const struct lcl_csr *A = matrix;
    const int64_t header[] = {LCL_PETSC_MATRIX, A->rows, A->cols, A->nnz};
    enum lcl_status st;
    if ((st = check_size(sink, "rows", A->rows)) < 0 ||
        (st = check_size(sink, "columns", A->cols)) < 0 ||
        (st = check_size(sink, "entries", A->nnz)) < 0)
        return st;
    write_header(sink, header, 4);
    write_lengths(sink, A);
    write_columns(sink, A->col_ind, A->nnz);
    write_values(sink, A->val, A->nnz);
    return LCL_OK;
}

enum lcl_status lcl_petsc_write_dense(lcl_sink *sink, const void *matrix)
{
    const struct lcl_dense *X = matrix;
    const int64_t header[] = {LCL_PETSC_VECTOR, X->rows * X->cols};
    const enum lcl_status st = check_size(sink, "values", header[1]);
    if (st < 0)
        return st;
    write_header(sink, header, 2);
    write_values(sink, X->val, header[1]);
    return LCL_OK;
}
