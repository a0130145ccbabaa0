// SPDX-License-Identifier: BSD-3-Clause
// level_ildu0.cl, the factorisation level by level, and hec_wait, which
// applies its factors, compared with the references.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/systems.h"

#include "lib/factor/ilu_pattern.h"
#include "lib/factor/level_ildu0.h"
#include "lib/ref/ildu0.h"
#include "lib/ref/trisolve.h"
#include "lib/trisolve/hec_level.h"

#include <stdlib.h>

// The factors of a system, by the reference and on the device.
struct pair {
    lcl_context *ctx;
    struct test_system *S;
    struct lcl_subdomains P; // rows of S->B in their order
    struct lcl_ref_ildu0 ref;
    struct lcl_host_factor host;
    struct lcl_factor device;
    struct lcl_trisolve_method T;
    lcl_buffer *val;
};

static void poison(lcl_buffer *buffer)
{
    assert_int_equal(lcl_buffer_fill(buffer, 0xff), LCL_OK);
}

static void pair_init(struct pair *F, lcl_context *ctx, struct test_system *S,
                      const struct lcl_precond_params *params)
{
    *F = (struct pair){.ctx = ctx, .S = S};
    assert_int_equal(lcl_subdomains_allocate(&F->P, S->P.n, S->P.parts, NULL),
                     LCL_OK);
    F->P.parts = S->P.parts;
    for (int64_t p = 0; p <= S->P.parts; ++p)
        F->P.part_ptr[p] = S->P.part_ptr[p];
    for (int64_t i = 0; i < S->P.n; ++i)
        F->P.row[i] = (int32_t)i;
    assert_int_equal(
        lcl_ref_ildu0_init(&F->ref, &S->B, F->P.part_ptr, F->P.parts, params),
        LCL_OK);
    assert_int_equal(
        lcl_ilu_pattern(&F->host.pattern, &S->B, &F->P, 0, NULL, NULL), LCL_OK);
    assert_int_equal(lcl_factor_init_levels(&F->device, ctx, &F->host.pattern,
                                            &F->P, params),
                     LCL_OK);
    poison(F->device.val);
    poison(F->device.repaired);
    poison(F->device.counts);
    poison(F->device.bad);
    assert_int_equal(lcl_trisolve_init(&F->T, LCL_TRISOLVE_HEC_WAIT, ctx,
                                       &F->device, &F->host),
                     LCL_OK);
    F->val = test_upload(ctx, S->B.val, S->B.nnz, sizeof *S->B.val);
}

static void pair_finish(struct pair *F)
{
    lcl_buffer_destroy(&F->val);
    lcl_trisolve_finish(&F->T);
    lcl_factor_finish(&F->device);
    lcl_host_factor_finish(&F->host);
    lcl_ref_ildu0_finish(&F->ref);
    lcl_subdomains_finish(&F->P);
}

// Every level in a launch of its own.
static void unchain(struct pair *F)
{
    struct lcl_hec_level *H = F->T.state;
    H->lower.waits = H->upper.waits = false;
    struct lcl_levels *all[] = {&F->device.levels->levels, &H->lower.levels,
                                &H->upper.levels};
    for (int k = 0; k < 3; ++k) {
        assert_int_equal(lcl_levels_plan(all[k], 0, NULL), LCL_OK);
        assert_int_equal(all[k]->launches, all[k]->levels);
    }
}

// The values of the reference at the entries of the pattern.
static double *expected_values(const struct pair *F)
{
    const struct lcl_host_pattern *H = &F->host.pattern;
    double *val = test_vector(H->nnz);
    for (int64_t i = 0; i < H->rows; ++i)
        for (int64_t k = H->row_ptr[i]; k < H->row_ptr[i + 1]; ++k)
            val[k] =
                H->col[k] == i ? -F->ref.inv_d[i] : F->ref.val[H->source[k]];
    return val;
}

static void expect_values(const struct pair *F)
{
    const int64_t nnz = F->host.pattern.nnz;
    double *val = test_vector(nnz), *expected = expected_values(F);
    test_download(F->device.val, val, nnz, sizeof *val);
    test_expect_near("factors", val, expected, nnz, 1e-12);
    free(val);
    free(expected);
}

// The policy SHIFT marks the pivots of its last round only.
static void expect_repairs(const struct pair *F,
                           const struct lcl_repairs *repairs)
{
    assert_int_equal(repairs->count, F->ref.repaired);
    for (int64_t i = 0, found = 0; i < F->P.n && found < 8; ++i)
        if (F->ref.bad[i])
            assert_int_equal(repairs->rows[found++], i);
}

typedef enum lcl_status solve_fn(const struct lcl_trisolve_method *T,
                                 const struct lcl_operands *v);

static void expect_solve(const struct pair *F, solve_fn *solve, const double *b,
                         const double *expected)
{
    const int64_t n = F->P.n;
    double *x = test_vector(n);
    lcl_buffer *in = test_upload(F->ctx, b, n, sizeof *b);
    lcl_buffer *out = test_poisoned(F->ctx, n, sizeof *x);
    lcl_buffer *go_on = test_stop_flag(F->ctx, 0);
    lcl_buffer *stop = test_stop_flag(F->ctx, 2);
    struct lcl_operands v = {.x = in, .y = out, .stop = stop};
    assert_int_equal(solve(&F->T, &v), LCL_OK);
    test_untouched(out);
    v.stop = go_on;
    for (int turn = 0; turn < 2; ++turn) {
        assert_int_equal(solve(&F->T, &v), LCL_OK);
        test_download(out, x, n, sizeof *x);
        test_expect_near("x", x, expected, n, 1e-11);
    }
    lcl_buffer_destroy(&in);
    lcl_buffer_destroy(&out);
    lcl_buffer_destroy(&go_on);
    lcl_buffer_destroy(&stop);
    free(x);
}

static void expect_solves(const struct pair *F)
{
    const int64_t n = F->P.n;
    double *b = test_random_vector(n, 5), *expected = test_vector(n);
    lcl_ref_trisolve(&F->ref, b, expected);
    expect_solve(F, F->T.ops->apply, b, expected);
    lcl_ref_lower(&F->ref, false, b, expected);
    expect_solve(F, F->T.ops->lower, b, expected);
    free(b);
    free(expected);
}

static void run(struct pair *F, struct lcl_repairs *repairs)
{
    assert_int_equal(lcl_factor_numeric(&F->device, F->val, repairs), LCL_OK);
    assert_int_equal(lcl_trisolve_update(&F->T), LCL_OK);
}

static void expect_factors(lcl_context *ctx, struct test_system *S,
                           const struct lcl_precond_params *params)
{
    struct pair F;
    struct lcl_repairs repairs;
    pair_init(&F, ctx, S, params);
    for (int turn = 0; turn < 2; ++turn) {
        run(&F, &repairs);
        expect_values(&F);
        expect_repairs(&F, &repairs);
        expect_solves(&F);
        unchain(&F);
    }
    pair_finish(&F);
}

static void expect_all(lcl_context *ctx,
                       const struct lcl_precond_params *params)
{
    for (int i = 0; i < test_system_count(); ++i) {
        struct test_system S;
        test_system_init(&S, i, i % 2);
        expect_factors(ctx, &S, params);
        test_system_finish(&S);
    }
}

static void test_level_ildu0__all_systems_match_the_reference(void **state)
{
    const struct lcl_precond_params params = {.type = LCL_PRECOND_ILDU0};
    expect_all(*state, &params);
}

static void test_level_ildu0__dropped_fill_goes_to_the_diagonal(void **state)
{
    const struct lcl_precond_params half = {.relax = 0.5}, milu = {.relax = 1};
    expect_all(*state, &half);
    expect_all(*state, &milu);
}

// A zero in the middle of the elimination, a tiny and a missing diagonal in the
// first of two subdomains.
static void test_level_ildu0__small_pivots_are_repaired(void **state)
{
    static const enum lcl_pivot policies[] = {
        LCL_PIVOT_BOOST, LCL_PIVOT_REPLACE, LCL_PIVOT_SHIFT};
    for (size_t k = 0; k < sizeof policies / sizeof *policies; ++k)
        for (int ic0 = 0; ic0 < 2; ++ic0) {
            const struct lcl_precond_params params = {
                .type = ic0 ? LCL_PRECOND_IC0 : LCL_PRECOND_ILDU0,
                .pivot = policies[k],
                .pivot_tol = 1e-3};
            struct test_system S;
            test_system_from(&S, test_bad_pivots(), 4, false);
            expect_factors(*state, &S, &params);
            test_system_finish(&S);
        }
}

static void test_level_ildu0__small_pivots_can_fail(void **state)
{
    const struct lcl_precond_params params = {.pivot = LCL_PIVOT_FAIL};
    struct lcl_csr A = test_laplacian(5, 5, 1);
    struct test_system S;
    struct pair F;
    struct lcl_repairs repairs;
    A.val[A.row_ptr[1] - 1] = 0;
    for (int64_t k = A.row_ptr[7]; k < A.row_ptr[8]; ++k)
        A.val[k] = 0;
    test_system_from(&S, A, 25, false);
    pair_init(&F, *state, &S, &params);
    assert_int_equal(lcl_factor_numeric(&F.device, F.val, &repairs),
                     LCL_EPIVOT);
    assert_int_equal(repairs.count, 1);
    assert_int_equal(repairs.rows[0], 7);
    pair_finish(&F);
    test_system_finish(&S);
}

// The whole matrix as one subdomain: more rows than 16 bits count.
static void test_level_ildu0__subdomains_have_any_size(void **state)
{
    const int64_t n = test_size(9, 41);
    const struct lcl_precond_params params = {.type = LCL_PRECOND_ILDU0};
    struct test_system S;
    struct pair F;
    struct lcl_repairs repairs;
    struct lcl_subdomains P = {.n = 0};
    struct lcl_csr A = test_laplacian(n, n, n);
    assert_int_equal(lcl_subdomains_allocate(&P, A.rows, 1, NULL), LCL_OK);
    P.parts = 1;
    P.part_ptr[1] = A.rows;
    for (int64_t i = 0; i < A.rows; ++i)
        P.row[i] = (int32_t)i;
    S = (struct test_system){.A = A, .B = A, .P = P, .block = 1};
    pair_init(&F, *state, &S, &params);
    assert_int_equal(F.device.levels->levels.levels, 3 * n - 2);
    assert_true(F.device.levels->levels_mean == (double)(3 * n - 2));
    run(&F, &repairs);
    expect_values(&F);
    expect_solves(&F);
    pair_finish(&F);
    lcl_subdomains_finish(&P);
    test_csr_finish(&A);
}

// Diagonals that the pattern lacks are added, wherever they are.
static void test_level_ildu0__missing_diagonals_are_added(void **state)
{
    const struct lcl_precond_params params = {.type = LCL_PRECOND_ILDU0};
    // clang-format off
    const double dense[] = {
        0, 1, 0, 2, 0,
        1, 0, 3, 0, 0,
        0, 3, 4, 0, 1,
        0, 0, 0, 0, 0,
        0, 0, 1, 0, 0,
    };
    // clang-format on
    struct test_system S;
    struct pair F;
    test_system_from(&S, test_csr_from_dense(5, dense), 5, false);
    pair_init(&F, *state, &S, &params);
    assert_int_equal(F.host.pattern.nnz, S.B.nnz + 4);
    assert_int_equal(lcl_host_pattern_missing(&F.host.pattern), 0);
    pair_finish(&F);
    expect_factors(*state, &S, &params);
    test_system_finish(&S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_level_ildu0__all_systems_match_the_reference),
        cmocka_unit_test(test_level_ildu0__dropped_fill_goes_to_the_diagonal),
        cmocka_unit_test(test_level_ildu0__small_pivots_are_repaired),
        cmocka_unit_test(test_level_ildu0__small_pivots_can_fail),
        cmocka_unit_test(test_level_ildu0__subdomains_have_any_size),
        cmocka_unit_test(test_level_ildu0__missing_diagonals_are_added),
    };
    return test_device_run(tests);
}
