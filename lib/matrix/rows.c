// SPDX-License-Identifier: BSD-3-Clause
// The rows of one rank.
#include "host/alloc.h"
#include "host/log.h"

#include <levelcl/matrix.h>

#include <inttypes.h>
#include <string.h>

static void copy_rows(struct lcl_rows *R, const struct lcl_csr *A)
{
    const int64_t start = A->row_ptr[R->first];
    for (int64_t i = 0; i <= R->rows; ++i)
        R->row_ptr[i] = A->row_ptr[R->first + i] - start;
    for (int64_t k = 0; k < R->row_ptr[R->rows]; ++k)
        R->col[k] = A->col_ind[start + k];
    memcpy(R->val, A->val + start,
           (size_t)R->row_ptr[R->rows] * sizeof *R->val);
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
