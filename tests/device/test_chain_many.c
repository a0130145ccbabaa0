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
    struct lcl_chain_columns columns;
    double *b, *x;
    // what `done` was told
    int told;
    enum lcl_status status[MOST];
    struct lcl_report report[MOST];
    struct lcl_attempt first[MOST];
    int attempts[MOST];
};

static void take(void *user, int column, enum lcl_status st,
                 const struct lcl_report *report)
{
    struct run *r = user;
    int count = 0, iterations = 0;
    assert_int_equal(column, r->told);
    ++r->told;
    r->status[column] = st;
    r->report[column] = *report;
    r->first[column] = *lcl_chain_attempt(r->C, 0);
    for (; lcl_chain_attempt(r->C, count); ++count)
        iterations += lcl_chain_attempt(r->C, count)->iterations;
    assert_int_equal(lcl_chain_attempt(r->C, count - 1)->status, st);
    assert_int_equal(iterations, report->iterations);
    assert_int_equal(iterations + 1, report->history_count);
    assert_true(isfinite(report->history[iterations]));
    r->attempts[column] = count;
}

static void run_open(struct run *r, lcl_context *ctx, struct lcl_csr A,
                     int columns, const struct lcl_precond_params *precond,
                     const struct lcl_solver_params *solver)
{
    const int64_t n = A.rows, ld = n + 3;
    *r = (struct run){.A = A,
                      .b = test_random_vector(ld * columns, 9),
                      .x = test_vector(ld * columns)};
    r->columns =
        (struct lcl_chain_columns){r->b, ld, r->x, ld, columns, take, r};
    assert_int_equal(lcl_operator_create(&r->op, ctx, &A, NULL), LCL_OK);
    assert_true(lcl_chain_create(&r->C, r->op, precond, solver) >= LCL_OK);
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
    const int64_t at = column * r->columns.ldb;
    const double residual = test_residual(&r->A, r->b + at, r->x + at);
    assert_int_equal(r->status[column], LCL_OK);
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
            run_open(&r, *state, test_laplacian(9, 8, 7), counts[k], NULL,
                     &solvers[s]);
            assert_int_equal(lcl_chain_solve_many(r.C, &r.columns), LCL_OK);
            assert_int_equal(r.told, counts[k]);
            for (int j = 0; j < counts[k]; ++j) {
                expect_solved(&r, j);
                assert_int_equal(r.attempts[j], 1);
                assert_int_equal(r.first[j].solver, solvers[s].type);
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
        memset(r.b + j * r.columns.ldb + half, 0, half * sizeof *r.b);
    assert_int_equal(lcl_chain_solve_many(r.C, &r.columns), LCL_OK);
    assert_int_equal(r.told, 4);
    for (int j = 0; j < 4; ++j) {
        expect_solved(&r, j);
        assert_int_equal(r.first[j].solver, LCL_SOLVER_CG);
        assert_int_equal(r.first[j].stop,
                         j % 2 ? LCL_STOP_RTOL : LCL_STOP_INDEFINITE_MATRIX);
        assert_int_equal(r.attempts[j] > 1, j % 2 == 0);
    }
    run_close(&r);
}

// All methods fail for all columns.
static void test_chain_many__limits_hold_for_each_column(void **state)
{
    const struct lcl_solver_params few = {.max_iters = 8, .rtol = 1e-18};
    struct run r;
    run_open(&r, *state, test_laplacian(10, 9, 8), 3, NULL, &few);
    assert_true(lcl_chain_solve_many(r.C, &r.columns) > LCL_OK);
    assert_int_equal(r.told, 3);
    for (int j = 0; j < 3; ++j) {
        assert_true(r.status[j] > LCL_OK);
        assert_true(r.attempts[j] > 1);
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
    assert_int_equal(lcl_chain_solve_many(r.C, &r.columns),
                     LCL_ITERATION_LIMIT);
    assert_true(large ? r.told == 8 : r.told >= 1);
    for (int j = 0; j < r.told; ++j)
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
        r.told = 0;
        assert_int_equal(lcl_chain_solve_many(r.C, &r.columns),
                         LCL_ITERATION_LIMIT);
        assert_int_equal(r.told, 2);
        assert_int_equal(r.report[0].stop, LCL_STOP_TEST);
        assert_int_equal(r.report[1].stop, LCL_STOP_CANCELLED);
    }
    run_close(&r);
}

static void test_chain_many__wrong_arguments_are_refused(void **state)
{
    struct run r;
    run_open(&r, *state, test_laplacian(4, 4, 4), 3, NULL, NULL);
    struct lcl_chain_columns c = r.columns;
    assert_misuse(lcl_chain_solve_many(NULL, &c));
    assert_misuse(lcl_chain_solve_many(r.C, NULL));
    c.b = NULL;
    assert_misuse(lcl_chain_solve_many(r.C, &c));
    c = r.columns;
    c.x = NULL;
    assert_misuse(lcl_chain_solve_many(r.C, &c));
    c = r.columns;
    c.count = 0;
    assert_int_equal(lcl_chain_solve_many(r.C, &c), LCL_EINVAL);
    c = r.columns;
    c.ldb = r.A.rows - 1;
    assert_int_equal(lcl_chain_solve_many(r.C, &c), LCL_EINVAL);
    c = r.columns;
    c.ldx = INT64_MAX;
    assert_int_equal(lcl_chain_solve_many(r.C, &c), LCL_ERANGE);
    c = r.columns;
    c.x = r.b;
    assert_int_equal(lcl_chain_solve_many(r.C, &c), LCL_EINVAL);
    r.b[2 * r.columns.ldb] = NAN;
    assert_int_equal(lcl_chain_solve_many(r.C, &r.columns), LCL_EFORMAT);
    assert_int_equal(r.told, 0);
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
        cmocka_unit_test(test_chain_many__wrong_arguments_are_refused),
    };
    return test_device_run(tests);
}
