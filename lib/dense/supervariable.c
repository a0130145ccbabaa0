// SPDX-License-Identifier: BSD-3-Clause
// Selection of the diagonal blocks of a matrix.
#include "lib/dense/supervariable.h"

#include "host/alloc.h"
#include "host/log.h"
#include "lib/matrix/bsr.h"
#include "lib/matrix/csr.h"

#include <string.h>

static enum lcl_status allocate(struct lcl_diagonal_blocks *blocks,
                                int64_t count, const struct lcl_log *log)
{
    *blocks = (struct lcl_diagonal_blocks){
        .ptr = lcl_malloc((size_t)count + 1, sizeof *blocks->ptr)};
    if (!blocks->ptr)
        return lcl_fail_memory(log, "pointers of diagonal blocks");
    blocks->ptr[0] = 0;
    return LCL_OK;
}

void lcl_diagonal_blocks_finish(struct lcl_diagonal_blocks *blocks)
{
    lcl_free(blocks->ptr);
    *blocks = (struct lcl_diagonal_blocks){0};
}

static void close_block(struct lcl_diagonal_blocks *blocks, int64_t end)
{
    const int rows = (int)(end - blocks->ptr[blocks->count]);
    blocks->ptr[++blocks->count] = (int32_t)end;
    if (rows > blocks->rows_max)
        blocks->rows_max = rows;
}

// -------------------------------------------------------------------
// supervariables

static bool same_columns(const struct lcl_bsr *A, int64_t i, int64_t j)
{
    const int64_t *p = A->row_ptr;
    const int64_t count = p[i + 1] - p[i];
    return p[j + 1] - p[j] == count &&
           memcmp(A->col_ind + p[i], A->col_ind + p[j],
                  (size_t)count * sizeof *A->col_ind) == 0;
}

// End of the natural block that starts at row i.
static int64_t natural_end(const struct lcl_bsr *A, int64_t i, int64_t bound)
{
    int64_t end = i + 1;
    if (A->block_size > 1) {
        const int64_t last = (i / A->block_size + 1) * A->block_size;
        return last < i + bound ? last : i + bound;
    }
    while (end < A->rows && end < i + bound && same_columns(A, end - 1, end))
        ++end;
    return end;
}

enum lcl_status lcl_supervariables(struct lcl_diagonal_blocks *blocks,
                                   const struct lcl_bsr *A, int bound,
                                   const struct lcl_log *log)
{
    const int64_t n = A->rows * A->block_size;
    if (bound < 1)
        return lcl_fail(log, LCL_EINVAL,
                        "diagonal blocks of %d rows, expected >= 1", bound);
    const enum lcl_status st = allocate(blocks, n, log);
    if (st < 0)
        return st;
    for (int64_t i = 0, end; i < n; i = end) {
        end = natural_end(A, i, bound);
        if (i > 0 && end - blocks->ptr[blocks->count] > bound)
            close_block(blocks, i);
    }
    if (n > 0)
        close_block(blocks, n);
    return LCL_OK;
}

// ------------------------------------------------------------------- blocks of
// the caller

static enum lcl_status check_pointers(const int64_t *ptr, int64_t count,
                                      int64_t n, int limit,
                                      const struct lcl_log *log)
{
    if (!ptr || count < 2)
        return lcl_fail(log, LCL_EINVAL,
                        "%lld block pointers, expected at least 2",
                        (long long)(ptr ? count : 0));
    if (ptr[0] != 0)
        return lcl_fail(log, LCL_EINVAL, "block pointer 0 is %lld, expected 0",
                        (long long)ptr[0]);
    for (int64_t p = 1; p < count; ++p) {
        // so that no difference overflows and no pointer is beyond the rows
        if (ptr[p] <= ptr[p - 1] || ptr[p] > n)
            return lcl_fail(log, LCL_EINVAL,
                            "block pointer %lld is %lld, expected more than "
                            "%lld and at most %lld",
                            (long long)p, (long long)ptr[p],
                            (long long)ptr[p - 1], (long long)n);
        if (ptr[p] - ptr[p - 1] > limit)
            return lcl_fail(log, LCL_EINVAL,
                            "diagonal block %lld has %lld rows, expected at "
                            "most %d",
                            (long long)(p - 1),
                            (long long)(ptr[p] - ptr[p - 1]), limit);
    }
    if (ptr[count - 1] != n)
        return lcl_fail(log, LCL_EINVAL,
                        "the last block pointer is %lld, the matrix has %lld "
                        "rows",
                        (long long)ptr[count - 1], (long long)n);
    return LCL_OK;
}

enum lcl_status lcl_diagonal_blocks_from_ptr(struct lcl_diagonal_blocks *blocks,
                                             const int64_t *ptr, int64_t count,
                                             int64_t n, int limit,
                                             const struct lcl_log *log)
{
    enum lcl_status st;
    if ((st = check_pointers(ptr, count, n, limit, log)) < 0 ||
        (st = allocate(blocks, count - 1, log)) < 0)
        return st;
    for (int64_t p = 1; p < count; ++p)
        close_block(blocks, ptr[p]);
    return LCL_OK;
}

// ------------------------------------------------------------------- share

// Number of columns of block column c in first .. end - 1.
static int64_t overlap(int64_t c, int64_t size, int64_t first, int64_t end)
{
    const int64_t from = c * size > first ? c * size : first;
    const int64_t to = (c + 1) * size < end ? (c + 1) * size : end;
    return to > from ? to - from : 0;
}

static void count_row(struct lcl_diagonal_share *share, const struct lcl_bsr *A,
                      int64_t i, int64_t first, int64_t end)
{
    const int64_t size = A->block_size, row = i / size;
    const struct lcl_csr pattern = lcl_bsr_pattern(A);
    bool missing = true;
    for (int64_t k = lcl_csr_seek(&pattern, row, first / size);
         k < A->row_ptr[row + 1] && A->col_ind[k] * size < end; ++k) {
        share->entries += overlap(A->col_ind[k], size, first, end);
        missing &= A->col_ind[k] != row;
    }
    share->missing_diagonals += missing;
}

struct lcl_diagonal_share lcl_diagonal_blocks_share(
    const struct lcl_diagonal_blocks *blocks, const struct lcl_bsr *A)
{
    struct lcl_diagonal_share share = {0};
    for (int64_t p = 0; p < blocks->count; ++p)
        for (int64_t i = blocks->ptr[p]; i < blocks->ptr[p + 1]; ++i)
            count_row(&share, A, i, blocks->ptr[p], blocks->ptr[p + 1]);
    return share;
}
