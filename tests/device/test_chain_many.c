// SPDX-License-Identifier: BSD-3-Clause
// Several right-hand sides by a chain of methods.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"
#include "tests/support/solving.h"

#include <levelcl/chain.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 10 };

struct run {
    struct lcl_csr A;
    lcl_operator *op;
    lcl_chain *C;
    double *b, *x;
    int64_t ld;
    int count;
    struct lcl_report report[MOST];
};

static void run_open(struct run *r, lcl_context *ctx, struct lcl_csr A,
                     int count, const struct lcl_precond_params *precond,
                     const struct lcl_solver_params *solver)
{
    const int64_t ld = A.rows + 3;
    *r = (struct run){.A = A,
                      .b = test_random_vector(ld * count, 9),
                      .x = test_vector(ld * count),
                      .ld = ld,
                      .count = count};
    assert_int_equal(lcl_operator_create(&r->op, ctx, &A, NULL), LCL_OK);
    assert_true(lcl_chain_create(&r->C, r->op, precond, solver) >= LCL_OK);
}

static int attempts_of(const struct run *r, int column)
{
    int count = 0;
    while (lcl_chain_column_attempt(r->C, column, count))
        ++count;
    return count;
}

static const struct lcl_attempt *first_of(const struct run *r, int column)
{
    return lcl_chain_column_attempt(r->C, column, 0);
}

// Attempts, report and history of a column belong together.
static void expect_consistent(const struct run *r, int column)
{
    const struct lcl_report *report = &r->report[column];
    const int attempts = attempts_of(r, column);
    int iterations = 0;
    assert_true(attempts > 0);
    for (int k = 0; k < attempts; ++k)
        iterations += lcl_chain_column_attempt(r->C, column, k)->iterations;
    assert_int_equal(
        lcl_chain_column_attempt(r->C, column, attempts - 1)->status,
        lcl_stop_status(report->stop));
    assert_int_equal(iterations, report->iterations);
    assert_int_equal(iterations + 1, report->history_count);
    assert_true(isfinite(report->history[iterations]));
}

// Returns the status; *solved: how many columns have reports.
static enum lcl_status run_solve(struct run *r, int *solved)
{
    const enum lcl_status st = lcl_chain_solve_many(r->C, r->b, r->ld, r->x,
                                                    r->ld, r->count, r->report);
    *solved = 0;
    while (*solved < r->count && r->report[*solved].stop != LCL_STOP_NONE)
        expect_consistent(r, (*solved)++);
    for (int j = *solved; j < r->count; ++j) {
        assert_int_equal(r->report[j].stop, LCL_STOP_NONE);
        assert_null(first_of(r, j));
    }
    return st;
}

static void run_close(struct run *r)
{
    lcl_chain_destroy(&r->C);
    lcl_operator_destroy(&r->op);
    test_csr_finish(&r->A);
    free(r->b);
    free(r->x);
}

static void expect_solved(const struct run *r, int column)
{
    const int64_t at = column * r->ld;
    const double residual = test_residual(&r->A, r->b + at, r->x + at);
    assert_int_equal(lcl_stop_status(r->report[column].stop), LCL_OK);
    assert_true(residual <= 1e-8 * (1 + 1e-6));
}

// One method, with shared passes and without.
static void test_chain_many__all_columns_are_solved(void **state)
{
    static const struct lcl_solver_params solvers[] = {
        {.type = LCL_SOLVER_CG}, {.type = LCL_SOLVER_BICGSTAB}};
    static const int counts[] = {1, 3, MOST};
    for (int s = 0; s < 2; ++s)
        for (int k = 0; k < 3; ++k) {
            struct run r;
            int solved;
            run_open(&r, *state, test_laplacian(9, 8, 7), counts[k], NULL,
                     &solvers[s]);
            assert_int_equal(run_solve(&r, &solved), LCL_OK);
            assert_int_equal(solved, counts[k]);
            for (int j = 0; j < counts[k]; ++j) {
                expect_solved(&r, j);
                assert_int_equal(attempts_of(&r, j), 1);
                assert_int_equal(first_of(&r, j)->solver, solvers[s].type);
            }
            run_close(&r);
        }
}

// A definite and an indefinite part; a right-hand side in the former alone is
// solved by CG, others by what follows it.
static void test_chain_many__columns_that_fail_go_on(void **state)
{
    struct lcl_csr second = test_laplacian(9, 8, 7);
    for (int64_t k = 0; k < second.nnz; ++k)
        second.val[k] -= second.val[k] > 0 ? 3 : 0;
    const struct lcl_csr A = test_joined(test_laplacian(9, 8, 7), second);
    struct run r;
    run_open(&r, *state, A, 4, NULL, NULL);
    const size_t half = (size_t)A.rows / 2;
    for (int j = 1; j < 4; j += 2)
        memset(r.b + j * r.ld + half, 0, half * sizeof *r.b);
    int solved;
    assert_int_equal(run_solve(&r, &solved), LCL_OK);
    assert_int_equal(solved, 4);
    for (int j = 0; j < 4; ++j) {
        expect_solved(&r, j);
        assert_int_equal(first_of(&r, j)->solver, LCL_SOLVER_CG);
        assert_int_equal(first_of(&r, j)->stop,
                         j % 2 ? LCL_STOP_RTOL : LCL_STOP_INDEFINITE_MATRIX);
        assert_int_equal(attempts_of(&r, j) > 1, j % 2 == 0);
    }
    run_close(&r);
}

// All methods fail for all columns.
static void test_chain_many__limits_hold_for_each_column(void **state)
{
    const struct lcl_solver_params few = {.max_iters = 8, .rtol = 1e-18};
    struct run r;
    run_open(&r, *state, test_laplacian(10, 9, 8), 3, NULL, &few);
    int solved;
    assert_true(run_solve(&r, &solved) > LCL_OK);
    assert_int_equal(solved, 3);
    for (int j = 0; j < 3; ++j) {
        assert_true(lcl_stop_status(r.report[j].stop) > LCL_OK);
        assert_true(attempts_of(&r, j) > 1);
        assert_true(r.report[j].iterations <= 8);
        assert_true(r.report[j].true_residual < 1);
    }
    assert_non_null(lcl_chain_precond(r.C));
    run_close(&r);
}

static bool stop_at_once(void *user, const struct lcl_progress_info *info)
{
    (void)user, (void)info;
    return false;
}

// Small groups share a pass among fewer columns: those of the first one end.
static void test_chain_many__the_monitor_ends_all(void **state)
{
    const bool large = lcl_context_caps(*state)->max_group_size >= 256;
    const struct lcl_solver_params params = {
        .type = LCL_SOLVER_CG, .rtol = 1e-14, .monitor = stop_at_once};
    struct run r;
    run_open(&r, *state, test_laplacian(12, 10, 9), MOST, NULL, &params);
    int solved;
    assert_int_equal(run_solve(&r, &solved), LCL_ITERATION_LIMIT);
    assert_true(large ? solved == 8 : solved >= 1);
    for (int j = 0; j < solved; ++j)
        assert_int_equal(r.report[j].stop, LCL_STOP_MONITOR);
    run_close(&r);
}

static enum lcl_verdict accept_and_cancel(void *user,
                                          const struct lcl_progress_info *info)
{
    (void)info;
    lcl_chain_cancel(*(lcl_chain **)user);
    return LCL_CONVERGED;
}

// It comes too late for the column, and holds for those after it alone.
static void test_chain_many__a_call_to_cancel_ends_all(void **state)
{
    lcl_chain *C = NULL;
    const struct lcl_solver_params params = {.type = LCL_SOLVER_BICGSTAB,
                                             .rtol = 1e-14,
                                             .test = accept_and_cancel,
                                             .test_user = &C};
    // many lanes invert so small a matrix, and the test is not asked
    const struct lcl_precond_params precond = {.type = LCL_PRECOND_JACOBI};
    struct run r;
    run_open(&r, *state, test_laplacian(9, 8, 7), 3, &precond, &params);
    C = r.C;
    for (int time = 0; time < 2; ++time) {
        int solved;
        assert_int_equal(run_solve(&r, &solved), LCL_ITERATION_LIMIT);
        assert_int_equal(solved, 2);
        assert_int_equal(r.report[0].stop, LCL_STOP_TEST);
        assert_int_equal(r.report[1].stop, LCL_STOP_CANCELLED);
    }
    run_close(&r);
}

// Notes the columns of which it is told.
static bool note_column(void *user, const struct lcl_progress_info *info)
{
    bool *seen = user;
    assert_in_range(info->column, 0, MOST - 1);
    seen[info->column] = true;
    return true;
}

static void solve_monitored(struct run *r, lcl_context *ctx,
                            enum lcl_solver_type solver, int columns,
                            bool seen[MOST])
{
    const struct lcl_solver_params params = {.type = solver,
                                             .monitor = note_column,
                                             .monitor_user = seen,
                                             .monitor_every = 1};
    const struct lcl_precond_params precond = {.type = LCL_PRECOND_JACOBI};
    int solved;
    run_open(r, ctx, test_laplacian(9, 8, 7), columns, &precond, &params);
    assert_int_equal(run_solve(r, &solved), LCL_OK);
}

static void test_chain_many__the_monitor_is_told_the_column(void **state)
{
    bool seen[MOST] = {false};
    struct run r;
    solve_monitored(&r, *state, LCL_SOLVER_BICGSTAB, 3, seen);
    for (int j = 0; j < MOST; ++j)
        assert_int_equal(seen[j], j < 3);
    seen[1] = seen[2] = false;
    memset(r.x, 0, (size_t)r.ld * sizeof *r.x);
    assert_int_equal(lcl_chain_solve(r.C, r.b, r.x, NULL), LCL_OK);
    assert_true(!seen[1] && !seen[2]);
    assert_non_null(lcl_chain_attempt(r.C, 0));
    assert_null(first_of(&r, 1));
    run_close(&r);
}

// Small groups share a pass among fewer columns.
static void test_chain_many__the_monitor_is_told_the_first_of_a_pass(
    void **state)
{
    const bool large = lcl_context_caps(*state)->max_group_size >= 256;
    bool seen[MOST] = {false};
    struct run r;
    solve_monitored(&r, *state, LCL_SOLVER_CG, MOST, seen);
    for (int j = 0; j < MOST; ++j)
        if (large || j % 8 == 0)
            assert_int_equal(seen[j], j % 8 == 0);
    run_close(&r);
}

static void test_chain_many__wrong_arguments_are_refused(void **state)
{
    struct run r;
    run_open(&r, *state, test_laplacian(4, 4, 4), 3, NULL, NULL);
    const int64_t n = r.A.rows, ld = r.ld;
    lcl_chain *C = r.C;
    assert_misuse(lcl_chain_solve_many(NULL, r.b, ld, r.x, ld, 3, NULL));
    assert_misuse(lcl_chain_solve_many(C, NULL, ld, r.x, ld, 3, NULL));
    assert_misuse(lcl_chain_solve_many(C, r.b, ld, NULL, ld, 3, NULL));
    assert_int_equal(lcl_chain_solve_many(C, r.b, ld, r.x, ld, 0, NULL),
                     LCL_EINVAL);
    assert_int_equal(lcl_chain_solve_many(C, r.b, n - 1, r.x, ld, 3, NULL),
                     LCL_EINVAL);
    assert_int_equal(lcl_chain_solve_many(C, r.b, ld, r.x, INT64_MAX, 3, NULL),
                     LCL_ERANGE);
    assert_int_equal(lcl_chain_solve_many(C, r.b, ld, r.b, ld, 3, NULL),
                     LCL_EINVAL);
    r.b[2 * ld] = NAN;
    assert_int_equal(lcl_chain_solve_many(C, r.b, ld, r.x, ld, 3, r.report),
                     LCL_EFORMAT);
    assert_int_equal(r.report[0].stop, LCL_STOP_NONE);
    run_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain_many__all_columns_are_solved),
        cmocka_unit_test(test_chain_many__columns_that_fail_go_on),
        cmocka_unit_test(test_chain_many__limits_hold_for_each_column),
        cmocka_unit_test(test_chain_many__the_monitor_ends_all),
        cmocka_unit_test(test_chain_many__a_call_to_cancel_ends_all),
        cmocka_unit_test(test_chain_many__the_monitor_is_told_the_column),
        cmocka_unit_test(
            test_chain_many__the_monitor_is_told_the_first_of_a_pass),
        cmocka_unit_test(test_chain_many__wrong_arguments_are_refused),
    };
    return test_device_run(tests);
}
