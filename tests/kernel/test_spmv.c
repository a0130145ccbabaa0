// SPDX-License-Identifier: BSD-3-Clause
// csr.cl and bsr.cl, products and the sums that follow, against the plain
// product.
#include "tests/support/device.h"
#include "tests/support/systems.h"

#include "host/launch.h"
#include "lib/format/bsr.h"
#include "lib/spmv/spmv.h"

#include <stdlib.h>

enum { GROUPS = 3 };

// csr.cl or bsr.cl with so many lanes a row, instead of what would be chosen.
struct forced {
    lcl_kernel *kernels[LCL_PRODUCT_COUNT];
};

static enum lcl_status multiply_forced(const struct lcl_spmv *S,
                                       enum lcl_product product,
                                       const struct lcl_operands *v)
{
    const struct forced *F = S->state;
    const struct lcl_device_matrix *A = S->A;
    return LCL_LAUNCH(F->kernels[product], S->groups,
                      lcl_arg_long(A->block_rows), lcl_arg_buffer(A->row_ptr),
                      lcl_arg_buffer(A->col), lcl_arg_buffer(A->val),
                      lcl_arg_buffer(v->x), lcl_arg_buffer(v->w),
                      lcl_arg_buffer(v->y), lcl_arg_buffer(v->sums),
                      lcl_arg_buffer(v->stop), lcl_arg_int(v->at));
}

static void keep(struct lcl_spmv *S)
{
    (void)S;
}

static const struct lcl_spmv_ops forced_ops = {.multiply = multiply_forced,
                                               .destroy = keep};

static void get_kernels(struct forced *F, lcl_context *ctx, int block,
                        int lanes, bool wide)
{
    const struct lcl_spec spec = {
        .source = block > 1 ? "bsr.cl" : "csr.cl",
        .group = test_group(ctx, 2),
        .lanes = lanes,
        .block = block > 1 ? block : 0,
        .wide = wide,
    };
    assert_int_equal(
        lcl_product_kernels(F->kernels, ctx, &spec, block > 1 ? "bsr" : "csr"),
        LCL_OK);
}

static lcl_buffer *upload_row_ptr(lcl_context *ctx, const struct lcl_bsr *A,
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
    struct lcl_device_matrix D;
    struct forced forced;
    struct lcl_spmv S;
    int64_t n;
    double *x, *w, *ax;
    lcl_buffer *device_x, *device_w;
};

static void product_init(struct product *p, lcl_context *ctx,
                         const struct lcl_bsr *A)
{
    const int64_t n = A->rows * A->block_size;
    *p = (struct product){
        .ctx = ctx,
        .D = {.block_rows = A->rows},
        .n = n,
        .x = test_random_vector(n, 1),
        .w = test_random_vector(n, 2),
        .ax = test_vector(n),
    };
    p->device_x = test_upload(ctx, p->x, n, sizeof *p->x);
    p->device_w = test_upload(ctx, p->w, n, sizeof *p->w);
    lcl_bsr_multiply(A, p->x, p->ax);
}

static void upload_matrix(struct product *p, const struct lcl_bsr *A, int lanes,
                          bool wide)
{
    lcl_context *ctx = p->ctx;
    get_kernels(&p->forced, ctx, A->block_size, lanes, wide);
    p->S = (struct lcl_spmv){
        .ops = &forced_ops, .A = &p->D, .groups = GROUPS, .state = &p->forced};
    p->D.row_ptr = upload_row_ptr(ctx, A, wide);
    p->D.col = test_upload(ctx, A->col_ind, A->nnz, sizeof *A->col_ind);
    p->D.val =
        test_upload(ctx, A->val, A->nnz * lcl_block_values(A), sizeof *A->val);
}

static void product_finish(struct product *p)
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

static void expect_sums(const struct product *p, enum lcl_product product,
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

static void expect_product(const struct product *p, enum lcl_product product)
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

static void expect_products(lcl_context *ctx, const struct lcl_bsr *A,
                            int lanes, bool wide)
{
    struct product p;
    product_init(&p, ctx, A);
    upload_matrix(&p, A, lanes, wide);
    for (int m = 0; m < LCL_PRODUCT_COUNT; ++m)
        expect_product(&p, (enum lcl_product)m);
    product_finish(&p);
}

// Every matrix, with a block of `block` rows for each entry.
static void expect_all(lcl_context *ctx, int block, int lanes, bool wide)
{
    for (int i = 0; i < test_system_count(); ++i) {
        struct test_system S;
        test_system_init(&S, i, false);
        struct lcl_bsr A = test_random_blocks(&S.A, block, 5);
        expect_products(ctx, &A, lanes, wide);
        test_bsr_finish(&A);
        test_system_finish(&S);
    }
}

// ------------------------------------------------------------------ entries

static void test_spmv__a_lane_a_row_matches(void **state)
{
    expect_all(*state, 1, 1, false);
}

static void test_spmv__two_lanes_with_wide_row_pointers_match(void **state)
{
    expect_all(*state, 1, test_width(*state) > 1 ? 2 : 1, true);
}

static void test_spmv__a_wave_a_row_matches(void **state)
{
    expect_all(*state, 1, test_width(*state), false);
}

// ------------------------------------------------------------------ blocks

// With many lanes small blocks show it all, and large ones compile for long.
static void test_spmv__a_lane_a_block_row_matches(void **state)
{
    const int largest = test_width(*state) > 1 ? 3 : LCL_BLOCK_MAX;
    for (int b = 2; b <= largest; ++b)
        expect_all(*state, b, 1, b == 3);
}

static void test_spmv__a_lane_a_row_of_blocks_matches(void **state)
{
    const int group = test_group(*state, 2);
    for (int b = 2; b <= LCL_BLOCK_MAX && b <= group; ++b)
        expect_all(*state, b, b, b == 2);
}

static void test_spmv__a_lane_an_entry_of_blocks_matches(void **state)
{
    const int width = test_width(*state);
    for (int b = 2; b <= LCL_BLOCK_MAX && b * b <= width; ++b)
        expect_all(*state, b, b * b, b == 2);
}

static void test_spmv__empty_rows_give_zero(void **state)
{
    const double dense[25] = {[1 * 5 + 4] = 2, [3 * 5 + 0] = -3};
    struct lcl_csr pattern = test_csr_from_dense(5, dense);
    for (int b = 1; b <= 2; ++b) {
        struct lcl_bsr A = test_random_blocks(&pattern, b, 6);
        expect_products(*state, &A, 1, false);
        expect_products(*state, &A, test_width(*state) > 1 ? b * b : 1, false);
        test_bsr_finish(&A);
    }
    test_csr_finish(&pattern);
}

static void test_spmv__what_is_chosen_for_the_device_matches(void **state)
{
    static const int blocks[] = {1, 3, 8};
    struct lcl_csr pattern = test_random_csr(test_size(23, 211), 4, 9);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i) {
        struct lcl_bsr A = test_random_blocks(&pattern, blocks[i], 7);
        struct product p;
        product_init(&p, *state, &A);
        assert_int_equal(lcl_device_matrix_init(&p.D, *state, &A), LCL_OK);
        assert_int_equal(p.D.n, p.n);
        assert_int_equal(p.D.block, blocks[i]);
        assert_int_equal(p.D.blocks, A.nnz);
        assert_int_equal(lcl_spmv_init(&p.S, LCL_SPMV_DEFAULT, *state, &p.D),
                         LCL_OK);
        p.S.groups = GROUPS;
        expect_product(&p, LCL_PRODUCT_DOT_NORM);
        product_finish(&p);
        test_bsr_finish(&A);
    }
    test_csr_finish(&pattern);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spmv__a_lane_a_row_matches),
        cmocka_unit_test(test_spmv__two_lanes_with_wide_row_pointers_match),
        cmocka_unit_test(test_spmv__a_wave_a_row_matches),
        cmocka_unit_test(test_spmv__a_lane_a_block_row_matches),
        cmocka_unit_test(test_spmv__a_lane_a_row_of_blocks_matches),
        cmocka_unit_test(test_spmv__a_lane_an_entry_of_blocks_matches),
        cmocka_unit_test(test_spmv__empty_rows_give_zero),
        cmocka_unit_test(test_spmv__what_is_chosen_for_the_device_matches),
    };
    return test_device_run(tests);
}
