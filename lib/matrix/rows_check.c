// SPDX-License-Identifier: BSD-3-Clause
// Checks of the rows that a rank was given.
#include "lib/matrix/rows_check.h"

#include "host/log.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>

static enum lcl_status check_row_ptr(const struct lcl_rows *A,
                                     const struct lcl_log *log)
{
    for (int64_t i = 0; i < A->rows; ++i)
        if (A->row_ptr[i + 1] < A->row_ptr[i])
            return lcl_fail(log, LCL_EFORMAT,
                            "row %" PRId64 ": row pointers do not ascend",
                            A->first + i + 1);
    return LCL_OK;
}

enum lcl_status lcl_rows_check_sizes(const struct lcl_rows *A, int values,
                                     const struct lcl_log *log)
{
    if (A->rows < 1 || A->first < 0 || A->total < A->rows ||
        A->first > A->total - A->rows)
        return lcl_fail(log, LCL_EFORMAT,
                        "%" PRId64 " rows after the first %" PRId64
                        " of %" PRId64
                        ": expected at least one, within the matrix",
                        A->rows, A->first, A->total);
    if (A->rows > INT32_MAX)
        return lcl_fail(log, LCL_ERANGE,
                        "%" PRId64 " rows on one rank: expected at most %d",
                        A->rows, (int)INT32_MAX);
    if (!A->row_ptr || A->row_ptr[0] != 0 ||
        (A->row_ptr[A->rows] > 0 && (!A->col || (values > 0 && !A->val))))
        return lcl_fail(log, LCL_EINVAL,
                        "the rows lack an array, or do not start at entry 0");
    return check_row_ptr(A, log);
}

static bool is_finite(const double *val, int values)
{
    for (int v = 0; v < values; ++v)
        if (!isfinite(val[v]))
            return false;
    return true;
}

enum lcl_status lcl_rows_check_row(const struct lcl_rows *A, int64_t i,
                                   int values, const struct lcl_log *log)
{
    const int64_t row = A->first + i;
    const char *kind = values > 1 ? "block " : "";
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
        if (A->col[k] < 0 || A->col[k] >= A->total)
            return lcl_fail(log, LCL_EFORMAT,
                            "%srow %" PRId64 ": column %" PRId64
                            ", expected 0 to %" PRId64,
                            kind, row + 1, A->col[k], A->total - 1);
        if (k > A->row_ptr[i] && A->col[k] <= A->col[k - 1])
            return lcl_fail(log, LCL_EFORMAT,
                            "%srow %" PRId64 ": columns do not ascend", kind,
                            row + 1);
        if (values > 0 && !is_finite(A->val + k * values, values))
            return lcl_fail(log, LCL_EFORMAT,
                            "%srow %" PRId64 ", column %" PRId64
                            ": a value is not finite",
                            kind, row + 1, A->col[k] + 1);
    }
    return LCL_OK;
}

enum lcl_status lcl_rows_check(const struct lcl_rows *A, int values,
                               const struct lcl_log *log)
{
    enum lcl_status st = lcl_rows_check_sizes(A, values, log);
    for (int64_t i = 0; i < A->rows && st == LCL_OK; ++i)
        st = lcl_rows_check_row(A, i, values, log);
    return st;
}
