// SPDX-License-Identifier: BSD-3-Clause
// ildu0.cl, the factorisation, compared with the reference.
#include "tests/support/device.h"
#include "tests/support/factors.h"
#include "tests/support/matrices.h"

#include <stdlib.h>

static void expect_factors(lcl_context *ctx, struct test_system *S, int group,
                           const struct lcl_precond_params *params)
{
    struct test_factors F;
    struct lcl_repairs repairs;
    test_factors_init(&F, ctx, S, group, params);
    assert_int_equal(test_factors_run(&F, &repairs), LCL_OK);
    assert_int_equal(repairs.count, F.ref.repaired);
    test_factors_compare(&F, 1e-12);
    for (int64_t i = 0, found = 0; i < S->A.rows && found < 8; ++i)
        if (F.ref.bad[i])
            assert_int_equal(repairs.rows[found++], i);
    test_factors_finish(&F);
}

static void expect_all(lcl_context *ctx, int waves)
{
    const struct lcl_precond_params params = {.type = LCL_PRECOND_ILDU0};
    for (int i = 0; i < test_system_count(); ++i) {
        struct test_system S;
        test_system_init(&S, i, true);
        expect_factors(ctx, &S, test_group(ctx, waves), &params);
        test_system_finish(&S);
    }
}

static void test_ildu0__groups_of_one_wave_match_the_reference(void **state)
{
    expect_all(*state, 1);
}

static void test_ildu0__groups_of_two_waves_match_the_reference(void **state)
{
    expect_all(*state, 2);
}

// Also of triangle-free patterns, for which dilu.cl would do without it.
static void test_ildu0__dropped_fill_goes_to_the_diagonal(void **state)
{
    static const double relax[] = {0.5, 1};
    for (int r = 0; r < 2; ++r)
        for (int i = 0; i < test_system_count(); ++i)
            for (int sorted = 0; sorted < 2; ++sorted) {
                const struct lcl_precond_params params = {.relax = relax[r]};
                struct test_system S;
                test_system_init(&S, i, sorted);
                expect_factors(*state, &S, test_group(*state, 1), &params);
                test_system_finish(&S);
            }
}

// Factors of S by ildu0_team.cl, if `team`, or by ildu0.cl.
static double *factors_of(lcl_context *ctx, struct test_system *S, bool team,
                          const struct lcl_precond_params *params,
                          size_t *bytes)
{
    const int group = test_group(ctx, 2);
    const struct lcl_spec lane = {
        .source = "ildu0.cl", .kernel = "ildu0", .group = group};
    struct test_factors F;
    struct lcl_repairs repairs;
    test_factors_init(&F, ctx, S, group, params);
    assert_true(F.device.team == (test_width(ctx) > 1));
    if (!team) {
        F.device.team = false;
        F.device.kernel = test_kernel(ctx, &lane);
    }
    assert_int_equal(test_factors_run(&F, &repairs), LCL_OK);
    assert_int_equal(repairs.count, F.ref.repaired);
    test_factors_compare(&F, 1e-12);
    *bytes = lcl_buffer_bytes(F.device.val);
    double *val = malloc(*bytes);
    assert_non_null(val);
    assert_int_equal(lcl_buffer_read(F.device.val, val, *bytes), LCL_OK);
    test_factors_finish(&F);
    return val;
}

static void expect_same_bits(lcl_context *ctx, struct lcl_csr A,
                             int64_t part_rows,
                             const struct lcl_precond_params *params)
{
    struct test_system S;
    test_system_from(&S, A, part_rows, true);
    size_t bytes, same;
    double *one = factors_of(ctx, &S, false, params, &bytes);
    double *many = factors_of(ctx, &S, true, params, &same);
    assert_int_equal(bytes, same);
    assert_memory_equal(one, many, bytes);
    free(one);
    free(many);
    test_system_finish(&S);
}

static void test_ildu0__lanes_that_share_rows_change_no_bit(void **state)
{
    static const enum lcl_pivot policies[] = {
        LCL_PIVOT_BOOST, LCL_PIVOT_REPLACE, LCL_PIVOT_SHIFT};
    for (size_t k = 0; k < sizeof policies / sizeof *policies; ++k) {
        const struct lcl_precond_params params = {.pivot = policies[k],
                                                  .pivot_tol = 0.05};
        expect_same_bits(*state, test_random_csr(24, 18, 5), 24, &params);
        expect_same_bits(*state, test_random_csr(61, 40, 6), 30, &params);
    }
}

// ------------------------------------------------------------------- pivots

static void expect_policy(lcl_context *ctx, struct lcl_csr A, int64_t part_rows,
                          enum lcl_pivot pivot)
{
    const struct lcl_precond_params params = {
        .pivot = pivot,
        .pivot_tol = 1e-3,
    };
    struct test_system S;
    test_system_from(&S, A, part_rows, true);
    expect_factors(ctx, &S, test_group(ctx, 1), &params);
    test_system_finish(&S);
}

static void test_ildu0__small_pivots_are_boosted(void **state)
{
    expect_policy(*state, test_bad_pivots(), 4, LCL_PIVOT_BOOST);
}

static void test_ildu0__small_pivots_are_replaced(void **state)
{
    expect_policy(*state, test_bad_pivots(), 4, LCL_PIVOT_REPLACE);
}

static void test_ildu0__subdomains_with_small_pivots_are_shifted(void **state)
{
    expect_policy(*state, test_bad_pivots(), 4, LCL_PIVOT_SHIFT);
}

static void test_ildu0__rows_of_zeros_get_a_pivot_of_one(void **state)
{
    struct lcl_csr A = test_identity(3);
    A.val[1] = 0;
    expect_policy(*state, A, 3, LCL_PIVOT_BOOST);
}

static void test_ildu0__negative_pivots_keep_their_sign(void **state)
{
    const double dense[] = {-1e-9, 1, 1, -2};
    expect_policy(*state, test_csr_from_dense(2, dense), 2, LCL_PIVOT_REPLACE);
}

// IC(0): a negative pivot in the middle of one subdomain, a negative diagonal
// entry in the other.
static void test_ildu0__ic0_takes_positive_pivots_alone(void **state)
{
    static const enum lcl_pivot policies[] = {
        LCL_PIVOT_DEFAULT, LCL_PIVOT_BOOST, LCL_PIVOT_REPLACE, LCL_PIVOT_SHIFT};
    const double dense[] = {
        2, 3, 0, 0,  0, 0, //
        3, 1, 1, 0,  0, 0, //
        0, 1, 9, 0,  0, 1, //
        0, 0, 0, -4, 1, 0, //
        0, 0, 0, 1,  5, 1, //
        0, 0, 1, 0,  1, 5, //
    };
    for (size_t k = 0; k < sizeof policies / sizeof *policies; ++k) {
        const struct lcl_precond_params params = {.type = LCL_PRECOND_IC0,
                                                  .pivot = policies[k]};
        struct test_system S;
        test_system_from(&S, test_csr_from_dense(6, dense), 3, true);
        expect_factors(*state, &S, test_group(*state, 1), &params);
        test_system_finish(&S);
    }
}

static void test_ildu0__policy_fail_names_the_first_row(void **state)
{
    const struct lcl_precond_params params = {.pivot = LCL_PIVOT_FAIL};
    struct test_system S;
    struct test_factors F;
    struct lcl_repairs repairs;
    test_system_from(&S, test_bad_pivots(), 4, true);
    test_factors_init(&F, *state, &S, test_group(*state, 1), &params);
    assert_int_equal(test_factors_run(&F, &repairs), LCL_EPIVOT);
    assert_int_equal(repairs.count, F.ref.repaired);
    assert_int_equal(F.ref.bad[repairs.rows[0]], 1);
    test_factors_finish(&F);
    test_system_finish(&S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ildu0__groups_of_one_wave_match_the_reference),
        cmocka_unit_test(test_ildu0__groups_of_two_waves_match_the_reference),
        cmocka_unit_test(test_ildu0__dropped_fill_goes_to_the_diagonal),
        cmocka_unit_test(test_ildu0__lanes_that_share_rows_change_no_bit),
        cmocka_unit_test(test_ildu0__small_pivots_are_boosted),
        cmocka_unit_test(test_ildu0__small_pivots_are_replaced),
        cmocka_unit_test(test_ildu0__subdomains_with_small_pivots_are_shifted),
        cmocka_unit_test(test_ildu0__rows_of_zeros_get_a_pivot_of_one),
        cmocka_unit_test(test_ildu0__negative_pivots_keep_their_sign),
        cmocka_unit_test(test_ildu0__ic0_takes_positive_pivots_alone),
        cmocka_unit_test(test_ildu0__policy_fail_names_the_first_row),
    };
    return test_device_run(tests);
}
