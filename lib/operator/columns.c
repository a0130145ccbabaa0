// SPDX-License-Identifier: BSD-3-Clause
// Products with several vectors at once.
#include "lib/operator/operator.h"

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"

#include <string.h>

enum { PASS = 8 }; // columns on the device at once, at most

static enum lcl_status check_columns(const lcl_operator *A, int64_t ldx,
                                     int64_t ldy, int64_t vectors)
{
    const struct lcl_log *log = lcl_context_log(A->range.ctx);
    const int64_t most = vectors > 0 ? INT64_MAX / 8 / vectors : INT64_MAX;
    if (vectors < 0 || ldx < A->info.cols || ldy < A->info.rows)
        return lcl_fail(log, LCL_EINVAL,
                        "lcl_operator_apply_many: %lld columns, leading "
                        "dimensions %lld of X and %lld of Y: expected >= 0, "
                        ">= %lld and >= %lld",
                        (long long)vectors, (long long)ldx, (long long)ldy,
                        (long long)A->info.cols, (long long)A->info.rows);
    if (ldx > most || ldy > most)
        return lcl_fail(log, LCL_ERANGE,
                        "lcl_operator_apply_many: %lld columns with leading "
                        "dimensions %lld and %lld: expected at most 2^63 - 1 "
                        "bytes",
                        (long long)vectors, (long long)ldx, (long long)ldy);
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

// The caller's columns from column j on.
struct given {
    const double *x;
    int64_t ldx;
    double *y;
    int64_t ldy;
};

// Buffers of a pass, on the device and on the host.
struct pass {
    lcl_buffer *in, *result;
    double *packed;
};

static enum lcl_status pass_init(struct pass *P, const lcl_operator *A,
                                 int64_t vectors)
{
    const int64_t rows = A->range.n, cols = A->domain.n;
    const int64_t most = rows > cols ? rows : cols;
    const struct lcl_buffer_plan all[] = {
        {&P->in, cols * vectors, sizeof(double), "columns of X"},
        {&P->result, rows * vectors, sizeof(double), "columns of Y"},
    };
    *P = (struct pass){.in = NULL};
    const enum lcl_status st = lcl_buffers_create(A->range.ctx, all, 2);
    if (st < 0)
        return st;
    P->packed = lcl_malloc((size_t)(most * vectors), sizeof *P->packed);
    return P->packed
               ? LCL_OK
               : lcl_fail_memory(lcl_context_log(A->range.ctx), "columns");
}

static void pass_finish(struct pass *P)
{
    lcl_free(P->packed);
    lcl_buffer_destroy(&P->result);
    lcl_buffer_destroy(&P->in);
}

static enum lcl_status apply_pass(lcl_operator *A, const struct pass *P,
                                  const struct given *c, int64_t vectors)
{
    const int64_t rows = A->range.n, cols = A->domain.n;
    const size_t size = (size_t)vectors * sizeof(double);
    const struct lcl_columns v = {P->in, cols, P->result, rows};
    enum lcl_status st;
    copy_columns(P->packed, cols, c->x, c->ldx, cols, vectors);
    if ((st = lcl_buffer_write(P->in, P->packed, (size_t)cols * size)) < 0 ||
        (st = A->ops->apply_many(A, &v, vectors)) < 0 ||
        (st = lcl_buffer_read(P->result, P->packed, (size_t)rows * size)) < 0)
        return st;
    copy_columns(c->y, c->ldy, P->packed, rows, rows, vectors);
    return LCL_OK;
}

static enum lcl_status apply_passes(lcl_operator *A, const struct given *c,
                                    int64_t vectors)
{
    const int64_t each = vectors < PASS ? vectors : PASS;
    struct pass P;
    enum lcl_status st = pass_init(&P, A, each);
    for (int64_t j = 0; j < vectors && st == LCL_OK; j += each) {
        const struct given from_j = {c->x + j * c->ldx, c->ldx,
                                     c->y + j * c->ldy, c->ldy};
        st =
            apply_pass(A, &P, &from_j, vectors - j < each ? vectors - j : each);
    }
    pass_finish(&P);
    return st;
}

// Kernels for several columns work in the caller's numbering only.
enum lcl_status lcl_operator_apply_many(lcl_operator *A, const double *x,
                                        int64_t ldx, double *y, int64_t ldy,
                                        int64_t vectors)
{
    enum lcl_status st;
    if (!A || !x || !y)
        return lcl_misuse(A ? lcl_context_log(A->range.ctx) : NULL,
                          "lcl_operator_apply_many: an argument is NULL");
    if ((st = lcl_context_expect_free(A->range.ctx,
                                      "lcl_operator_apply_many")) < 0 ||
        (st = check_columns(A, ldx, ldy, vectors)) < 0 || vectors == 0)
        return st;
    if (!A->ops->apply_many || A->own.perm)
        return apply_columns(A, x, ldx, y, ldy, vectors);
    const struct given all = {x, ldx, y, ldy};
    return apply_passes(A, &all, vectors);
}
