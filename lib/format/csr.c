// SPDX-License-Identifier: BSD-3-Clause
// Operations on the public CSR and dense structs.
#include "lib/format/csr.h"

#include "host/alloc.h"
#include "host/log.h"

#include <levelcl/matrix.h>

#include <inttypes.h>
#include <math.h>

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

static enum lcl_status check_counts(const struct lcl_csr *A, const char *what,
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

static enum lcl_status check_row_ptr(const struct lcl_csr *A, const char *what,
                                     const struct lcl_log *log)
{
    if (A->row_ptr[0] != 0)
        return lcl_fail(log, LCL_EFORMAT,
                        "%s: row 0 starts at entry %" PRId64 ", not at 0", what,
                        A->row_ptr[0]);
    for (int64_t i = 0; i < A->rows; ++i)
        if (A->row_ptr[i + 1] < A->row_ptr[i] || A->row_ptr[i + 1] > A->nnz)
            return lcl_fail(log, LCL_EFORMAT,
                            "%s: row %" PRId64 " ends at entry %" PRId64
                            ", expected %" PRId64 " to %" PRId64,
                            what, i, A->row_ptr[i + 1], A->row_ptr[i], A->nnz);
    if (A->row_ptr[A->rows] != A->nnz)
        return lcl_fail(log, LCL_EFORMAT,
                        "%s: the last row %" PRId64 " ends at entry "
                        "%" PRId64 ", expected %" PRId64,
                        what, A->rows - 1, A->row_ptr[A->rows], A->nnz);
    return LCL_OK;
}

static enum lcl_status check_columns(const struct lcl_csr *A, const char *what,
                                     int64_t i, const struct lcl_log *log)
{
    int64_t previous = -1;
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
        const int64_t j = A->col_ind[k];
        if (j < 0 || j >= A->cols)
            return lcl_fail(log, LCL_EFORMAT,
                            "%s: row %" PRId64 " has column %" PRId64
                            ", expected 0 to %" PRId64,
                            what, i, j, A->cols - 1);
        if (j <= previous)
            return lcl_fail(log, LCL_EFORMAT,
                            "%s: row %" PRId64 " has column %" PRId64
                            " after %" PRId64 ", expected ascending columns",
                            what, i, j, previous);
        previous = j;
    }
    return LCL_OK;
}

enum lcl_status lcl_csr_check_pattern(const struct lcl_csr *A, const char *what,
                                      const struct lcl_log *log)
{
    enum lcl_status st;
    if ((st = check_counts(A, what, log)) < 0 ||
        (st = check_row_ptr(A, what, log)) < 0)
        return st;
    for (int64_t i = 0; i < A->rows; ++i)
        if ((st = check_columns(A, what, i, log)) < 0)
            return st;
    return LCL_OK;
}

static enum lcl_status check_values(const struct lcl_csr *A, int64_t i,
                                    const struct lcl_log *log)
{
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
        if (!isfinite(A->val[k]))
            return lcl_fail(log, LCL_EFORMAT,
                            "matrix: row %" PRId64 ", column %d"
                            " has value %g, expected a finite one",
                            i, (int)A->col_ind[k], A->val[k]);
    return LCL_OK;
}

enum lcl_status lcl_csr_check(const struct lcl_csr *A,
                              const struct lcl_log *log)
{
    if (!A || !A->row_ptr || (A->nnz > 0 && (!A->col_ind || !A->val)))
        return lcl_misuse(log, "matrix: an array is missing");
    enum lcl_status st;
    if ((st = lcl_csr_check_pattern(A, "matrix", log)) < 0)
        return st;
    for (int64_t i = 0; i < A->rows; ++i)
        if ((st = check_values(A, i, log)) < 0)
            return st;
    return LCL_OK;
}

void lcl_csr_multiply(const struct lcl_csr *A, const double *x, double *y)
{
    for (int64_t i = 0; i < A->rows; ++i) {
        double sum = 0;
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            sum += A->val[k] * x[A->col_ind[k]];
        y[i] = sum;
    }
}

int64_t lcl_csr_seek(const struct lcl_csr *A, int64_t i, int64_t j)
{
    int64_t low = A->row_ptr[i], high = A->row_ptr[i + 1];
    while (low < high) {
        const int64_t mid = low + (high - low) / 2;
        if (A->col_ind[mid] < j)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

int64_t lcl_csr_find(const struct lcl_csr *A, int64_t i, int64_t j)
{
    const int64_t k = lcl_csr_seek(A, i, j);
    return k < A->row_ptr[i + 1] && A->col_ind[k] == j ? k : -1;
}
