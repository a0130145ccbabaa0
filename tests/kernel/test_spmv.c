// SPDX-License-Identifier: BSD-3-Clause
// csr.cl, products and the sums that follow, against the plain product.
#include "tests/support/device.h"
#include "tests/support/systems.h"

#include "lib/spmv/csr.h"

#include <stdlib.h>

enum { GROUPS = 3 };

static void get_kernels(struct lcl_device_csr *D, lcl_context *ctx, int lanes,
                        bool wide)
{
    static const char *const names[LCL_SPMV_COUNT] = {
        "csr_plain", "csr_dot", "csr_dot_norm", "csr_residual"};
    struct lcl_spec spec = {
        .source = "csr.cl",
        .group = test_group(ctx, 2),
        .lanes = lanes,
        .wide = wide,
    };
    for (int m = 0; m < LCL_SPMV_COUNT; ++m) {
        spec.kernel = names[m];
        D->kernels[m] = test_kernel(ctx, &spec);
    }
}

static lcl_buffer *upload_row_ptr(lcl_context *ctx, const struct lcl_csr *A,
                                  bool wide)
{
    if (wide)
        return test_upload(ctx, A->row_ptr, A->rows + 1, sizeof(int64_t));
    uint32_t *narrow = calloc((size_t)A->rows + 1, sizeof *narrow);
    assert_non_null(narrow);
    for (int64_t i = 0; i <= A->rows; ++i)
        narrow[i] = (uint32_t)A->row_ptr[i];
    lcl_buffer *buffer = test_upload(ctx, narrow, A->rows + 1, sizeof *narrow);
    free(narrow);
    return buffer;
}

// A matrix on the device, vectors x and w, what a product gives.
struct product {
    lcl_context *ctx;
    struct lcl_device_csr D;
    int64_t n;
    double *x, *w, *ax;
    lcl_buffer *device_x, *device_w;
};

static void product_init(struct product *p, lcl_context *ctx,
                         const struct lcl_csr *A, int lanes, bool wide)
{
    const int64_t n = A->rows;
    *p = (struct product){
        .ctx = ctx,
        .D = {.n = n, .nnz = A->nnz, .groups = GROUPS},
        .n = n,
        .x = test_random_vector(n, 1),
        .w = test_random_vector(n, 2),
        .ax = test_vector(n),
    };
    get_kernels(&p->D, ctx, lanes, wide);
    p->D.row_ptr = upload_row_ptr(ctx, A, wide);
    p->D.col = test_upload(ctx, A->col_ind, A->nnz, sizeof *A->col_ind);
    p->D.val = test_upload(ctx, A->val, A->nnz, sizeof *A->val);
    p->device_x = test_upload(ctx, p->x, n, sizeof *p->x);
    p->device_w = test_upload(ctx, p->w, n, sizeof *p->w);
    lcl_csr_multiply(A, p->x, p->ax);
}

static void product_finish(struct product *p)
{
    lcl_device_csr_finish(&p->D);
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

static void expect_sums(const struct product *p, enum lcl_spmv_mode mode,
                        const double *y, const lcl_buffer *sums)
{
    double half[2 * GROUPS], wy = 0, yy = 0;
    for (int64_t i = 0; i < p->n; ++i) {
        wy += p->w[i] * y[i];
        yy += y[i] * y[i];
    }
    test_download(sums, half, 2 * GROUPS, sizeof *half);
    expect_sum("<w, y>", half,
               mode == LCL_SPMV_DOT || mode == LCL_SPMV_DOT_NORM, wy);
    expect_sum("<y, y>", half + GROUPS,
               mode == LCL_SPMV_RESIDUAL || mode == LCL_SPMV_DOT_NORM, yy);
}

static void expect_mode(const struct product *p, enum lcl_spmv_mode mode)
{
    double *y = test_vector(p->n), *expected = test_vector(p->n);
    lcl_buffer *out = test_poisoned(p->ctx, p->n, sizeof *y);
    lcl_buffer *sums = test_poisoned(p->ctx, 2 * GROUPS, sizeof *y);
    lcl_buffer *go_on = test_stop_flag(p->ctx, 0);
    lcl_buffer *stop = test_stop_flag(p->ctx, 2);
    assert_int_equal(
        lcl_spmv(&p->D, mode, p->device_x, p->device_w, out, sums, stop, 0),
        LCL_OK);
    test_untouched(out);
    test_untouched(sums);
    assert_int_equal(
        lcl_spmv(&p->D, mode, p->device_x, p->device_w, out, sums, go_on, 0),
        LCL_OK);
    test_download(out, y, p->n, sizeof *y);
    for (int64_t i = 0; i < p->n; ++i)
        expected[i] = mode == LCL_SPMV_RESIDUAL ? p->w[i] - p->ax[i] : p->ax[i];
    test_expect_near("y", y, expected, p->n, 1e-12);
    expect_sums(p, mode, y, sums);
    lcl_buffer_destroy(&out);
    lcl_buffer_destroy(&sums);
    lcl_buffer_destroy(&go_on);
    lcl_buffer_destroy(&stop);
    free(y);
    free(expected);
}

static void expect_products(lcl_context *ctx, const struct lcl_csr *A,
                            int lanes, bool wide)
{
    struct product p;
    product_init(&p, ctx, A, lanes, wide);
    for (int m = 0; m < LCL_SPMV_COUNT; ++m)
        expect_mode(&p, (enum lcl_spmv_mode)m);
    product_finish(&p);
}

static void expect_all(lcl_context *ctx, int lanes, bool wide)
{
    for (int i = 0; i < test_system_count(); ++i) {
        struct test_system S;
        test_system_init(&S, i, false);
        expect_products(ctx, &S.A, lanes, wide);
        test_system_finish(&S);
    }
}

static void test_spmv__a_lane_a_row_matches(void **state)
{
    expect_all(*state, 1, false);
}

static void test_spmv__two_lanes_with_wide_row_pointers_match(void **state)
{
    expect_all(*state, test_width(*state) > 1 ? 2 : 1, true);
}

static void test_spmv__a_wave_a_row_matches(void **state)
{
    expect_all(*state, test_width(*state), false);
}

static void test_spmv__empty_rows_give_zero(void **state)
{
    const double dense[25] = {[1 * 5 + 4] = 2, [3 * 5 + 0] = -3};
    struct lcl_csr A = test_csr_from_dense(5, dense);
    expect_products(*state, &A, 1, false);
    expect_products(*state, &A, test_width(*state), false);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spmv__a_lane_a_row_matches),
        cmocka_unit_test(test_spmv__two_lanes_with_wide_row_pointers_match),
        cmocka_unit_test(test_spmv__a_wave_a_row_matches),
        cmocka_unit_test(test_spmv__empty_rows_give_zero),
    };
    return test_device_run(tests);
}
