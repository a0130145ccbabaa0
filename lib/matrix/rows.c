// SPDX-License-Identifier: BSD-3-Clause
// The rows of one rank.
#include "lib/matrix/rows.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/parallel.h"

#include <inttypes.h>

// ------------------------------------------------------------------- shares

static int64_t blocks_of(int64_t total, int64_t block)
{
    return total / block + (total % block > 0);
}

// The first `blocks % size` ranks have one block more.
static int64_t share_start(int64_t blocks, int64_t rank, int64_t size)
{
    const int64_t more = blocks % size;
    return blocks / size * rank + (rank < more ? rank : more);
}

void lcl_rows_share(int64_t total, int block, int rank, int size,
                    int64_t *first, int64_t *rows)
{
    int64_t from = 0, to = 0;
    if (total > 0 && block >= 1 && rank >= 0 && rank < size) {
        const int64_t blocks = blocks_of(total, block);
        from = share_start(blocks, rank, size) * block;
        to = share_start(blocks, rank + INT64_C(1), size) * block;
        from = from < total ? from : total;
        to = to < total ? to : total;
    }
    if (first)
        *first = from;
    if (rows)
        *rows = to - from;
}

enum lcl_status lcl_share_check(const struct lcl_share *share,
                                const struct lcl_log *log)
{
    if (share->size < 1 || share->rank < 0 || share->rank >= share->size)
        return lcl_fail(log, LCL_EINVAL, "there is no rank %d of %d ranks",
                        share->rank, share->size);
    if (share->block < 1)
        return lcl_fail(log, LCL_EINVAL,
                        "expected blocks of at least one row, found %d",
                        share->block);
    return LCL_OK;
}

enum lcl_status lcl_rows_init(struct lcl_rows *R, int64_t total,
                              const struct lcl_share *share,
                              const struct lcl_log *log)
{
    const int64_t blocks = blocks_of(total, share->block);
    *R = (struct lcl_rows){.total = total};
    if (share->size > blocks)
        return lcl_fail(log, LCL_EINVAL,
                        "%d ranks cannot share %" PRId64 " rows in blocks of "
                        "%d: expected at most %" PRId64 " ranks",
                        share->size, total, share->block, blocks);
    lcl_rows_share(total, share->block, share->rank, share->size, &R->first,
                   &R->rows);
    return LCL_OK;
}

// ------------------------------------------------------------------- arrays

enum lcl_status lcl_rows_allocate(struct lcl_rows *R, int64_t nnz,
                                  const struct lcl_log *log)
{
    R->row_ptr = lcl_malloc((size_t)R->rows + 1, sizeof *R->row_ptr);
    R->col = lcl_malloc((size_t)nnz, sizeof *R->col);
    R->val = lcl_malloc((size_t)nnz, sizeof *R->val);
    return R->row_ptr && R->col && R->val
               ? LCL_OK
               : lcl_fail_memory(log, "the rows of a rank");
}

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

static enum lcl_status copy_rows(struct lcl_rows *R, const struct lcl_csr *A,
                                 const struct lcl_log *log)
{
    struct copying c = {R, A, 0};
    const int64_t *ptr = A->row_ptr + R->first;
    const enum lcl_status st = lcl_rows_allocate(R, ptr[R->rows] - *ptr, log);
    if (st < 0)
        return st;
    for (int64_t i = 0; i <= R->rows; ++i)
        R->row_ptr[i] = ptr[i] - *ptr;
    c.chunks = lcl_chunks(R->row_ptr[R->rows]);
    lcl_parallel(c.chunks, copy_entries, &c);
    return LCL_OK;
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
    *out = (struct lcl_rows){.first = first, .rows = rows, .total = A->rows};
    const enum lcl_status st = copy_rows(out, A, log);
    if (st < 0)
        lcl_rows_finish(out);
    return st;
}

enum lcl_status lcl_rows_of_rank(struct lcl_rows *R, const struct lcl_csr *A,
                                 const struct lcl_share *share,
                                 const struct lcl_log *log)
{
    if (A->rows != A->cols)
        return lcl_fail(log, LCL_EFORMAT,
                        "expected a square matrix, found %" PRId64
                        " x %" PRId64,
                        A->rows, A->cols);
    const enum lcl_status st = lcl_rows_init(R, A->rows, share, log);
    return st < 0 ? st : copy_rows(R, A, log);
}

enum lcl_status lcl_rows_adopt(struct lcl_rows *R, struct lcl_csr *A,
                               const struct lcl_log *log)
{
    R->col = lcl_malloc((size_t)A->nnz, sizeof *R->col);
    if (!R->col)
        return lcl_fail_memory(log, "the rows of a rank");
    for (int64_t k = 0; k < A->nnz; ++k)
        R->col[k] = A->col_ind[k];
    R->row_ptr = A->row_ptr;
    R->val = A->val;
    A->row_ptr = NULL;
    A->val = NULL;
    return LCL_OK;
}

void lcl_rows_finish(struct lcl_rows *R)
{
    if (!R)
        return;
    lcl_free(R->row_ptr);
    lcl_free(R->col);
    lcl_free(R->val);
    *R = (struct lcl_rows)LCL_ROWS_INIT;
}
