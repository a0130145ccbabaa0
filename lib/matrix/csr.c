// SPDX-License-Identifier: BSD-3-Clause
// Operations on the public CSR and dense structs.
#include "lib/matrix/csr.h"

#include "host/alloc.h"
#include "host/log.h"
#include "lib/matrix/view.h"

#include <levelcl/matrix.h>

#include <inttypes.h>

void lcl_csr_finish(struct lcl_csr *A)
{
    if (!A)
        return;
    lcl_free(A->row_ptr);
    lcl_free(A->col_ind);
    lcl_free(A->val);
    *A = (struct lcl_csr){0};
}

void lcl_dense_finish(struct lcl_dense *X)
{
    if (!X)
        return;
    lcl_free(X->val);
    *X = (struct lcl_dense){0};
}

// ------------------------------------------------------------------- pattern

enum lcl_status lcl_csr_check_counts(const struct lcl_csr *A, const char *what,
                                     const struct lcl_log *log)
{
    if (A->rows < 1 || A->cols < 1 || A->nnz < 0)
        return lcl_fail(log, LCL_EFORMAT,
                        "%s: expected at least one row and column, found "
                        "%" PRId64 " x %" PRId64 " with %" PRId64 " entries",
                        what, A->rows, A->cols, A->nnz);
    if (A->rows > INT32_MAX || A->cols > INT32_MAX)
        return lcl_fail(log, LCL_EFORMAT,
                        "%s: expected at most %d rows and columns, found "
                        "%" PRId64 " x %" PRId64,
                        what, INT32_MAX, A->rows, A->cols);
    return LCL_OK;
}

enum lcl_status lcl_csr_check_pattern(const struct lcl_csr *A, const char *what,
                                      const struct lcl_log *log)
{
    enum lcl_status st;
    const struct lcl_view V = lcl_view_of_csr(A);
    if ((st = lcl_csr_check_counts(A, what, log)) < 0 ||
        (st = lcl_view_check_row_ptr(&V, A->nnz, what, log)) < 0)
        return st;
    return lcl_view_check_columns(&V, what, log);
}

enum lcl_status lcl_csr_check_rows(const struct lcl_csr *A,
                                   const struct lcl_log *log)
{
    if (!A || !A->row_ptr || (A->nnz > 0 && (!A->col_ind || !A->val)))
        return lcl_misuse(log, "matrix: an array is NULL");
    const enum lcl_status st = lcl_csr_check_counts(A, "matrix", log);
    const struct lcl_view V = lcl_view_of_csr(A);
    return st < 0 ? st : lcl_view_check_row_ptr(&V, A->nnz, "matrix", log);
}

enum lcl_status lcl_csr_check(const struct lcl_csr *A,
                              const struct lcl_log *log)
{
    enum lcl_status st = lcl_csr_check_rows(A, log);
    if (st < 0)
        return st;
    const struct lcl_view V = lcl_view_of_csr(A);
    return (st = lcl_view_check_columns(&V, "matrix", log)) < 0
               ? st
               : lcl_view_check_values(&V, "matrix", log);
}

void lcl_csr_multiply(const struct lcl_csr *A, const double *x, double *y)
{
    const int64_t rows = A && x && y ? A->rows : 0;
    for (int64_t i = 0; i < rows; ++i) {
        double sum = 0;
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            sum += A->val[k] * x[A->col_ind[k]];
        y[i] = sum;
    }
}

int64_t lcl_row_of(const int64_t *row_ptr, int64_t rows, int64_t k)
{
    int64_t low = 0, high = rows;
    while (high - low > 1) {
        const int64_t mid = low + (high - low) / 2;
        if (row_ptr[mid] <= k)
            low = mid;
        else
            high = mid;
    }
    return low;
}

int64_t lcl_csr_row_of(const struct lcl_csr *A, int64_t k)
{
    return lcl_row_of(A->row_ptr, A->rows, k);
}

int64_t lcl_seek(const int32_t *sorted, int64_t from, int64_t to, int64_t value)
{
    int64_t low = from, high = to;
    while (low < high) {
        const int64_t mid = low + (high - low) / 2;
        if (sorted[mid] < value)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

int64_t lcl_csr_seek(const struct lcl_csr *A, int64_t i, int64_t j)
{
    return lcl_seek(A->col_ind, A->row_ptr[i], A->row_ptr[i + 1], j);
}

int64_t lcl_csr_find(const struct lcl_csr *A, int64_t i, int64_t j)
{
    const int64_t k = lcl_csr_seek(A, i, j);
    return k < A->row_ptr[i + 1] && A->col_ind[k] == j ? k : -1;
}
