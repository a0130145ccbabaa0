// SPDX-License-Identifier: BSD-3-Clause
// Products with several vectors at once.
#include "lib/operator/operator.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"

#include <string.h>

enum { PASS = 8 }; // maximum number of columns on the device at once

static enum lcl_status check_columns(const lcl_operator *A, int64_t ldx,
                                     int64_t ldy, int64_t vectors)
{
    const struct lcl_log *log = lcl_context_log(A->range.ctx);
    const int64_t most = vectors > 0 ? INT64_MAX / 8 / vectors : INT64_MAX;
    if (vectors < 0 || ldx < A->info.cols || ldy < A->info.rows)
        return lcl_fail(log, LCL_EINVAL,
                        "lcl_operator_apply_many: %lld columns, leading "
                        "dimensions %lld and %lld of a matrix of %lld x %lld",
                        (long long)vectors, (long long)ldx, (long long)ldy,
                        (long long)A->info.rows, (long long)A->info.cols);
    if (ldx > most || ldy > most)
        return lcl_fail(log, LCL_ERANGE,
                        "lcl_operator_apply_many: %lld columns are too many",
                        (long long)vectors);
    return LCL_OK;
}

// Multiplies column by column, for operators without a product of several
// columns.
static enum lcl_status apply_columns(lcl_operator *A, const double *x,
                                     int64_t ldx, double *y, int64_t ldy,
                                     int64_t vectors)
{
    enum lcl_status st = LCL_OK;
    for (int64_t j = 0; j < vectors && st == LCL_OK; ++j)
        st = lcl_operator_apply(A, x + j * ldx, y + j * ldy);
    return st;
}

// Copies columns between strided and contiguous storage.
static void copy_columns(double *to, int64_t ld_to, const double *from,
                         int64_t ld_from, int64_t n, int64_t vectors)
{
    for (int64_t j = 0; j < vectors; ++j)
        memcpy(to + j * ld_to, from + j * ld_from, (size_t)n * sizeof *to);
}

// Multiplies up to PASS columns through `packed`, which has room for them.
static enum lcl_status apply_pass(lcl_operator *A, lcl_buffer *in,
                                  lcl_buffer *result, double *packed,
                                  const double *x, int64_t ldx, double *y,
                                  int64_t ldy, int64_t vectors)
{
    const int64_t rows = A->info.rows, cols = A->info.cols;
    const size_t size = (size_t)vectors * sizeof(double);
    const struct lcl_columns v = {in, cols, result, rows};
    enum lcl_status st;
    copy_columns(packed, cols, x, ldx, cols, vectors);
    if ((st = lcl_buffer_write(in, packed, (size_t)cols * size)) < 0 ||
        (st = A->ops->apply_many(A, &v, vectors)) < 0 ||
        (st = lcl_buffer_read(result, packed, (size_t)rows * size)) < 0)
        return st;
    copy_columns(y, ldy, packed, rows, rows, vectors);
    return LCL_OK;
}

enum lcl_status lcl_operator_apply_many(lcl_operator *A, const double *x,
                                        int64_t ldx, double *y, int64_t ldy,
                                        int64_t vectors)
{
    lcl_buffer *in = NULL, *result = NULL;
    double *packed = NULL;
    enum lcl_status st;
    if (!A || !x || !y)
        return lcl_misuse(A ? lcl_context_log(A->range.ctx) : NULL,
                          "lcl_operator_apply_many: an argument is NULL");
    if ((st = check_columns(A, ldx, ldy, vectors)) < 0 || vectors == 0)
        return st;
    if (!A->ops->apply_many)
        return apply_columns(A, x, ldx, y, ldy, vectors);
    const int64_t rows = A->info.rows, cols = A->info.cols;
    const int64_t pass = vectors < PASS ? vectors : PASS;
    if ((st = lcl_buffer_create(&in, A->range.ctx, cols * pass, sizeof *x,
                                "columns of X")) < 0 ||
        (st = lcl_buffer_create(&result, A->range.ctx, rows * pass, sizeof *y,
                                "columns of Y")) < 0)
        goto out;
    packed = lcl_malloc((size_t)((rows > cols ? rows : cols) * pass),
                        sizeof *packed);
    if (!packed) {
        st = lcl_fail_memory(lcl_context_log(A->range.ctx), "columns");
        goto out;
    }
    for (int64_t j = 0; j < vectors && st == LCL_OK; j += pass)
        st = apply_pass(A, in, result, packed, x + j * ldx, ldx, y + j * ldy,
                        ldy, vectors - j < pass ? vectors - j : pass);
out:
    lcl_free(packed);
    lcl_buffer_destroy(&result);
    lcl_buffer_destroy(&in);
    return st;
}
