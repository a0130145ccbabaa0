// SPDX-License-Identifier: BSD-3-Clause
// The last steps of readers.
#include "lib/io/finish.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/parallel.h"
#include "lib/matrix/csr.h"
#include "lib/matrix/view.h"

#include <inttypes.h>

static enum lcl_status check_sums(const struct lcl_csr *A, int64_t first,
                                  int base, int parts, const lcl_stream *stream)
{
    const int64_t k = lcl_find_not_finite(A->val, A->nnz);
    if (k < 0)
        return LCL_OK;
    return lcl_stream_refuse(
        stream, LCL_EFORMAT,
        "expected duplicates with a finite sum, found %g at (%" PRId64
        ", %" PRId32 ")",
        A->val[k], (lcl_csr_row_of(A, k) + first) / parts + base,
        A->col_ind[k] / parts + base);
}

struct zeros {
    const double *val;
    int64_t count, chunks;
    int64_t found[LCL_CHUNKS_MAX];
};

static void count_chunk(void *arg, int64_t chunk)
{
    struct zeros *Z = arg;
    const int64_t to = lcl_chunk_start(Z->count, Z->chunks, chunk + 1);
    int64_t found = 0;
    for (int64_t k = lcl_chunk_start(Z->count, Z->chunks, chunk); k < to; ++k)
        found += Z->val[k] == 0;
    Z->found[chunk] = found;
}

static int64_t count_zeros(const double *val, int64_t count)
{
    struct zeros Z = {.val = val, .count = count, .chunks = lcl_chunks(count)};
    int64_t sum = 0;
    lcl_parallel(Z.chunks, count_chunk, &Z);
    for (int64_t c = 0; c < Z.chunks; ++c)
        sum += Z.found[c];
    return sum;
}

// Complex zeros: real and imaginary part.
static int64_t count_zero_pairs(const struct lcl_csr *A)
{
    int64_t found = 0;
    for (int64_t i = 0; i < A->rows; i += 2)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; k += 2)
            found += A->val[k] == 0 && A->val[k + 1] == 0;
    return found;
}

enum lcl_status lcl_io_finish_csr(const struct lcl_csr *A, int64_t first,
                                  int base, const lcl_stream *stream,
                                  struct lcl_read_info *info)
{
    info->explicit_zeros =
        info->is_complex ? count_zero_pairs(A) : count_zeros(A->val, A->nnz);
    return info->duplicates > 0
               ? check_sums(A, first, base, info->is_complex ? 2 : 1, stream)
               : LCL_OK;
}

enum lcl_status lcl_io_by_columns(double **val, int64_t rows, int64_t cols,
                                  int parts, const struct lcl_log *log)
{
    if (cols == 1)
        return LCL_OK;
    double *columns =
        lcl_malloc((size_t)(rows * cols * parts), sizeof *columns);
    if (!columns)
        return lcl_fail_memory(log, "a dense matrix");
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < cols; ++j)
            for (int p = 0; p < parts; ++p)
                columns[(j * rows + i) * parts + p] =
                    (*val)[(i * cols + j) * parts + p];
    lcl_free(*val);
    *val = columns;
    return LCL_OK;
}
