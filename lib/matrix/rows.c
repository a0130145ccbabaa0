// SPDX-License-Identifier: BSD-3-Clause
// The rows of one rank.
#include "host/alloc.h"
#include "host/log.h"
#include "host/parallel.h"

#include <levelcl/matrix.h>

#include <inttypes.h>

struct copying {
    struct lcl_rows *R;
    const struct lcl_csr *A;
    int64_t chunks;
};

static void copy_entries(void *arg, int64_t chunk)
{
    const struct copying *c = arg;
    const struct lcl_rows *R = c->R;
    const int64_t start = c->A->row_ptr[R->first];
    const int64_t nnz = R->row_ptr[R->rows];
    const int64_t from = lcl_chunk_start(nnz, c->chunks, chunk);
    const int64_t to = lcl_chunk_start(nnz, c->chunks, chunk + 1);
    for (int64_t k = from; k < to; ++k) {
        R->col[k] = c->A->col_ind[start + k];
        R->val[k] = c->A->val[start + k];
    }
}

static void copy_rows(struct lcl_rows *R, const struct lcl_csr *A)
{
    struct copying c = {R, A, 0};
    for (int64_t i = 0; i <= R->rows; ++i)
        R->row_ptr[i] = A->row_ptr[R->first + i] - A->row_ptr[R->first];
    c.chunks = lcl_chunks(R->row_ptr[R->rows]);
    lcl_parallel(c.chunks, copy_entries, &c);
}

enum lcl_status lcl_rows_of_csr(struct lcl_rows *out, const struct lcl_csr *A,
                                int64_t first, int64_t rows,
                                const struct lcl_log *log)
{
    if (!out || !A)
        return lcl_misuse(log, "lcl_rows_of_csr: an argument is NULL");
    *out = (struct lcl_rows)LCL_ROWS_INIT;
    if (A->rows != A->cols || first < 0 || rows < 0 || first > A->rows - rows)
        return lcl_fail(log, LCL_EINVAL,
                        "rows %" PRId64 " to %" PRId64 " of %" PRId64
                        " x %" PRId64 ": expected rows of a square matrix",
                        first + 1, first + rows, A->rows, A->cols);
    const size_t nnz = (size_t)(A->row_ptr[first + rows] - A->row_ptr[first]);
    struct lcl_rows R = {
        .first = first,
        .rows = rows,
        .total = A->rows,
        .row_ptr = lcl_malloc((size_t)rows + 1, sizeof *R.row_ptr),
        .col = lcl_malloc(nnz, sizeof *R.col),
        .val = lcl_malloc(nnz, sizeof *R.val),
    };
    if (!R.row_ptr || !R.col || !R.val) {
        lcl_rows_finish(&R);
        return lcl_fail_memory(log, "the rows of a rank");
    }
    copy_rows(&R, A);
    *out = R;
    return LCL_OK;
}

void lcl_rows_finish(struct lcl_rows *R)
{
    lcl_free(R->row_ptr);
    lcl_free(R->col);
    lcl_free(R->val);
    *R = (struct lcl_rows)LCL_ROWS_INIT;
}
