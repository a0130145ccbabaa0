// SPDX-License-Identifier: BSD-3-Clause
// Products of every type compared with the plain product.
#include "tests/support/products.h"

#include "host/runtime.h"
#include "lib/matrix/bsr.h"
#include "lib/spmv/autotune.h"
#include "tests/support/capture.h"
#include "tests/support/device.h"
#include "tests/support/systems.h"

#include <stdlib.h>
#include <string.h>

enum { GROUPS = TEST_PRODUCT_GROUPS };

void test_product_init(struct test_product *p, lcl_context *ctx,
                       const struct lcl_bsr *A)
{
    const int64_t n = A->rows * A->block_size, cols = A->cols * A->block_size;
    *p = (struct test_product){
        .ctx = ctx,
        .A = A,
        .n = n,
        .cols = cols,
        .x = test_random_vector(cols, 1),
        .w = test_random_vector(n, 2),
        .ax = test_vector(n),
    };
    p->device_x = test_upload(ctx, p->x, cols, sizeof *p->x);
    p->device_w = test_upload(ctx, p->w, n, sizeof *p->w);
    lcl_bsr_multiply(A, p->x, p->ax);
}

void test_product_upload(struct test_product *p, bool wide)
{
    lcl_context *ctx = p->ctx;
    const struct lcl_bsr *A = p->A;
    p->D = (struct lcl_device_matrix){
        .n = p->n,
        .block = A->block_size,
        .block_rows = A->rows,
        .block_cols = A->cols,
        .blocks = A->nnz,
        .wide = wide,
        .groups = GROUPS,
        .row_ptr = test_upload_row_ptr(ctx, A->row_ptr, A->rows, wide),
        .col = test_upload(ctx, A->col_ind, A->nnz, sizeof *A->col_ind),
        .val = test_upload(ctx, A->val, A->nnz * lcl_block_values(A),
                           sizeof *A->val),
    };
    p->S = (struct lcl_spmv){.ctx = ctx, .A = &p->D, .groups = GROUPS};
}

void test_product_finish(struct test_product *p)
{
    lcl_spmv_finish(&p->S);
    lcl_device_matrix_finish(&p->D);
    lcl_buffer_destroy(&p->device_x);
    lcl_buffer_destroy(&p->device_w);
    free(p->x);
    free(p->w);
    free(p->ax);
}

// Compares the partial sums of one half; if `used` is false, checks that they
// are unchanged.
static void expect_sum(const char *what, const double *half, bool used,
                       double expected)
{
    double sum = 0;
    for (int g = 0; g < GROUPS; ++g) {
        sum += half[g];
        if (!used)
            assert_memory_equal(&half[g], "\xff\xff\xff\xff\xff\xff\xff\xff",
                                sizeof *half);
    }
    if (used)
        test_expect_near(what, &sum, &expected, 1, 1e-12);
}

static void expect_sums(const struct test_product *p, enum lcl_mode mode,
                        const double *y, const lcl_buffer *sums)
{
    double half[2 * GROUPS], wy = 0, yy = 0;
    for (int64_t i = 0; i < p->n; ++i) {
        wy += p->w[i] * y[i];
        yy += y[i] * y[i];
    }
    test_download(sums, half, 2 * GROUPS, sizeof *half);
    expect_sum("<w, y>", half,
               mode == LCL_APPLY_DOT || mode == LCL_APPLY_DOT_NORM, wy);
    expect_sum("<y, y>", half + GROUPS,
               mode == LCL_RESIDUAL || mode == LCL_APPLY_DOT_NORM, yy);
}

static enum lcl_status apply(const struct test_product *p, enum lcl_mode mode,
                             const struct lcl_operands *v)
{
    return p->op ? lcl_apply(p->op, mode, v) : lcl_multiply(&p->S, mode, v);
}

void test_product_expect(const struct test_product *p, enum lcl_mode mode)
{
    double *y = test_vector(p->n), *expected = test_vector(p->n);
    lcl_buffer *out = test_poisoned(p->ctx, p->n, sizeof *y);
    lcl_buffer *sums = test_poisoned(p->ctx, 2 * GROUPS, sizeof *y);
    lcl_buffer *go_on = test_stop_flag(p->ctx, 0);
    lcl_buffer *stop = test_stop_flag(p->ctx, 2);
    struct lcl_operands v = {p->device_x, p->device_w, out, sums, stop, 0};
    assert_int_equal(apply(p, mode, &v), LCL_OK);
    test_untouched(out);
    test_untouched(sums);
    v.stop = go_on;
    assert_int_equal(apply(p, mode, &v), LCL_OK);
    test_download(out, y, p->n, sizeof *y);
    for (int64_t i = 0; i < p->n; ++i)
        expected[i] = mode == LCL_RESIDUAL    ? p->w[i] - p->ax[i]
                      : mode == LCL_APPLY_ADD ? p->ax[i] + p->w[i]
                                              : p->ax[i];
    test_expect_near("y", y, expected, p->n, 1e-12);
    expect_sums(p, mode, y, sums);
    lcl_buffer_destroy(&out);
    lcl_buffer_destroy(&sums);
    lcl_buffer_destroy(&go_on);
    lcl_buffer_destroy(&stop);
    free(y);
    free(expected);
}

void test_product_expect_all(const struct test_product *p)
{
    const int modes = p->op ? LCL_MODE_COUNT : LCL_PRODUCT_MODES;
    for (int m = 0; m < modes; ++m)
        test_product_expect(p, (enum lcl_mode)m);
}

void test_product_expect_many(const struct test_product *p, int vectors)
{
    const int64_t ldx = p->cols + 3, ldy = p->n + 2;
    double *x = test_random_vector(ldx * vectors, 8);
    double *y = test_vector(ldy * vectors), *ax = test_vector(p->n);
    lcl_buffer *device_x = test_upload(p->ctx, x, ldx * vectors, sizeof *x);
    lcl_buffer *out = test_poisoned(p->ctx, ldy * vectors, sizeof *y);
    const struct lcl_columns v = {device_x, ldx, out, ldy};
    assert_int_equal(lcl_multiply_many(&p->S, &v, vectors), LCL_OK);
    test_download(out, y, ldy * vectors, sizeof *y);
    for (int q = 0; q < vectors; ++q) {
        const double *column = y + q * ldy;
        lcl_bsr_multiply(p->A, x + q * ldx, ax);
        test_expect_near("a column of Y", column, ax, p->n, 1e-12);
        for (int64_t i = p->n; i < ldy; ++i)
            assert_memory_equal(&column[i], "\xff\xff\xff\xff\xff\xff\xff\xff",
                                sizeof *column);
    }
    lcl_buffer_destroy(&device_x);
    lcl_buffer_destroy(&out);
    free(x);
    free(y);
    free(ax);
}

void test_product_expect_type(lcl_context *ctx, enum lcl_spmv_type type,
                              const struct lcl_bsr *A, bool wide)
{
    struct test_product p;
    test_product_init(&p, ctx, A);
    test_product_upload(&p, wide);
    assert_int_equal(lcl_spmv_init(&p.S, type, ctx, &p.D), LCL_OK);
    assert_int_equal(p.S.groups, GROUPS);
    test_product_expect_all(&p);
    test_product_finish(&p);
}

void test_product_expect_systems(lcl_context *ctx, enum lcl_spmv_type type,
                                 bool wide)
{
    for (int i = 0; i < test_system_count(); ++i) {
        struct test_system S;
        test_system_init(&S, i, false);
        struct lcl_bsr A = test_random_blocks(&S.A, 1, 5);
        test_product_expect_type(ctx, type, &A, wide);
        test_bsr_finish(&A);
        test_system_finish(&S);
    }
}

void test_product_expect_lengths(lcl_context *ctx, enum lcl_spmv_type type,
                                 int64_t rows, int64_t cols,
                                 const int64_t *length, bool wide)
{
    struct lcl_csr pattern = test_rows_of_lengths(rows, cols, length);
    struct lcl_bsr A = test_random_blocks(&pattern, 1, 5);
    test_product_expect_type(ctx, type, &A, wide);
    test_bsr_finish(&A);
    test_csr_finish(&pattern);
}

void test_product_expect_no_blocks(enum lcl_spmv_type type, const char *part)
{
    struct test_capture capture;
    test_capture_init(&capture, LCL_LOG_ERROR);
    const struct lcl_context_params params = {.log = capture.log};
    struct lcl_csr pattern = test_identity(3);
    struct lcl_bsr A = test_random_blocks(&pattern, 2, 5);
    lcl_context *ctx;
    struct test_product p;
    assert_int_equal(lcl_runtime_create(&ctx, &params, &lcl_cl_loader), LCL_OK);
    test_product_init(&p, ctx, &A);
    test_product_upload(&p, false);
    assert_int_equal(lcl_spmv_init(&p.S, type, ctx, &p.D), LCL_EUNSUPPORTED);
    test_capture_expect(&capture, part);
    test_product_finish(&p);
    lcl_context_destroy(&ctx);
    test_bsr_finish(&A);
    test_csr_finish(&pattern);
}
