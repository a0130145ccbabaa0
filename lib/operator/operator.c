// SPDX-License-Identifier: BSD-3-Clause
// Public interface of operators.
#include "lib/operator/operator.h"
#include "host/alloc.h"
#include "host/interop.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/matrix/blocked.h"
#include "lib/matrix/csr.h"

#include <levelcl/opencl.h>

#include <string.h>

enum { PASS = 8 }; // maximum number of columns on the device at once

// Reports a NULL argument; the object itself may be NULL.
static enum lcl_status refuse_null(const lcl_operator *A, const char *function)
{
    return lcl_misuse(A ? lcl_context_log(A->ctx) : NULL,
                      "%s: an argument is NULL", function);
}

// ------------------------------------------------------------------- creation

static enum lcl_status check_params(const struct lcl_operator_params *p,
                                    const struct lcl_log *log)
{
    if ((unsigned)p->spmv >= LCL_SPMV_COUNT ||
        (unsigned)p->kron >= LCL_KRON_COUNT)
        return lcl_misuse(log, "lcl_operator_create: an enum is out of range");
    if (p->block_size < 0 || p->block_size > LCL_BLOCK_MAX)
        return lcl_fail(log, LCL_EINVAL,
                        "block size %d: expected a number from 1 to %d, or 0",
                        p->block_size, LCL_BLOCK_MAX);
    return LCL_OK;
}

enum lcl_status lcl_operator_begin(lcl_operator **out, const lcl_context *ctx,
                                   const void *A, const char *function,
                                   const struct lcl_operator_params **params)
{
    static const struct lcl_operator_params defaults = LCL_OPERATOR_PARAMS_INIT;
    const struct lcl_log *log = lcl_context_log(ctx);
    if (!*params)
        *params = &defaults;
    if (out)
        *out = NULL;
    return out && ctx && A
               ? check_params(*params, log)
               : lcl_misuse(log, "%s: an argument is NULL", function);
}

// Expects a well-formed matrix, checked parameters and *out NULL.
static enum lcl_status create(lcl_operator **out, lcl_context *ctx,
                              const struct lcl_blocked *B,
                              const struct lcl_operator_params *params)
{
    const struct lcl_bsr *A = &B->A;
    lcl_operator *P = lcl_calloc(1, sizeof *P);
    enum lcl_status st;
    if (!P)
        return lcl_fail_memory(lcl_context_log(ctx), "an operator");
    P->ctx = ctx;
    if ((st = lcl_system_init(&P->system, ctx, A, NULL, NULL)) < 0 ||
        (st = lcl_system_take_entries(&P->system, B->place, B->entries)) < 0 ||
        (st = lcl_system_make_product(&P->system, params->spmv)) < 0) {
        lcl_operator_destroy(&P);
        return st;
    }
    P->info = (struct lcl_operator_info){
        .spmv = P->system.product.type,
        .stages = 1,
        .rows = A->rows * A->block_size,
        .cols = A->cols * A->block_size,
        .nnz = B->entries,
        .block_size = A->block_size,
        .bytes = lcl_device_matrix_bytes(&P->system.matrix) +
                 P->system.product.bytes,
        .traffic = P->system.product.traffic,
    };
    *out = P;
    return LCL_OK;
}

enum lcl_status lcl_operator_create(lcl_operator **out, lcl_context *ctx,
                                    const struct lcl_csr *A,
                                    const struct lcl_operator_params *params)
{
    struct lcl_blocked B;
    enum lcl_status st;
    if ((st = lcl_operator_begin(out, ctx, A, "lcl_operator_create", &params)) <
            0 ||
        (st = lcl_csr_check(A, lcl_context_log(ctx))) < 0)
        return st;
    if ((st = lcl_blocked_from_csr(&B, ctx, A, params->block_size)) == LCL_OK)
        st = create(out, ctx, &B, params);
    lcl_blocked_finish(&B);
    return st;
}

enum lcl_status lcl_operator_create_bsr(
    lcl_operator **out, lcl_context *ctx, const struct lcl_bsr *A,
    const struct lcl_operator_params *params)
{
    struct lcl_blocked B;
    enum lcl_status st;
    if ((st = lcl_operator_begin(out, ctx, A, "lcl_operator_create_bsr",
                                 &params)) < 0 ||
        (st = lcl_bsr_check(A, lcl_context_log(ctx))) < 0 ||
        (st = lcl_blocked_from_bsr(&B, ctx, A, params->block_size)) < 0)
        return st;
    return create(out, ctx, &B, params);
}

enum lcl_status lcl_operator_update(lcl_operator *A, const double *val)
{
    if (!A || !val)
        return refuse_null(A, "lcl_operator_update");
    if (A->info.kron)
        return lcl_misuse(lcl_context_log(A->ctx),
                          "lcl_operator_update: it was made of a lcl_kron");
    const int64_t k = lcl_find_not_finite(val, A->info.nnz);
    if (k >= 0)
        return lcl_fail(lcl_context_log(A->ctx), LCL_EFORMAT,
                        "lcl_operator_update: value %lld is not finite",
                        (long long)k);
    return lcl_system_update(&A->system, val);
}

const struct lcl_operator_info *lcl_operator_info(const lcl_operator *A)
{
    return A ? &A->info : NULL;
}

void lcl_operator_destroy(lcl_operator **out)
{
    if (!out || !*out)
        return;
    lcl_operator *A = *out;
    lcl_system_finish(&A->system);
    lcl_buffer_destroy(&A->x);
    lcl_buffer_destroy(&A->y);
    lcl_free(A);
    *out = NULL;
}

// ------------------------------------------------------------------- products

static enum lcl_status multiply(const lcl_operator *A, const lcl_buffer *x,
                                lcl_buffer *y)
{
    return lcl_multiply(
        &A->system.product, LCL_PRODUCT_PLAIN,
        &(struct lcl_operands){x, y, y, NULL, A->system.never, 0});
}

static enum lcl_status make_vectors(lcl_operator *A)
{
    enum lcl_status st = LCL_OK;
    if (!A->x)
        st =
            lcl_buffer_create(&A->x, A->ctx, A->info.cols, sizeof(double), "x");
    if (st == LCL_OK && !A->y)
        st =
            lcl_buffer_create(&A->y, A->ctx, A->info.rows, sizeof(double), "y");
    return st;
}

enum lcl_status lcl_operator_apply(lcl_operator *A, const double *x, double *y)
{
    enum lcl_status st;
    if (!A || !x || !y)
        return refuse_null(A, "lcl_operator_apply");
    if ((st = make_vectors(A)) < 0)
        return st;
    // only square operators have a numbering of their own
    st = A->system.perm
             ? lcl_system_put(&A->system, x, A->x)
             : lcl_buffer_write(A->x, x, (size_t)A->info.cols * sizeof *x);
    if (st < 0 || (st = multiply(A, A->x, A->y)) < 0)
        return st;
    return lcl_system_get(&A->system, A->y, y);
}

// x and y are buffers of the caller.
static enum lcl_status apply_buffers(lcl_operator *A, const lcl_buffer *x,
                                     lcl_buffer *y)
{
    enum lcl_status st;
    if (!A->system.perm)
        return multiply(A, x, y);
    if ((st = make_vectors(A)) < 0 ||
        (st = lcl_system_import(&A->system, x, A->x)) < 0 ||
        (st = multiply(A, A->x, A->y)) < 0)
        return st;
    return lcl_system_export(&A->system, A->y, y);
}

enum lcl_status lcl_operator_apply_cl(lcl_operator *A, cl_mem x, cl_mem y)
{
    lcl_buffer *in = NULL, *result = NULL;
    enum lcl_status st;
    if (!A || !x || !y)
        return refuse_null(A, "lcl_operator_apply_cl");
    const size_t cols = (size_t)A->info.cols * sizeof(double);
    const size_t rows = (size_t)A->info.rows * sizeof(double);
    if ((st = lcl_buffer_wrap(&in, A->ctx, x, LCL_ACCESS_READ, "x")) < 0 ||
        (st = lcl_buffer_wrap(&result, A->ctx, y, LCL_ACCESS_WRITE, "y")) < 0)
        goto out;
    if (x == y || lcl_buffer_bytes(in) < cols ||
        lcl_buffer_bytes(result) < rows)
        st = lcl_fail(lcl_context_log(A->ctx), LCL_EINVAL,
                      "lcl_operator_apply_cl: two buffers of at least %zu and "
                      "%zu bytes expected",
                      cols, rows);
    else
        st = apply_buffers(A, in, result);
out:
    lcl_buffer_destroy(&result);
    lcl_buffer_destroy(&in);
    return st;
}

// ------------------------------------------------------------------- columns

static enum lcl_status check_columns(const lcl_operator *A, int64_t ldx,
                                     int64_t ldy, int64_t vectors)
{
    const struct lcl_log *log = lcl_context_log(A->ctx);
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
        (st = lcl_multiply_many(&A->system.product, &v, vectors)) < 0 ||
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
        return refuse_null(A, "lcl_operator_apply_many");
    if ((st = check_columns(A, ldx, ldy, vectors)) < 0 || vectors == 0)
        return st;
    if (A->info.kron)
        return apply_columns(A, x, ldx, y, ldy, vectors);
    const int64_t rows = A->info.rows, cols = A->info.cols;
    const int64_t pass = vectors < PASS ? vectors : PASS;
    if ((st = lcl_buffer_create(&in, A->ctx, cols * pass, sizeof *x,
                                "columns of X")) < 0 ||
        (st = lcl_buffer_create(&result, A->ctx, rows * pass, sizeof *y,
                                "columns of Y")) < 0)
        goto out;
    packed = lcl_malloc((size_t)((rows > cols ? rows : cols) * pass),
                        sizeof *packed);
    if (!packed) {
        st = lcl_fail_memory(lcl_context_log(A->ctx), "columns");
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
