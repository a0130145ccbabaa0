// SPDX-License-Identifier: BSD-3-Clause
// Several right-hand sides in one call.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"

#include <levelcl/solver.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 3, GAP = 5 };

struct system {
    struct lcl_csr A;
    int64_t n, ld;
    lcl_operator *op;
    lcl_precond *M;
    lcl_solver *S;
    double *b, *x, *one;
    struct lcl_report report[COLUMNS];
};

static void open_system(struct system *t, lcl_context *ctx,
                        const struct lcl_solver_params *params)
{
    *t = (struct system){.A = test_laplacian(9, 8, 7)};
    t->n = t->A.rows;
    t->ld = t->n + GAP;
    t->b = test_random_vector(COLUMNS * t->ld, 5);
    t->x = test_vector(COLUMNS * t->ld);
    t->one = test_vector(t->n);
    assert_int_equal(lcl_operator_create(&t->op, ctx, &t->A, NULL), LCL_OK);
    assert_int_equal(lcl_precond_create(&t->M, t->op, NULL), LCL_OK);
    assert_int_equal(lcl_solver_create(&t->S, t->op, t->M, params), LCL_OK);
}

static void close_system(struct system *t)
{
    lcl_solver_destroy(&t->S);
    lcl_precond_destroy(&t->M);
    lcl_operator_destroy(&t->op);
    test_csr_finish(&t->A);
    free(t->b);
    free(t->x);
    free(t->one);
}

static enum lcl_status solve(struct system *t)
{
    return lcl_solver_solve_many(t->S, t->b, t->ld, t->x, t->ld, COLUMNS,
                                 t->report);
}

// Column j has the bits and the report of a solve of its own.
static void expect_column(struct system *t, int j)
{
    const struct lcl_report *many = &t->report[j];
    struct lcl_report report;
    memset(t->one, 0, (size_t)t->n * sizeof *t->one);
    const enum lcl_status st =
        lcl_solver_solve(t->S, t->b + j * t->ld, t->one, &report);
    assert_true(st >= 0);
    test_expect_same("x", t->x + j * t->ld, t->one, t->n);
    assert_int_equal(many->stop, report.stop);
    assert_int_equal(many->iterations, report.iterations);
    assert_int_equal(many->history_count, report.history_count);
    test_expect_same("history", many->history, report.history,
                     report.history_count);
    for (int64_t i = t->n; i < t->ld; ++i)
        assert_true(t->x[j * t->ld + i] == 0);
}

static void test_solve_many__columns_are_those_of_single_solves(void **state)
{
    static const enum lcl_solver_type types[] = {LCL_SOLVER_CG,
                                                 LCL_SOLVER_BICGSTAB};
    for (size_t k = 0; k < sizeof types / sizeof *types; ++k) {
        const struct lcl_solver_params params = {.type = types[k]};
        struct system t;
        open_system(&t, *state, &params);
        assert_int_equal(solve(&t), LCL_OK);
        for (int j = 0; j < COLUMNS; ++j)
            expect_column(&t, j);
        close_system(&t);
    }
}

static void test_solve_many__a_failing_column_leaves_the_others(void **state)
{
    const struct lcl_solver_params params = {.type = LCL_SOLVER_CG,
                                             .max_iters = 2};
    struct system t;
    open_system(&t, *state, &params);
    memset(t.b, 0, (size_t)t.n * sizeof *t.b);
    memset(t.b + 2 * t.ld, 0, (size_t)t.n * sizeof *t.b);
    assert_int_equal(solve(&t), LCL_ITERATION_LIMIT);
    assert_int_equal(t.report[0].stop, LCL_STOP_ZERO_RHS);
    assert_int_equal(t.report[1].stop, LCL_STOP_MAX_ITERS);
    assert_int_equal(t.report[2].stop, LCL_STOP_ZERO_RHS);
    expect_column(&t, 1);
    close_system(&t);
}

static bool stop_at_once(void *user, const struct lcl_progress_info *info)
{
    (void)user, (void)info;
    return false;
}

static void test_solve_many__a_monitor_ends_all_columns(void **state)
{
    const struct lcl_solver_params params = {
        .type = LCL_SOLVER_CG, .rtol = 1e-14, .monitor = stop_at_once};
    struct system t;
    open_system(&t, *state, &params);
    assert_int_equal(solve(&t), LCL_ITERATION_LIMIT);
    assert_int_equal(t.report[0].stop, LCL_STOP_MONITOR);
    assert_int_equal(t.report[1].stop, LCL_STOP_NONE);
    assert_int_equal(t.report[2].stop, LCL_STOP_NONE);
    close_system(&t);
}

static void test_solve_many__wrong_arguments_are_refused(void **state)
{
    struct system t;
    open_system(&t, *state, NULL);
    lcl_solver *S = t.S;
    double *b = t.b, *x = t.x;
    const int64_t ld = t.ld;
    assert_misuse(lcl_solver_solve_many(NULL, b, ld, x, ld, 1, NULL));
    assert_misuse(lcl_solver_solve_many(S, NULL, ld, x, ld, 1, NULL));
    assert_misuse(lcl_solver_solve_many(S, b, ld, NULL, ld, 1, NULL));
    assert_int_equal(lcl_solver_solve_many(S, b, ld, x, ld, 0, NULL),
                     LCL_EINVAL);
    assert_int_equal(lcl_solver_solve_many(S, b, ld, x, ld, -1, NULL),
                     LCL_EINVAL);
    assert_int_equal(lcl_solver_solve_many(S, b, t.n - 1, x, ld, 1, NULL),
                     LCL_EINVAL);
    assert_int_equal(lcl_solver_solve_many(S, b, ld, x, INT64_MIN, 1, NULL),
                     LCL_EINVAL);
    assert_int_equal(lcl_solver_solve_many(S, b, INT64_MAX, x, ld, 3, NULL),
                     LCL_ERANGE);
    assert_int_equal(lcl_solver_solve_many(S, x, ld, x, ld, 2, NULL),
                     LCL_EINVAL);
    assert_int_equal(lcl_solver_solve_many(S, x + ld, ld, x, ld, 2, NULL),
                     LCL_EINVAL);
    t.b[2 * ld] = NAN;
    assert_int_equal(solve(&t), LCL_EFORMAT);
    for (int64_t i = 0; i < COLUMNS * ld; ++i)
        assert_true(x[i] == 0);
    close_system(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solve_many__columns_are_those_of_single_solves),
        cmocka_unit_test(test_solve_many__a_failing_column_leaves_the_others),
        cmocka_unit_test(test_solve_many__a_monitor_ends_all_columns),
        cmocka_unit_test(test_solve_many__wrong_arguments_are_refused),
    };
    return test_device_run(tests);
}
