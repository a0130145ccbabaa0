// SPDX-License-Identifier: BSD-3-Clause
// Products of every kind against the plain product.
#include "tests/support/products.h"

#include "lib/format/bsr.h"
#include "tests/support/device.h"

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

// The partial sums of one half, or, where `used` is false, that they are as
// they were.
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

static void expect_sums(const struct test_product *p, enum lcl_product product,
                        const double *y, const lcl_buffer *sums)
{
    double half[2 * GROUPS], wy = 0, yy = 0;
    for (int64_t i = 0; i < p->n; ++i) {
        wy += p->w[i] * y[i];
        yy += y[i] * y[i];
    }
    test_download(sums, half, 2 * GROUPS, sizeof *half);
    expect_sum("<w, y>", half,
               product == LCL_PRODUCT_DOT || product == LCL_PRODUCT_DOT_NORM,
               wy);
    expect_sum(
        "<y, y>", half + GROUPS,
        product == LCL_PRODUCT_RESIDUAL || product == LCL_PRODUCT_DOT_NORM, yy);
}

void test_product_expect(const struct test_product *p, enum lcl_product product)
{
    double *y = test_vector(p->n), *expected = test_vector(p->n);
    lcl_buffer *out = test_poisoned(p->ctx, p->n, sizeof *y);
    lcl_buffer *sums = test_poisoned(p->ctx, 2 * GROUPS, sizeof *y);
    lcl_buffer *go_on = test_stop_flag(p->ctx, 0);
    lcl_buffer *stop = test_stop_flag(p->ctx, 2);
    struct lcl_operands v = {p->device_x, p->device_w, out, sums, stop, 0};
    assert_int_equal(lcl_multiply(&p->S, product, &v), LCL_OK);
    test_untouched(out);
    test_untouched(sums);
    v.stop = go_on;
    assert_int_equal(lcl_multiply(&p->S, product, &v), LCL_OK);
    test_download(out, y, p->n, sizeof *y);
    for (int64_t i = 0; i < p->n; ++i)
        expected[i] =
            product == LCL_PRODUCT_RESIDUAL ? p->w[i] - p->ax[i] : p->ax[i];
    test_expect_near("y", y, expected, p->n, 1e-12);
    expect_sums(p, product, y, sums);
    lcl_buffer_destroy(&out);
    lcl_buffer_destroy(&sums);
    lcl_buffer_destroy(&go_on);
    lcl_buffer_destroy(&stop);
    free(y);
    free(expected);
}

void test_product_expect_all(const struct test_product *p)
{
    for (int m = 0; m < LCL_PRODUCT_COUNT; ++m)
        test_product_expect(p, (enum lcl_product)m);
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
