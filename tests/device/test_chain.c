// SPDX-License-Identifier: BSD-3-Clause
// Chains of methods: what follows a failure, what is reported.
#include "tests/support/chains.h"
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"
#include "tests/support/solving.h"

#include "host/context.h"
#include "lib/chain/plan.h"
#include "lib/factor/direct.h"
#include "lib/multilevel/hierarchy.h"
#include "lib/precond/precond.h"

#include <levelcl/chain.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------- patterns

static void expect_solved(lcl_context *ctx, struct lcl_csr A)
{
    struct test_run r;
    test_run_open(&r, ctx, A, NULL, NULL);
    test_run_solve(&r, LCL_OK);
    test_run_close(&r);
}

// One that is full, in matrices of each kind: definite and large enough for
// multigrid, symmetric with a zero, not symmetric.
static void test_chain__dense_rows_and_columns_are_handled(void **state)
{
    const double few = -1.0 / 5000;
    expect_solved(*state,
                  test_bordered(test_laplacian(18, 16, 15), few, few, 2));
    expect_solved(*state,
                  test_bordered(test_laplacian(12, 10, 9), few, few, 2));
    expect_solved(*state, test_bordered(test_laplacian(12, 10, 9), 1, 1, 0));
    expect_solved(*state, test_bordered(test_unsymmetric(), 1, 0, 3));
    expect_solved(*state, test_bordered(test_unsymmetric(), 0, 1, 3));
    expect_solved(*state, test_bordered(test_unsymmetric(), 1, -1, 3));
    expect_solved(*state, test_bordered(test_unsymmetric(), 1, 1, 0));
}

// Parts without couplings, whose entries differ by 12 orders of magnitude.
static void test_chain__disconnected_parts_are_handled(void **state)
{
    struct lcl_csr large = test_scaled(test_laplacian(5, 4, 3), 1e6);
    struct lcl_csr small = test_scaled(test_laplacian(7, 9, 1), 1e-6);
    struct lcl_csr parts = test_joined(test_laplacian(18, 16, 15), large);
    expect_solved(*state, test_joined(parts, small));
    large = test_scaled(test_unsymmetric(), 1e6);
    small = test_scaled(test_laplacian(7, 9, 1), 1e-6);
    expect_solved(*state,
                  test_joined(test_joined(test_unsymmetric(), large), small));
}

// Diagonal entries from 1e-8 to 1e8, with the sign of every other one.
static struct lcl_csr diagonal(int64_t n, double sign)
{
    struct lcl_csr A = test_identity(n);
    for (int64_t i = 0; i < n; ++i)
        A.val[i] = pow(10, (double)(i % 17 - 8)) * (i % 2 ? sign : 1);
    return A;
}

// Unknowns with a boundary condition: no couplings in the row, which leaves
// those of the column, or none in both.
static struct lcl_csr with_conditions(struct lcl_csr A, bool both)
{
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            if (A.col_ind[k] != i &&
                (i % 7 == 0 || (both && A.col_ind[k] % 7 == 0)))
                A.val[k] = 0;
    return A;
}

static void test_chain__rows_with_a_diagonal_alone_are_handled(void **state)
{
    expect_solved(*state, diagonal(500, 1));
    expect_solved(*state, diagonal(500, -1));
    expect_solved(*state,
                  test_joined(test_laplacian(18, 16, 15), diagonal(100, 1)));
    expect_solved(*state, test_joined(diagonal(100, -1), test_unsymmetric()));
    for (int both = 0; both < 2; ++both)
        expect_solved(*state,
                      with_conditions(test_laplacian(18, 16, 15), both));
}

// A row of a boundary value couples nothing, and its column stays: the method
// and the iterations are those for the matrix with the column eliminated.
static void test_chain__prescribed_unknowns_are_set_aside(void **state)
{
    enum lcl_precond_type type[2];
    int iterations[2];
    for (int both = 0; both < 2; ++both) {
        struct test_run r;
        test_run_open(&r, *state,
                      with_conditions(test_laplacian(18, 16, 15), both), NULL,
                      NULL);
        assert_int_equal(test_run_solver(&r), LCL_SOLVER_CG);
        assert_int_equal(test_run_solve(&r, LCL_OK), 1);
        type[both] = test_run_precond(&r);
        iterations[both] = r.report.iterations;
        test_run_close(&r);
    }
    assert_int_equal(type[0], type[1]);
    assert_true(abs(iterations[0] - iterations[1]) <= 2);
}

// Each M keeps the vectors that are 0 in rows of boundary values, but for
// coarse corrections, which are refused.
static void test_chain__cg_takes_prescribed_unknowns(void **state)
{
    static const enum lcl_precond_type types[] = {
        LCL_PRECOND_NONE, LCL_PRECOND_JACOBI, LCL_PRECOND_BLOCK_JACOBI,
        LCL_PRECOND_IC0, LCL_PRECOND_AS};
    for (size_t k = 0; k < sizeof types / sizeof *types; ++k) {
        struct lcl_precond_params precond = {.type = types[k]};
        const struct lcl_solver_params solver = {.type = LCL_SOLVER_CG};
        struct test_run r;
        test_run_open(&r, *state, with_conditions(test_laplacian(9, 8, 7), 0),
                      &precond, &solver);
        assert_int_equal(test_run_solve(&r, LCL_OK), 1);
        test_run_close(&r);
    }
    const struct lcl_precond_params mult = {.type = LCL_PRECOND_IC0,
                                            .partition.rows = 100,
                                            .coarse = LCL_COARSE_MULT};
    struct lcl_csr A = with_conditions(test_laplacian(9, 8, 7), 0);
    lcl_operator *op;
    lcl_precond *M;
    assert_int_equal(lcl_operator_create(&op, *state, &A, NULL), LCL_OK);
    assert_int_equal(lcl_precond_create(&M, op, &mult), LCL_EUNSUPPORTED);
    lcl_operator_destroy(&op);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------- failures

// x_i depends on x_i+1: factors of the natural order overflow, GMRES takes one
// step for each row.
static struct lcl_csr cycle(int64_t n)
{
    double *dense = calloc((size_t)(n * n), sizeof *dense);
    assert_non_null(dense);
    for (int64_t i = 0; i < n; ++i) {
        dense[i * n + i] = 1e-5;
        dense[i * n + (i + 1) % n] = 1;
    }
    struct lcl_csr A = test_csr_from_dense(n, dense);
    free(dense);
    return A;
}

static void test_chain__other_methods_follow(void **state)
{
    struct test_run r;
    test_run_open(&r, *state, cycle(90), NULL, NULL);
    const int count = test_run_solve(&r, LCL_OK);
    assert_true(count > 1);
    assert_int_equal(lcl_chain_attempt(r.C, 0)->solver, LCL_SOLVER_BICGSTAB);
    assert_true(lcl_chain_attempt(r.C, 0)->status > 0);
    const enum lcl_precond_type last = test_run_precond(&r);
    // the method that succeeded comes first
    assert_int_equal(test_run_solve(&r, LCL_OK), 1);
    assert_int_equal(test_run_precond(&r), last);
    assert_true(lcl_chain_attempt(r.C, 0)->setup_seconds == 0);
    test_run_close(&r);
}

// Of a chain's first method, without or with its name.
static int patience_of(lcl_context *ctx, enum lcl_solver_type type)
{
    const struct lcl_solver_params params = {.type = type};
    struct test_run r;
    test_run_open(&r, ctx, test_identity(5), NULL, &params);
    const int iterations = lcl_solver_info(lcl_chain_solver(r.C))->stagnation;
    test_run_close(&r);
    return iterations;
}

static void test_chain__methods_that_others_follow_end_early(void **state)
{
    assert_int_equal(patience_of(*state, LCL_SOLVER_DEFAULT), 500);
    assert_int_equal(patience_of(*state, LCL_SOLVER_CG), 2000);
}

// All but the types and, of the first methods, the patience.
static void expect_params(const struct lcl_solver_params *p,
                          const struct lcl_solver_params *given)
{
    assert_float_equal(p->rtol, given->rtol, 0);
    assert_float_equal(p->atol, given->atol, 0);
    assert_int_equal(p->relative_to, given->relative_to);
    assert_float_equal(p->reference, given->reference, 0);
    assert_int_equal(p->stagnation, given->stagnation);
    assert_int_equal(p->idr_s, given->idr_s);
    assert_int_equal(p->restart, given->restart);
    assert_int_equal(p->basis, given->basis);
    assert_int_equal(p->orthogonalisation, given->orthogonalisation);
    assert_int_equal(p->side, given->side);
    assert_int_equal(p->monitor_every, given->monitor_every);
    assert_int_equal(p->norm, given->norm);
}

static void test_chain__all_methods_have_the_parameters_given(void **state)
{
    const struct lcl_precond_params precond = {.refresh = LCL_REFRESH_ON_SLOW};
    const struct lcl_solver_params given = {
        .rtol = 1e-6,
        .atol = 1e-12,
        .relative_to = LCL_RELATIVE_TO_REFERENCE,
        .reference = 1e-3,
        .stagnation = 90,
        .idr_s = 3,
        .restart = 95,
        .basis = LCL_BASIS_FP32,
        .orthogonalisation = LCL_ORTHOGONALISATION_MGS,
        .side = LCL_SIDE_LEFT,
        .monitor_every = 5,
        .norm = LCL_NORM_MAX,
    };
    struct test_run r;
    test_run_open(&r, *state, cycle(90), &precond, &given);
    assert_int_equal(lcl_chain_solve(r.C, r.b, r.x, &r.report), LCL_OK);
    assert_non_null(lcl_chain_attempt(r.C, 1));
    expect_params(lcl_solver_info(lcl_chain_solver(r.C)), &given);
    assert_int_equal(lcl_chain_precond(r.C)->refresh, LCL_REFRESH_ON_SLOW);
    for (int64_t i = 0; i < r.A.rows; ++i) {
        double sum = r.b[i];
        for (int64_t k = r.A.row_ptr[i]; k < r.A.row_ptr[i + 1]; ++k)
            sum -= r.A.val[k] * r.x[r.A.col_ind[k]];
        assert_true(fabs(sum) <= 1.01e-9);
    }
    test_run_close(&r);
}

// Which attempt has these types, and of which variant; -1: none.
static int find(const lcl_chain *C, enum lcl_solver_type solver,
                enum lcl_precond_type precond, const char *variant)
{
    const struct lcl_attempt *a;
    for (int k = 0; (a = lcl_chain_attempt(C, k)); ++k)
        if (a->solver == solver && a->precond == precond &&
            strcmp(a->variant, variant) == 0)
            return k;
    return -1;
}

// Many lanes invert what is not large.
static void test_chain__many_lanes_take_the_inverse(void **state)
{
    const int at = test_width(*state) == 1 ? -1 : 1;
    struct test_run r;
    test_run_open(&r, *state, cycle(LCL_COARSE_ROWS + 1), NULL, NULL);
    test_run_solve(&r, LCL_OK);
    assert_int_equal(
        find(r.C, LCL_SOLVER_GMRES, LCL_PRECOND_AMG, "dense inverse"), at);
    test_run_close(&r);
}

// A definite system and so few iterations that no CG method solves it: they
// take 4, 2, 1 and 1 of them. AMG inverts up to 1000 rows.
static struct lcl_csr definite(void)
{
    return test_laplacian(11, 10, 10);
}
// For four methods, of 4, 2, 1 and 1 iterations, and for three.
static const struct lcl_solver_params hasty = {.max_iters = 8};
static const struct lcl_solver_params hastier = {.max_iters = 7};

static const struct lcl_precond_params three_rows = {
    .partition = {.type = LCL_PARTITION_NATURAL, .rows = 3}};
static const struct lcl_precond_params one_subdomain = {
    .partition = {.type = LCL_PARTITION_NATURAL, .rows = 1100}};
static const char overlap[] = "overlap 1, fp64 factors, shifted pivots";
static const char fp64_shift[] = "fp64 factors, shifted pivots";

// Plans the methods for a device of so much memory.
static void run_open_within(struct test_run *r, lcl_context *ctx,
                            struct lcl_csr A,
                            const struct lcl_precond_params *precond,
                            const struct lcl_solver_params *solver,
                            uint64_t bytes)
{
    const uint64_t all = ctx->caps.global_bytes;
    ctx->caps.global_bytes = bytes;
    test_run_open(r, ctx, A, precond, solver);
    ctx->caps.global_bytes = all;
}

// Factors of the whole matrix, which a CPU would try before, do not fit.
static void run_open_small(struct test_run *r, lcl_context *ctx,
                           const struct lcl_precond_params *precond)
{
    run_open_within(r, ctx, cycle(90), precond, NULL, 2 * 90 * 41 * 32 - 1);
}

// Subdomains of three rows drop a third of the couplings, those of the default
// size few or none.
static void test_chain__dropped_couplings_bring_overlap(void **state)
{
    struct test_run r;
    run_open_small(&r, *state, &three_rows);
    test_run_solve(&r, LCL_OK);
    assert_int_equal(find(r.C, LCL_SOLVER_IDR, LCL_PRECOND_RAS, overlap), 1);
    assert_int_equal(find(r.C, LCL_SOLVER_IDR, LCL_PRECOND_ILDU0, fp64_shift),
                     -1);
    test_run_close(&r);
    run_open_small(&r, *state, NULL);
    test_run_solve(&r, LCL_OK);
    assert_int_equal(find(r.C, LCL_SOLVER_IDR, LCL_PRECOND_ILDU0, fp64_shift),
                     1);
    assert_int_equal(find(r.C, LCL_SOLVER_IDR, LCL_PRECOND_RAS, overlap), -1);
    test_run_close(&r);
}

static const char whole[] = "of the whole matrix";

static void test_chain__dropped_couplings_bring_overlap_to_cg(void **state)
{
    struct test_run r;
    test_run_open(&r, *state, definite(), &three_rows, &hasty);
    test_run_solve(&r, LCL_ITERATION_LIMIT);
    assert_int_equal(find(r.C, LCL_SOLVER_CG, LCL_PRECOND_AS, overlap), 2);
    assert_int_equal(find(r.C, LCL_SOLVER_CG, LCL_PRECOND_IC0, whole), 3);
    test_run_close(&r);
    test_run_open(&r, *state, definite(), &one_subdomain, &hastier);
    test_run_solve(&r, LCL_ITERATION_LIMIT);
    assert_int_equal(find(r.C, LCL_SOLVER_CG, LCL_PRECOND_AS, overlap), -1);
    assert_int_equal(find(r.C, LCL_SOLVER_CG, LCL_PRECOND_IC0, whole), 2);
    test_run_close(&r);
}

// Factors with 41 entries of 32 bytes per row may take half of the memory; they
// or LU come before factors without fill. For many lanes they have too many
// levels.
static void test_chain__memory_decides_on_the_whole_matrix(void **state)
{
    static const char thin[] = "p 20, tol 1e-4",
                      of_subdomains[] = "p 20, tol 1e-4, of subdomains";
    for (int fits = 0; fits < 2; ++fits) {
        const bool all = fits && test_width(*state) == 1;
        const bool direct = all && lcl_direct_there();
        struct test_run r;
        run_open_within(&r, *state, cycle(90), NULL, NULL,
                        2 * 90 * 41 * 32 - 1 + (uint64_t)fits);
        test_run_solve(&r, LCL_OK);
        assert_int_equal(find(r.C, LCL_SOLVER_GMRES, LCL_PRECOND_LU, ""),
                         direct ? 1 : -1);
        assert_int_equal(find(r.C, LCL_SOLVER_IDR, LCL_PRECOND_ILUT, thin),
                         all && !direct ? 1 : -1);
        assert_int_equal(
            find(r.C, LCL_SOLVER_IDR, LCL_PRECOND_ILUT, of_subdomains),
            all ? -1 : 2);
        test_run_close(&r);
    }
}

// Those of IC(0) have the entries of the matrix.
static void test_chain__memory_decides_on_the_whole_matrix_for_cg(void **state)
{
    for (int fits = 0; fits < 2; ++fits) {
        struct lcl_csr A = definite();
        const uint64_t half = (uint64_t)A.nnz * 32;
        struct test_run r;
        run_open_within(&r, *state, A, &one_subdomain, &hasty,
                        2 * half + (fits ? 64 : -64));
        test_run_solve(&r, LCL_ITERATION_LIMIT);
        assert_int_equal(find(r.C, LCL_SOLVER_CG, LCL_PRECOND_IC0, whole),
                         fits ? 2 : -1);
        test_run_close(&r);
    }
}

static void test_chain__singular_systems_are_reported(void **state)
{
    const double dense[] = {1, -1, 0, -1, 1, 0, 0, 0, 1};
    struct test_run r;
    test_run_open(&r, *state, test_csr_from_dense(3, dense), NULL, NULL);
    r.b[0] = r.b[1] = r.b[2] = 1; // out of the range of A
    for (int again = 0; again < 2; ++again) {
        struct lcl_report *report = &r.report;
        for (int i = 0; i < 3; ++i)
            r.x[i] = 0;
        assert_true(lcl_chain_solve(r.C, r.b, r.x, report) > LCL_OK);
        assert_true(report->stop < 0);
        assert_true(report->true_residual <= 1);
        assert_true(lcl_chain_attempt(r.C, 3) != NULL);
        for (int i = 0; i < 3; ++i)
            assert_true(isfinite(r.x[i]));
    }
    test_run_close(&r);
}

static void test_chain__iterations_are_bounded_together(void **state)
{
    struct lcl_solver_params params = {.rtol = 1e-15};
    for (params.max_iters = 1; params.max_iters < 20; params.max_iters += 6) {
        struct test_run r;
        test_run_open(&r, *state, test_laplacian(11, 10, 10), NULL, &params);
        assert_true(lcl_chain_solve(r.C, r.b, r.x, &r.report) >= LCL_OK);
        assert_true(r.report.iterations <= params.max_iters);
        test_run_close(&r);
    }
}

// What is set up stays, whatever comes of a solve.
static void test_chain__a_limit_keeps_the_method(void **state)
{
    const struct lcl_solver_params params = {.max_iters = 1};
    struct test_run r;
    test_run_open(&r, *state, test_laplacian(11, 10, 10), NULL, &params);
    const lcl_precond *M = lcl_chain_precond(r.C);
    for (int again = 0; again < 3; ++again) {
        assert_int_equal(lcl_chain_solve(r.C, r.b, r.x, &r.report),
                         LCL_ITERATION_LIMIT);
        assert_ptr_equal(lcl_chain_precond(r.C), M);
    }
    r.b[1] = NAN;
    assert_int_equal(lcl_chain_solve(r.C, r.b, r.x, NULL), LCL_EFORMAT);
    assert_ptr_equal(lcl_chain_precond(r.C), M);
    test_run_close(&r);
}

static void test_chain__other_limits_apply_to_all_methods(void **state)
{
    const struct lcl_solver_params params = {.rtol = 1e-3};
    struct test_run r;
    test_run_open(&r, *state, cycle(90), NULL, &params);
    assert_int_equal(lcl_chain_set_tolerance(r.C, 1e-10, 0, 0), LCL_OK);
    assert_int_equal(lcl_chain_solve(r.C, r.b, r.x, &r.report), LCL_OK);
    assert_non_null(lcl_chain_attempt(r.C, 1));
    assert_true(test_residual(&r.A, r.b, r.x) <= 1e-10 * (1 + 1e-6));
    assert_int_equal(lcl_chain_set_tolerance(r.C, 2, 0, 0), LCL_EINVAL);
    test_run_close(&r);
    test_run_open(&r, *state, test_laplacian(11, 10, 10), NULL, NULL);
    assert_int_equal(lcl_chain_set_tolerance(r.C, 1e-12, 0, 1), LCL_OK);
    assert_int_equal(lcl_chain_solve(r.C, r.b, r.x, &r.report),
                     LCL_ITERATION_LIMIT);
    assert_int_equal(r.report.iterations, 1);
    assert_int_equal(lcl_chain_set_tolerance(r.C, 1e-12, 0, 0), LCL_OK);
    assert_int_equal(lcl_chain_solve(r.C, r.b, r.x, &r.report), LCL_OK);
    assert_true(test_residual(&r.A, r.b, r.x) <= 1e-12 * (1 + 1e-3));
    test_run_close(&r);
}

static bool stop_at_once(void *user, const struct lcl_progress_info *info)
{
    *(int *)user += info->iteration >= 0;
    return false;
}

static void test_chain__the_monitor_ends_all(void **state)
{
    int calls = 0;
    const struct lcl_solver_params params = {.monitor = stop_at_once,
                                             .monitor_user = &calls};
    struct test_run r;
    test_run_open(&r, *state, test_laplacian(11, 10, 10), NULL, &params);
    assert_int_equal(lcl_chain_solve(r.C, r.b, r.x, &r.report),
                     LCL_ITERATION_LIMIT);
    assert_int_equal(r.report.stop, LCL_STOP_MONITOR);
    assert_int_equal(calls, 1);
    assert_null(lcl_chain_attempt(r.C, 1));
    test_run_close(&r);
}

static void test_chain__zero_right_hand_sides_give_zero(void **state)
{
    struct test_run r;
    test_run_open(&r, *state, test_laplacian(5, 5, 5), NULL, NULL);
    for (int64_t i = 0; i < r.A.rows; ++i)
        r.b[i] = 0;
    assert_int_equal(lcl_chain_solve(r.C, r.b, r.x, &r.report), LCL_OK);
    assert_int_equal(r.report.stop, LCL_STOP_ZERO_RHS);
    test_run_close(&r);
}

// ------------------------------------------------------------------- values

static void update(struct test_run *r, const double *val)
{
    memcpy(r->A.val, val, (size_t)r->A.nnz * sizeof *val);
    assert_int_equal(lcl_operator_update(r->op, val), LCL_OK);
    assert_int_equal(lcl_chain_update(r->C), LCL_OK);
}

// The method and its iterations are those of a chain for these values.
static void expect_chosen(struct test_run *r, lcl_context *ctx,
                          struct lcl_csr A)
{
    struct test_run fresh;
    test_run_open(&fresh, ctx, A, NULL, NULL);
    const int attempts = test_run_solve(&fresh, LCL_OK);
    update(r, A.val);
    assert_string_equal(lcl_chain_reason(r->C), lcl_chain_reason(fresh.C));
    assert_int_equal(test_run_solve(r, LCL_OK), attempts);
    assert_int_equal(r->report.iterations, fresh.report.iterations);
    assert_int_equal(test_run_solver(r), test_run_solver(&fresh));
    assert_int_equal(test_run_precond(r), test_run_precond(&fresh));
    test_run_close(&fresh);
}

// Symmetric values, others, and symmetric ones again.
static void test_chain__new_values_choose_the_method(void **state)
{
    struct test_run r;
    test_run_open(&r, *state, test_laplacian(11, 10, 10), NULL, NULL);
    test_run_solve(&r, LCL_OK);
    assert_int_equal(test_run_solver(&r), LCL_SOLVER_CG);
    expect_chosen(&r, *state, test_unsymmetric());
    assert_int_equal(test_run_solver(&r), LCL_SOLVER_BICGSTAB);
    expect_chosen(&r, *state, test_laplacian(11, 10, 10));
    assert_int_equal(test_run_solver(&r), LCL_SOLVER_CG);
    test_run_close(&r);
}

// The method that succeeded stays as long as the choice is the same.
static void test_chain__similar_values_keep_the_method(void **state)
{
    struct test_run r;
    test_run_open(&r, *state, cycle(90), NULL, NULL);
    assert_true(test_run_solve(&r, LCL_OK) > 1);
    struct lcl_csr other = test_scaled(cycle(90), 2);
    const enum lcl_precond_type type = test_run_precond(&r);
    update(&r, other.val);
    assert_int_equal(test_run_precond(&r), type);
    assert_int_equal(test_run_solve(&r, LCL_OK), 1);
    test_csr_finish(&other);
    test_run_close(&r);
}

static void test_chain__solves_agree_bit_for_bit(void **state)
{
    struct test_run r[2];
    for (int k = 0; k < 2; ++k) {
        test_run_open(&r[k], *state, test_laplacian(18, 16, 15), NULL, NULL);
        test_run_solve(&r[k], LCL_OK);
    }
    test_expect_same("x", r[0].x, r[1].x, r[0].A.rows);
    test_run_close(&r[0]);
    test_run_close(&r[1]);
}

// ------------------------------------------------------------------- others

static enum lcl_status multiply(void *user, const double *x, double *y)
{
    lcl_csr_multiply(user, x, y);
    return LCL_OK;
}

static void test_chain__callbacks_have_no_preconditioner(void **state)
{
    struct test_run r = {.A = test_unsymmetric()};
    const int64_t n = r.A.rows;
    r.b = test_random_vector(n, 1);
    r.x = test_vector(n);
    assert_int_equal(
        lcl_operator_create_callback(&r.op, *state, n, n, multiply, &r.A),
        LCL_OK);
    assert_int_equal(lcl_chain_create(&r.C, r.op, NULL, NULL), LCL_OK);
    test_run_solve(&r, LCL_OK);
    assert_int_equal(test_run_precond(&r), LCL_PRECOND_NONE);
    test_run_close(&r);
}

// ------------------------------------------------------------------- limits

static void test_chain__budgets_follow_the_methods_before(void **state)
{
    (void)state;
    assert_int_equal(lcl_chain_budget(0, 7), 5 * 2000 * 7);
    assert_int_equal(lcl_chain_budget(1e6, 7), 5000000);
    assert_true(lcl_chain_budget(1e300, 7) > 0);
}

static bool cancel(void *user, const struct lcl_progress_info *info)
{
    (void)info;
    lcl_chain_cancel(*(lcl_chain **)user);
    return true;
}

static void test_chain__a_cancelled_solve_ends_all(void **state)
{
    lcl_chain *C = NULL;
    const struct lcl_solver_params params = {.rtol = 1e-14,
                                             .monitor = cancel,
                                             .monitor_user = &C,
                                             .monitor_every = 1};
    struct test_run r;
    test_run_open(&r, *state, test_laplacian(11, 10, 10), NULL, &params);
    C = r.C;
    assert_int_equal(lcl_chain_solve(r.C, r.b, r.x, &r.report),
                     LCL_ITERATION_LIMIT);
    assert_int_equal(r.report.stop, LCL_STOP_CANCELLED);
    assert_null(lcl_chain_attempt(r.C, 1));
    test_run_close(&r);
}

// All methods have failed: the next solve sets up the first one again.
static void test_chain__a_set_up_can_be_cancelled(void **state)
{
    const double dense[] = {1, -1, 0, -1, 1, 0, 0, 0, 1};
    struct test_run r;
    test_run_open(&r, *state, test_csr_from_dense(3, dense), NULL, NULL);
    r.b[0] = r.b[1] = r.b[2] = 1;
    assert_true(lcl_chain_solve(r.C, r.b, r.x, NULL) > LCL_OK);
    lcl_chain_cancel(NULL);
    lcl_chain_cancel(r.C);
    r.x[0] = r.x[1] = r.x[2] = 0.5;
    assert_int_equal(lcl_chain_solve(r.C, r.b, r.x, &r.report),
                     LCL_ITERATION_LIMIT);
    assert_int_equal(r.report.stop, LCL_STOP_CANCELLED);
    assert_true(isnan(r.report.true_residual));
    assert_int_equal(lcl_chain_attempt(r.C, 0)->status, LCL_ECANCELLED);
    assert_null(lcl_chain_attempt(r.C, 1));
    assert_true(r.x[0] == 0.5 && r.x[1] == 0.5 && r.x[2] == 0.5);
    assert_true(lcl_chain_solve(r.C, r.b, r.x, &r.report) > LCL_OK);
    assert_non_null(lcl_chain_attempt(r.C, 1));
    test_run_close(&r);
}

// That call is for the update alone.
static void test_chain__an_update_can_be_cancelled(void **state)
{
    struct test_run r;
    test_run_open(&r, *state, test_laplacian(11, 10, 10), NULL, NULL);
    for (int64_t k = 0; k < r.A.nnz; ++k)
        r.A.val[k] *= 2;
    assert_int_equal(lcl_operator_update(r.op, r.A.val), LCL_OK);
    lcl_chain_cancel(r.C);
    assert_int_equal(lcl_chain_update(r.C), LCL_ECANCELLED);
    assert_null(lcl_chain_precond(r.C));
    test_run_solve(&r, LCL_OK);
    test_run_close(&r);
}

static void test_chain__time_is_limited(void **state)
{
    struct lcl_solver_params params = {.time_limit = 1e-9};
    struct lcl_csr A = cycle(90);
    lcl_operator *op;
    lcl_chain *C;
    assert_int_equal(lcl_operator_create(&op, *state, &A, NULL), LCL_OK);
    assert_int_equal(lcl_chain_create(&C, op, NULL, &params), LCL_ECANCELLED);
    assert_null(C);
    lcl_operator_destroy(&op);
    params.time_limit = 1e6; // of all methods
    struct test_run r;
    test_run_open(&r, *state, A, NULL, &params);
    assert_true(test_run_solve(&r, LCL_OK) > 1);
    const double left = lcl_solver_info(lcl_chain_solver(r.C))->time_limit;
    assert_true(left > 0 && left < 1e6);
    test_run_close(&r);
}

// Later methods and those in use.
static void test_chain__tolerances_can_be_replaced(void **state)
{
    struct test_run r;
    test_run_open(&r, *state, cycle(90), NULL, NULL);
    assert_int_equal(lcl_chain_set_tolerance(r.C, 1e-3, 1e-9, 0), LCL_OK);
    assert_int_equal(lcl_chain_solve(r.C, r.b, r.x, &r.report), LCL_OK);
    assert_non_null(lcl_chain_attempt(r.C, 1));
    const struct lcl_solver_params *p = lcl_solver_info(lcl_chain_solver(r.C));
    assert_true(p->rtol == 1e-3 && p->atol == 1e-9);
    assert_int_equal(lcl_chain_set_tolerance(r.C, 0, 0, 2), LCL_OK);
    assert_true(p->rtol == 1e-8 && p->atol == 0);
    assert_int_equal(lcl_chain_set_tolerance(r.C, 2, 0, 0), LCL_EINVAL);
    assert_misuse(lcl_chain_set_tolerance(NULL, 0, 0, 0));
    test_run_close(&r);
    test_run_open(&r, *state, test_laplacian(11, 10, 10), NULL, NULL);
    assert_int_equal(lcl_chain_set_tolerance(r.C, 0, 0, 2), LCL_OK);
    test_run_solve(&r, LCL_ITERATION_LIMIT);
    assert_int_equal(r.report.iterations, 2);
    test_run_close(&r);
}

static void test_chain__wrong_arguments_are_refused(void **state)
{
    const struct lcl_solver_params params = {.rtol = -1};
    struct lcl_csr A = test_identity(4);
    double v[4] = {0};
    lcl_operator *op;
    lcl_chain *C;
    assert_int_equal(lcl_operator_create(&op, *state, &A, NULL), LCL_OK);
    assert_misuse(lcl_chain_create(NULL, op, NULL, NULL));
    assert_misuse(lcl_chain_create(&C, NULL, NULL, NULL));
    assert_null(C);
    assert_int_equal(lcl_chain_create(&C, op, NULL, &params), LCL_EINVAL);
    assert_null(C);
    assert_int_equal(lcl_chain_create(&C, op, NULL, NULL), LCL_OK);
    assert_misuse(lcl_chain_solve(NULL, v, v, NULL));
    assert_misuse(lcl_chain_solve(C, NULL, v, NULL));
    assert_misuse(lcl_chain_solve(C, v, NULL, NULL));
    v[2] = NAN;
    double x[4] = {0};
    assert_int_equal(lcl_chain_solve(C, v, x, NULL), LCL_EFORMAT);
    assert_misuse(lcl_chain_update(NULL));
    assert_misuse(lcl_chain_set_tolerance(NULL, 0, 0, 0));
    assert_null(lcl_chain_attempt(C, -1));
    assert_null(lcl_chain_attempt(C, LCL_CHAIN_MAX));
    assert_null(lcl_chain_attempt(NULL, 0));
    assert_null(lcl_chain_precond(NULL));
    assert_null(lcl_chain_solver(NULL));
    lcl_chain_destroy(&C);
    lcl_chain_destroy(&C);
    lcl_chain_destroy(NULL);
    lcl_operator_destroy(&op);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain__dense_rows_and_columns_are_handled),
        cmocka_unit_test(test_chain__disconnected_parts_are_handled),
        cmocka_unit_test(test_chain__rows_with_a_diagonal_alone_are_handled),
        cmocka_unit_test(test_chain__prescribed_unknowns_are_set_aside),
        cmocka_unit_test(test_chain__cg_takes_prescribed_unknowns),
        cmocka_unit_test(test_chain__other_methods_follow),
        cmocka_unit_test(test_chain__methods_that_others_follow_end_early),
        cmocka_unit_test(test_chain__all_methods_have_the_parameters_given),
        cmocka_unit_test(test_chain__many_lanes_take_the_inverse),
        cmocka_unit_test(test_chain__dropped_couplings_bring_overlap),
        cmocka_unit_test(test_chain__dropped_couplings_bring_overlap_to_cg),
        cmocka_unit_test(test_chain__memory_decides_on_the_whole_matrix),
        cmocka_unit_test(test_chain__memory_decides_on_the_whole_matrix_for_cg),
        cmocka_unit_test(test_chain__singular_systems_are_reported),
        cmocka_unit_test(test_chain__iterations_are_bounded_together),
        cmocka_unit_test(test_chain__a_limit_keeps_the_method),
        cmocka_unit_test(test_chain__other_limits_apply_to_all_methods),
        cmocka_unit_test(test_chain__the_monitor_ends_all),
        cmocka_unit_test(test_chain__zero_right_hand_sides_give_zero),
        cmocka_unit_test(test_chain__new_values_choose_the_method),
        cmocka_unit_test(test_chain__similar_values_keep_the_method),
        cmocka_unit_test(test_chain__solves_agree_bit_for_bit),
        cmocka_unit_test(test_chain__callbacks_have_no_preconditioner),
        cmocka_unit_test(test_chain__budgets_follow_the_methods_before),
        cmocka_unit_test(test_chain__a_cancelled_solve_ends_all),
        cmocka_unit_test(test_chain__a_set_up_can_be_cancelled),
        cmocka_unit_test(test_chain__an_update_can_be_cancelled),
        cmocka_unit_test(test_chain__time_is_limited),
        cmocka_unit_test(test_chain__tolerances_can_be_replaced),
        cmocka_unit_test(test_chain__wrong_arguments_are_refused),
    };
    return test_device_run(tests);
}
