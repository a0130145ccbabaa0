// SPDX-License-Identifier: BSD-3-Clause
// csr.cl and bsr.cl, products and the sums that follow, compared with the plain
// product.
#include "tests/support/device.h"
#include "tests/support/products.h"
#include "tests/support/systems.h"

#include "host/launch.h"
#include "lib/spmv/autotune.h"

// csr.cl or bsr.cl with a given number of lanes per row instead of the
// autotuned one.
struct forced {
    lcl_kernel *kernels[LCL_PRODUCT_MODES];
};

static enum lcl_status multiply_forced(const struct lcl_spmv *S,
                                       enum lcl_mode mode,
                                       const struct lcl_operands *v)
{
    const struct forced *F = S->state;
    const struct lcl_device_matrix *A = S->A;
    return LCL_LAUNCH(F->kernels[mode], S->groups, lcl_arg_long(A->block_rows),
                      lcl_arg_buffer(A->row_ptr), lcl_arg_buffer(A->col),
                      lcl_arg_buffer(A->val), lcl_arg_buffer(v->x),
                      lcl_arg_buffer(v->w), lcl_arg_buffer(v->y),
                      lcl_arg_buffer(v->sums), lcl_arg_buffer(v->stop),
                      lcl_arg_int(v->at));
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
        .block = block > 1 ? block : 0,
        .wide = wide,
        .defines = {{"LANES_PER_ROW", lanes}},
    };
    assert_int_equal(
        lcl_product_kernels(F->kernels, ctx, &spec, block > 1 ? "bsr" : "csr"),
        LCL_OK);
}

static void expect_products(lcl_context *ctx, const struct lcl_bsr *A,
                            int lanes, bool wide)
{
    struct test_product p;
    struct forced forced;
    get_kernels(&forced, ctx, A->block_size, lanes, wide);
    test_product_init(&p, ctx, A);
    test_product_upload(&p, wide);
    p.S.ops = &forced_ops;
    p.S.state = &forced;
    test_product_expect_all(&p);
    test_product_finish(&p);
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

// With many lanes, small blocks cover all cases, and large ones take long to
// compile.
static void test_spmv__a_lane_a_block_row_matches(void **state)
{
    const int largest = test_width(*state) > 1 ? 3 : LCL_BLOCK_MAX;
    for (int b = 2; b <= largest; ++b)
        expect_all(*state, b, 1, b == 3);
}

static void test_spmv__a_lane_a_row_of_blocks_matches(void **state)
{
    const int group = test_group(*state, 2);
    const int step = (int)test_size(3, 1);
    for (int b = 2; b <= LCL_BLOCK_MAX && b <= group; b += step)
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

// lcl_spmv_init() of a type creates a product; p checks it.
static void open_type(struct test_product *p, lcl_context *ctx,
                      enum lcl_spmv_type type, const struct lcl_bsr *A)
{
    test_product_init(p, ctx, A);
    assert_int_equal(lcl_device_matrix_init(&p->D, ctx, A), LCL_OK);
    assert_int_equal(p->D.n, p->n);
    assert_int_equal(p->D.block, A->block_size);
    assert_int_equal(p->D.blocks, A->nnz);
    assert_int_equal(lcl_spmv_init(&p->S, type, ctx, &p->D), LCL_OK);
    p->S.groups = TEST_PRODUCT_GROUPS;
}

static void test_spmv__what_is_chosen_for_the_device_matches(void **state)
{
    static const int blocks[] = {1, 3, 8};
    struct lcl_csr pattern = test_random_csr(test_size(23, 211), 4, 9);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i) {
        struct lcl_bsr A = test_random_blocks(&pattern, blocks[i], 7);
        struct test_product p;
        open_type(&p, *state, LCL_SPMV_DEFAULT, &A);
        assert_int_equal(p.S.type, LCL_SPMV_CSR);
        test_product_expect(&p, LCL_APPLY_DOT_NORM);
        test_product_finish(&p);
        test_bsr_finish(&A);
    }
    test_csr_finish(&pattern);
}

// ------------------------------------------------------------------ columns

static void expect_columns(lcl_context *ctx, const struct lcl_csr *pattern,
                           int block, const int *columns, size_t count)
{
    struct lcl_bsr A = test_random_blocks(pattern, block, 7);
    struct test_product p;
    open_type(&p, ctx, LCL_SPMV_CSR, &A);
    for (size_t i = 0; i < count; ++i)
        test_product_expect_many(&p, columns[i]);
    test_product_finish(&p);
    test_bsr_finish(&A);
}

static void test_spmv__several_columns_match(void **state)
{
    static const int all[] = {1, 2, 4, 8, 15}, three[] = {3};
    struct lcl_csr pattern = test_random_csr(test_size(19, 143), 4, 9);
    expect_columns(*state, &pattern, 1, all, sizeof all / sizeof *all);
    expect_columns(*state, &pattern, 3, three, 1);
    test_csr_finish(&pattern);
}

static void test_spmv__several_columns_with_wide_row_pointers_match(
    void **state)
{
    static const int blocks[] = {1, 2};
    struct lcl_csr pattern = test_random_csr(test_size(19, 143), 4, 9);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i) {
        struct lcl_bsr A = test_random_blocks(&pattern, blocks[i], 7);
        struct test_product p;
        test_product_init(&p, *state, &A);
        test_product_upload(&p, true);
        assert_int_equal(lcl_spmv_init(&p.S, LCL_SPMV_CSR, *state, &p.D),
                         LCL_OK);
        test_product_expect_many(&p, 2);
        test_product_expect_many(&p, 3);
        test_product_finish(&p);
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
        cmocka_unit_test(test_spmv__several_columns_match),
        cmocka_unit_test(
            test_spmv__several_columns_with_wide_row_pointers_match),
    };
    return test_device_run(tests);
}
