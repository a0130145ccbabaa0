// SPDX-License-Identifier: BSD-3-Clause
// one_pass.cl and okp.cl against the matrix itself.
#include "tests/support/device.h"
#include "tests/support/krons.h"
#include "tests/support/products.h"
#include "tests/support/systems.h"

#include "host/runtime.h"
#include "lib/format/bsr.h"
#include "lib/kron/kron.h"
#include "lib/ref/kron.h"

#include <stdlib.h>

// v has stages one after the other; then those of an unknown are together.
static void bring_stages_together(double *v, int64_t n, int s)
{
    double *old = test_vector(n);
    for (int64_t k = 0; k < n; ++k)
        old[k] = v[k];
    for (int64_t r = 0; r < n / s; ++r)
        for (int j = 0; j < s; ++j)
            v[r * s + j] = old[j * (n / s) + r];
    free(old);
}

static void renumber(struct test_product *p, int s)
{
    bring_stages_together(p->x, p->n, s);
    bring_stages_together(p->w, p->n, s);
    bring_stages_together(p->ax, p->n, s);
    lcl_buffer_destroy(&p->device_x);
    lcl_buffer_destroy(&p->device_w);
    p->device_x = test_upload(p->ctx, p->x, p->n, sizeof *p->x);
    p->device_w = test_upload(p->ctx, p->w, p->n, sizeof *p->w);
}

// All products of one type, with the values that the system has then.
static void expect_products(lcl_context *ctx, struct lcl_system *system,
                            const struct lcl_kron *K, enum lcl_kron_type type)
{
    struct lcl_csr A;
    struct test_product p;
    assert_int_equal(lcl_ref_kron_csr(&A, K, lcl_context_log(ctx)), LCL_OK);
    const struct lcl_bsr whole = lcl_bsr_of_csr(&A);
    test_product_init(&p, ctx, &whole);
    if (lcl_kron_ops_of(type)->stages_innermost)
        renumber(&p, K->stages);
    p.S = system->product;
    p.S.groups = TEST_PRODUCT_GROUPS;
    test_product_expect_all(&p);
    p.S = (struct lcl_spmv){.ops = NULL};
    test_product_finish(&p);
    lcl_csr_finish(&A);
}

static void expect_type(lcl_context *ctx, int s, int b,
                        enum test_kron_patterns patterns,
                        enum lcl_kron_type type)
{
    struct test_kron T;
    struct lcl_system system;
    if (test_width(ctx) > 1 && b > test_width(ctx))
        return;
    test_kron_init(&T, s, b, test_size(9, 40), patterns);
    assert_int_equal(lcl_kron_system_init(&system, ctx, &T.K, type), LCL_OK);
    expect_products(ctx, &system, &T.K, type);
    T.K.tau = -2;
    for (int64_t k = 0; k < T.M.nnz * b * b; ++k)
        T.M.val[k] = 1 - 3 * T.M.val[k];
    assert_int_equal(lcl_kron_system_update(&system, &T.K), LCL_OK);
    expect_products(ctx, &system, &T.K, type);
    lcl_system_finish(&system);
    test_kron_finish(&T);
}

// Stages and rows of a block.
static const int shapes[][2] = {{2, 4}, {3, 2}, {1, 3}, {6, 3},
                                {8, 4}, {4, 1}, {2, 8}, {5, 7}};

enum { SHAPES = sizeof shapes / sizeof *shapes };

static void expect_shapes(lcl_context *ctx, enum test_kron_patterns patterns,
                          enum lcl_kron_type type)
{
    const int count = test_size(4, SHAPES);
    for (int k = 0; k < count; ++k)
        expect_type(ctx, shapes[k][0], shapes[k][1], patterns, type);
}

static void test_kron__one_pass_matches(void **state)
{
    expect_shapes(*state, TEST_KRON_EQUAL, LCL_KRON_ONE_PASS);
}

static void test_kron__patterns_that_differ_little_are_united(void **state)
{
    expect_type(*state, 2, 4, TEST_KRON_NEAR, LCL_KRON_ONE_PASS);
}

static void test_kron__patterns_that_differ_take_two_passes(void **state)
{
    expect_type(*state, 3, 2, TEST_KRON_FAR, LCL_KRON_ONE_PASS);
    expect_type(*state, 2, 4, TEST_KRON_FAR, LCL_KRON_ONE_PASS);
}

static void test_kron__okp_matches(void **state)
{
    expect_shapes(*state, TEST_KRON_NEAR, LCL_KRON_OKP);
    expect_type(*state, 3, 2, TEST_KRON_FAR, LCL_KRON_OKP);
}

static void test_kron__cu_matches(void **state)
{
    expect_type(*state, 2, 4, TEST_KRON_NEAR, LCL_KRON_CU);
    expect_type(*state, 3, 1, TEST_KRON_FAR, LCL_KRON_CU);
}

static void test_kron__sixteen_stages_match(void **state)
{
    expect_type(*state, 16, 2, TEST_KRON_EQUAL, LCL_KRON_ONE_PASS);
    expect_type(*state, 16, 2, TEST_KRON_EQUAL, LCL_KRON_OKP);
}

static void test_kron__blocks_of_more_rows_than_lanes_are_refused(void **state)
{
    const int width = test_width(*state);
    const enum lcl_log_level level =
        lcl_context_set_log_level(*state, LCL_LOG_NONE);
    for (int k = 0; k < TEST_KRON_TYPES; ++k) {
        struct test_kron T;
        struct lcl_system system;
        test_kron_init(&T, 2, 8, 5, TEST_KRON_NEAR);
        assert_int_equal(
            lcl_kron_system_init(&system, *state, &T.K, test_kron_types[k]),
            width > 1 && width < 8 ? LCL_EUNSUPPORTED : LCL_OK);
        lcl_system_finish(&system);
        test_kron_finish(&T);
    }
    lcl_context_set_log_level(*state, level);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kron__one_pass_matches),
        cmocka_unit_test(test_kron__patterns_that_differ_little_are_united),
        cmocka_unit_test(test_kron__patterns_that_differ_take_two_passes),
        cmocka_unit_test(test_kron__okp_matches),
        cmocka_unit_test(test_kron__cu_matches),
        cmocka_unit_test(test_kron__sixteen_stages_match),
        cmocka_unit_test(test_kron__blocks_of_more_rows_than_lanes_are_refused),
    };
    return test_device_run(tests);
}
