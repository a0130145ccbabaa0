// SPDX-License-Identifier: BSD-3-Clause
// ildu0_block.cl, the factorisation of blocks, compared with the reference.
#include "tests/support/device.h"
#include "tests/support/factors.h"

#include <stdlib.h>
#include <string.h>

static void expect_factors(lcl_context *ctx, struct test_system *S, int group,
                           const struct lcl_precond_params *params)
{
    struct test_factors F;
    struct lcl_repairs repairs;
    test_factors_init(&F, ctx, S, group, params);
    assert_int_equal(test_factors_run(&F, &repairs), LCL_OK);
    assert_int_equal(repairs.count, test_factors_repaired(&F));
    test_factors_compare(&F, 1e-11);
    for (int64_t i = 0, found = 0; i < S->A.rows && found < 8; ++i)
        if (test_factors_bad(&F, i))
            assert_int_equal(repairs.rows[found++], i);
    test_factors_finish(&F);
}

// On the last `systems`.
static void expect_block(lcl_context *ctx, int block, int waves, int systems)
{
    const struct lcl_precond_params params = {.type = LCL_PRECOND_ILDU0};
    print_message("blocks of %d\n", block);
    for (int i = test_system_count() - systems; i < test_system_count(); ++i) {
        struct test_system S;
        test_system_init(&S, i, true);
        test_system_expand(&S, block);
        expect_factors(ctx, &S, test_group(ctx, waves), &params);
        test_system_finish(&S);
    }
}

static void test_ildu0_block__groups_of_one_wave_match(void **state)
{
    const int all = test_system_count(), few = (int)test_size(3, all);
    for (int block = 1; block <= LCL_BLOCK_MAX; ++block)
        expect_block(*state, block, 1, block <= 3 ? all : few);
}

static void test_ildu0_block__groups_of_two_waves_match(void **state)
{
    const int all = test_system_count();
    expect_block(*state, 2, 2, all);
    expect_block(*state, 5, 2, (int)test_size(3, all));
}

// Factors of S by ildu0_block_team.cl, if `team`, or by ildu0_block.cl.
static double *factors_of(lcl_context *ctx, struct test_system *S, bool team,
                          const struct lcl_precond_params *params,
                          size_t *bytes)
{
    const int group = test_group(ctx, 2);
    const struct lcl_spec lane = {.source = "ildu0_block.cl",
                                  .kernel = "ildu0_block",
                                  .group = group,
                                  .block = S->block};
    struct test_factors F;
    struct lcl_repairs repairs;
    test_factors_init(&F, ctx, S, group, params);
    assert_true(F.device.team == (test_width(ctx) > 1));
    if (!team)
        F.device.kernel = test_kernel(ctx, &lane);
    assert_int_equal(test_factors_run(&F, &repairs), LCL_OK);
    assert_int_equal(repairs.count, test_factors_repaired(&F));
    *bytes = lcl_buffer_bytes(F.device.val);
    double *val = malloc(*bytes);
    assert_non_null(val);
    assert_int_equal(lcl_buffer_read(F.device.val, val, *bytes), LCL_OK);
    test_factors_finish(&F);
    return val;
}

static void test_ildu0_block__lanes_that_share_rows_change_no_bit(void **state)
{
    static const enum lcl_pivot policies[] = {
        LCL_PIVOT_BOOST, LCL_PIVOT_REPLACE, LCL_PIVOT_SHIFT};
    for (int block = 2; block <= 3; ++block)
        for (size_t k = 0; k < sizeof policies / sizeof *policies; ++k) {
            const struct lcl_precond_params params = {.pivot = policies[k],
                                                      .pivot_tol = 0.05};
            size_t bytes, same;
            struct test_system S;
            test_system_from(&S, test_random_csr(41, 30, 6), 23, true);
            test_system_expand(&S, block);
            double *one = factors_of(*state, &S, false, &params, &bytes);
            double *many = factors_of(*state, &S, true, &params, &same);
            assert_int_equal(bytes, same);
            assert_memory_equal(one, many, bytes);
            free(one);
            free(many);
            test_system_finish(&S);
        }
}

// ------------------------------------------------------------------- pivots

// A block with a dominant entry per row: row r has 4 in column (r + turn) mod
// b.
static void set_sound(double *block, int b, int turn)
{
    memset(block, 0, (size_t)(b * b) * sizeof *block);
    for (int r = 0; r < b; ++r)
        block[r * b + (r + turn) % b] = 4;
}

// Two subdomains of block rows. In the first, row 1 has a singular block whose
// entries are powers of two, so that its pivots are 0 on every device, row 2
// has a block of zeros and row 3 none; the second has regular pivots.
static void bad_blocks(struct test_system *S, int b, bool sorted)
{
    // clang-format off
    const double pattern[] = {
        1, 1, 0, 1,   0, 0,
        0, 1, 1, 0,   0, 0,
        1, 0, 1, 1,   0, 0,
        1, 1, 0, 0,   0, 1,
        0, 0, 0, 0,   1, 1,
        0, 1, 0, 0,   1, 1,
    };
    // clang-format on
    test_system_from(S, test_csr_from_dense(6, pattern), 4, sorted);
    S->block = b;
    S->blocks = test_random_vector(test_system_value_count(S), 3);
    for (int64_t i = 0; i < S->B.rows; ++i)
        for (int64_t k = S->B.row_ptr[i]; k < S->B.row_ptr[i + 1]; ++k) {
            double *block = S->blocks + k * b * b;
            if (S->B.col_ind[k] != i)
                continue;
            if (S->P.row[i] != 2)
                set_sound(block, b, (int)i);
            else
                memset(block, 0, (size_t)(b * b) * sizeof *block);
            for (int e = 0; e < b * b && S->P.row[i] == 1; ++e)
                block[e] = (double)(1 << e / b);
        }
}

static void expect_policy(lcl_context *ctx, int block, enum lcl_pivot pivot)
{
    const struct lcl_precond_params params = {
        .pivot = pivot,
        .pivot_tol = 1e-3,
    };
    struct test_system S;
    bad_blocks(&S, block, test_width(ctx) > 1);
    expect_factors(ctx, &S, test_group(ctx, 1), &params);
    test_system_finish(&S);
}

static void test_ildu0_block__small_pivots_are_boosted(void **state)
{
    for (int block = 2; block <= 3; ++block)
        expect_policy(*state, block, LCL_PIVOT_BOOST);
}

static void test_ildu0_block__small_pivots_are_replaced(void **state)
{
    for (int block = 2; block <= 3; ++block)
        expect_policy(*state, block, LCL_PIVOT_REPLACE);
}

static void test_ildu0_block__subdomains_with_small_pivots_are_shifted(
    void **state)
{
    for (int block = 2; block <= 3; ++block)
        expect_policy(*state, block, LCL_PIVOT_SHIFT);
}

static void test_ildu0_block__rows_of_zeros_get_unit_pivots(void **state)
{
    const struct lcl_precond_params params = {.pivot = LCL_PIVOT_BOOST};
    struct test_system S;
    test_system_from(&S, test_identity(3), 3, true);
    test_system_expand(&S, 3);
    memset(S.blocks + 9, 0, 9 * sizeof *S.blocks);
    expect_factors(*state, &S, test_group(*state, 1), &params);
    test_system_finish(&S);
}

static void test_ildu0_block__policy_fail_names_the_first_row(void **state)
{
    const struct lcl_precond_params params = {.pivot = LCL_PIVOT_FAIL,
                                              .pivot_tol = 1e-3};
    struct test_system S;
    struct test_factors F;
    struct lcl_repairs repairs;
    bad_blocks(&S, 3, test_width(*state) > 1);
    test_factors_init(&F, *state, &S, test_group(*state, 1), &params);
    assert_int_equal(test_factors_run(&F, &repairs), LCL_EPIVOT);
    assert_int_equal(repairs.count, test_factors_repaired(&F));
    assert_true(test_factors_bad(&F, repairs.rows[0]));
    for (int64_t i = 0; i < repairs.rows[0]; ++i)
        assert_false(test_factors_bad(&F, i));
    test_factors_finish(&F);
    test_system_finish(&S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ildu0_block__groups_of_one_wave_match),
        cmocka_unit_test(test_ildu0_block__groups_of_two_waves_match),
        cmocka_unit_test(test_ildu0_block__lanes_that_share_rows_change_no_bit),
        cmocka_unit_test(test_ildu0_block__small_pivots_are_boosted),
        cmocka_unit_test(test_ildu0_block__small_pivots_are_replaced),
        cmocka_unit_test(
            test_ildu0_block__subdomains_with_small_pivots_are_shifted),
        cmocka_unit_test(test_ildu0_block__rows_of_zeros_get_unit_pivots),
        cmocka_unit_test(test_ildu0_block__policy_fail_names_the_first_row),
    };
    return test_device_run(tests);
}
