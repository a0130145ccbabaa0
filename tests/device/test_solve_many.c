// SPDX-License-Identifier: BSD-3-Clause
// Several right-hand sides in one call.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"

#include <levelcl/solver.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 3, GAP = 5, MOST = 17 };

struct system {
    struct lcl_csr A;
    int64_t n, ld;
    int columns;
    lcl_operator *op;
    lcl_precond *M;
    lcl_solver *S;
    double *b, *x, *one;
    struct lcl_report report[MOST];
};

// `columns` random right-hand sides for A, which the system takes over.
static void open_matrix(struct system *t, lcl_context *ctx, struct lcl_csr A,
                        int columns, const struct lcl_precond_params *precond,
                        const struct lcl_solver_params *params)
{
    *t = (struct system){.A = A, .n = A.rows, .columns = columns};
    t->ld = t->n + GAP;
    t->b = test_random_vector(columns * t->ld, 5);
    t->x = test_vector(columns * t->ld);
    t->one = test_vector(t->n);
    assert_int_equal(lcl_operator_create(&t->op, ctx, &t->A, NULL), LCL_OK);
    assert_true(lcl_precond_create(&t->M, t->op, precond) >= 0);
    assert_int_equal(lcl_solver_create(&t->S, t->op, t->M, params), LCL_OK);
}

static void open_system(struct system *t, lcl_context *ctx,
                        const struct lcl_solver_params *params)
{
    open_matrix(t, ctx, test_laplacian(9, 8, 7), COLUMNS, NULL, params);
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
    return lcl_solver_solve_many(t->S, t->b, t->ld, t->x, t->ld, t->columns,
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
    const struct lcl_solver_params params = {.type = LCL_SOLVER_BICGSTAB};
    struct system t;
    open_system(&t, *state, &params);
    assert_int_equal(solve(&t), LCL_OK);
    for (int j = 0; j < COLUMNS; ++j)
        expect_column(&t, j);
    close_system(&t);
}

// ||b - A x|| of column j
static double residual(const struct system *t, int j)
{
    const double *b = t->b + j * t->ld;
    double sum = 0;
    lcl_csr_multiply(&t->A, t->x + j * t->ld, t->one);
    for (int64_t i = 0; i < t->n; ++i)
        sum += (b[i] - t->one[i]) * (b[i] - t->one[i]);
    return sqrt(sum);
}

static double norm(const struct system *t, int j)
{
    double sum = 0;
    for (int64_t i = 0; i < t->n; ++i)
        sum += t->b[j * t->ld + i] * t->b[j * t->ld + i];
    return sqrt(sum);
}

// Column j has its solution and a report like that of a solve of its own; sums
// of several columns may have another order.
static void expect_solved(struct system *t, int j)
{
    const struct lcl_report *many = &t->report[j];
    struct lcl_report own;
    assert_int_equal(many->stop, LCL_STOP_RTOL);
    const double rr = residual(t, j) / norm(t, j);
    assert_true(rr <= 1e-8 * (1 + 1e-6));
    assert_true(fabs(rr - many->true_residual) <= 1e-3 * rr + 1e-14);
    memset(t->one, 0, (size_t)t->n * sizeof *t->one);
    assert_int_equal(lcl_solver_solve(t->S, t->b + j * t->ld, t->one, &own),
                     LCL_OK);
    assert_true(abs(many->iterations - own.iterations) <= 1);
    assert_int_equal(many->history_count, many->iterations + 1);
    assert_true(fabs(many->norm_b - own.norm_b) <= 1e-12 * own.norm_b);
    assert_true(many->launches > 0);
    test_expect_near("history", many->history, own.history,
                     own.history_count < 5 ? own.history_count : 5, 1e-9);
    for (int64_t i = t->n; i < t->ld; ++i)
        assert_true(t->x[j * t->ld + i] == 0);
}

static void test_solve_many__any_number_of_columns(void **state)
{
    static const int counts[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, MOST};
    const struct lcl_solver_params params = {.type = LCL_SOLVER_CG};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; ++k) {
        struct system t;
        open_matrix(&t, *state, test_laplacian(9, 8, 7), counts[k], NULL,
                    &params);
        assert_int_equal(solve(&t), LCL_OK);
        for (int j = 0; j < counts[k]; ++j)
            expect_solved(&t, j);
        close_system(&t);
    }
}

static void test_solve_many__all_preconditioners(void **state)
{
    static const struct lcl_precond_params all[] = {
        {.type = LCL_PRECOND_NONE},
        {.type = LCL_PRECOND_JACOBI},
        {.type = LCL_PRECOND_IC0, .partition.rows = 40},
        {.type = LCL_PRECOND_IC0, .partition.rows = 40, .coarse = 2},
        {.type = LCL_PRECOND_IC0, .partition.rows = 40, .coarse = 3},
        {.type = LCL_PRECOND_ILUK, .ilu_level = 1, .partition.rows = 40},
        {.type = LCL_PRECOND_AS, .overlap = 1, .partition.rows = 40},
        {.type = LCL_PRECOND_BLOCK_JACOBI},
        {.type = LCL_PRECOND_AMG},
    };
    const struct lcl_solver_params params = {.type = LCL_SOLVER_CG};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        struct system t;
        open_matrix(&t, *state, test_laplacian(9, 8, 7), COLUMNS, &all[k],
                    &params);
        assert_int_equal(solve(&t), LCL_OK);
        for (int j = 0; j < COLUMNS; ++j)
            expect_solved(&t, j);
        close_system(&t);
    }
}

// Old factors: CG takes the additive form.
static void test_solve_many__values_that_m_does_not_have(void **state)
{
    const struct lcl_precond_params precond = {
        .type = LCL_PRECOND_IC0, .partition.rows = 40, .coarse = 3};
    const struct lcl_solver_params params = {.type = LCL_SOLVER_CG};
    struct system t;
    open_matrix(&t, *state, test_laplacian(9, 8, 7), 5, &precond, &params);
    for (int64_t k = 0; k < t.A.nnz; ++k)
        t.A.val[k] *= t.A.val[k] > 0 ? 1.25 : 1;
    assert_int_equal(lcl_operator_update(t.op, t.A.val), LCL_OK);
    assert_int_equal(solve(&t), LCL_OK);
    for (int j = 0; j < 5; ++j) {
        expect_solved(&t, j);
        assert_int_equal(t.report[j].precond_updates, 1);
    }
    close_system(&t);
}

// ------------------------------------------------------------------ columns

static double *column(const struct system *t, double *v, int j)
{
    return v + j * t->ld;
}

// Columns: random, zero, a multiple of the first, equal to the first, solved
// already, random with a start vector.
static void test_solve_many__dependent_zero_and_solved_columns(void **state)
{
    const struct lcl_solver_params params = {.type = LCL_SOLVER_CG};
    struct system t;
    open_matrix(&t, *state, test_laplacian(9, 8, 7), 6, NULL, &params);
    double *start = test_random_vector(t.n, 77);
    for (int64_t i = 0; i < t.n; ++i) {
        column(&t, t.b, 1)[i] = 0;
        column(&t, t.x, 1)[i] = 1;
        column(&t, t.b, 2)[i] = -3 * t.b[i];
        column(&t, t.b, 3)[i] = t.b[i];
        column(&t, t.x, 4)[i] = column(&t, t.x, 5)[i] = start[i];
    }
    lcl_csr_multiply(&t.A, start, column(&t, t.b, 4));
    assert_int_equal(solve(&t), LCL_OK);
    const int like_others[] = {0, 2, 3};
    for (int k = 0; k < 3; ++k)
        expect_solved(&t, like_others[k]);
    assert_int_equal(t.report[1].stop, LCL_STOP_ZERO_RHS);
    for (int64_t i = 0; i < t.n; ++i)
        assert_true(column(&t, t.x, 1)[i] == 0);
    test_expect_same("equal columns", column(&t, t.x, 3), t.x, t.n);
    assert_int_equal(t.report[4].stop, LCL_STOP_RTOL);
    assert_int_equal(t.report[4].iterations, 0);
    test_expect_same("a solution", column(&t, t.x, 4), start, t.n);
    assert_int_equal(t.report[5].stop, LCL_STOP_RTOL);
    assert_true(residual(&t, 5) <= 1e-8 * norm(&t, 5) * (1 + 1e-6));
    free(start);
    close_system(&t);
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
    assert_int_equal(t.report[1].iterations, 2);
    assert_int_equal(t.report[2].stop, LCL_STOP_ZERO_RHS);
    assert_true(residual(&t, 1) < norm(&t, 1));
    close_system(&t);
}

// The first half of the unknowns has positive, the second one negative
// eigenvalues: only columns with a part in both are indefinite.
static void test_solve_many__each_column_has_its_own_reason(void **state)
{
    const struct lcl_precond_params none = {.type = LCL_PRECOND_NONE};
    const struct lcl_solver_params params = {.type = LCL_SOLVER_CG};
    struct lcl_csr A =
        test_joined(test_laplacian(5, 5, 5), test_laplacian(5, 5, 5));
    struct system t;
    for (int64_t k = A.nnz / 2; k < A.nnz; ++k)
        A.val[k] = -A.val[k];
    open_matrix(&t, *state, A, 4, &none, &params);
    const size_t half = (size_t)t.n / 2;
    memset(column(&t, t.b, 0) + half, 0, half * sizeof *t.b);
    memset(column(&t, t.b, 2), 0, half * sizeof *t.b);
    assert_true(solve(&t) > 0);
    for (int j = 0; j < 4; j += 2)
        expect_solved(&t, j);
    for (int j = 1; j < 4; j += 2) {
        assert_int_equal(t.report[j].stop, LCL_STOP_INDEFINITE_MATRIX);
        assert_true(residual(&t, j) <= norm(&t, j));
    }
    close_system(&t);
}

// The last residual of a cycle comes without M: it is not indefinite.
static void test_solve_many__negative_definite_columns(void **state)
{
    for (int limited = 0; limited < 2; ++limited) {
        const struct lcl_solver_params params = {.type = LCL_SOLVER_CG,
                                                 .max_iters = limited ? 3 : 0};
        struct lcl_csr A = test_laplacian(9, 8, 7);
        struct system t;
        for (int64_t k = 0; k < A.nnz; ++k)
            A.val[k] = -A.val[k];
        open_matrix(&t, *state, A, 4, NULL, &params);
        assert_int_equal(solve(&t), limited ? LCL_ITERATION_LIMIT : LCL_OK);
        for (int j = 0; j < 4; ++j)
            if (limited)
                assert_int_equal(t.report[j].stop, LCL_STOP_MAX_ITERS);
            else
                expect_solved(&t, j);
        close_system(&t);
    }
}

static void test_solve_many__stagnation_of_each_column(void **state)
{
    const struct lcl_solver_params params = {
        .type = LCL_SOLVER_CG, .rtol = 1e-30, .stagnation = 20};
    struct system t;
    open_system(&t, *state, &params);
    assert_int_equal(solve(&t), LCL_STAGNATION);
    for (int j = 0; j < COLUMNS; ++j) {
        assert_int_equal(t.report[j].stop, LCL_STOP_STAGNATION);
        assert_true(residual(&t, j) < 1e-13 * norm(&t, j));
        assert_true(t.report[j].iterations < 400);
    }
    close_system(&t);
}

// A column whose squares overflow is solved alone, in another unit.
static void test_solve_many__columns_in_large_units(void **state)
{
    const struct lcl_solver_params params = {.type = LCL_SOLVER_CG};
    struct system t;
    open_system(&t, *state, &params);
    for (int64_t i = 0; i < t.n; ++i)
        column(&t, t.b, 2)[i] *= 0x1p700;
    assert_int_equal(solve(&t), LCL_OK);
    for (int64_t i = 0; i < t.n; ++i) {
        column(&t, t.b, 2)[i] *= 0x1p-700;
        column(&t, t.x, 2)[i] *= 0x1p-700;
    }
    t.report[2].norm_b *= 0x1p-700;
    for (int j = 0; j < COLUMNS; ++j)
        expect_solved(&t, j);
    close_system(&t);
}

static void test_solve_many__what_tolerances_are_relative_to(void **state)
{
    const struct lcl_solver_params params = {
        .type = LCL_SOLVER_CG, .rtol = 1e-3, .relative_to = LCL_RELATIVE_TO_R0};
    struct system t;
    open_system(&t, *state, &params);
    for (int64_t i = 0; i < t.n; ++i)
        column(&t, t.x, 1)[i] = 1e4;
    lcl_csr_multiply(&t.A, column(&t, t.x, 1), t.one);
    assert_int_equal(solve(&t), LCL_OK);
    assert_true(residual(&t, 0) <= 1e-3 * norm(&t, 0));
    assert_true(residual(&t, 1) > 1e-2 * norm(&t, 1));
    assert_int_equal(lcl_solver_set_tolerance(t.S, 1e-12, norm(&t, 0), 0),
                     LCL_OK);
    assert_int_equal(solve(&t), LCL_OK);
    assert_int_equal(t.report[0].stop, LCL_STOP_ATOL);
    close_system(&t);
}

// ------------------------------------------------------------------ callbacks

static bool stop_at_once(void *user, const struct lcl_progress_info *info)
{
    (void)user, (void)info;
    return false;
}

// The columns of the first pass, of which small groups share fewer, and none of
// the second.
static void expect_all_stopped(struct system *t, const lcl_context *ctx,
                               enum lcl_stop stop)
{
    const bool large = lcl_context_caps(ctx)->max_group_size >= 256;
    int first = 0;
    while (first < 10 && t->report[first].stop == stop)
        ++first;
    assert_true(large ? first == 8 : first >= 1 && first <= 8);
    for (int j = 0; j < 10; ++j) {
        assert_int_equal(t->report[j].stop, j < first ? stop : LCL_STOP_NONE);
        assert_true(residual(t, j) <= norm(t, j));
        for (int64_t i = 0; i < t->n && j >= first; ++i)
            assert_true(column(t, t->x, j)[i] == 0);
    }
}

static void test_solve_many__a_monitor_ends_all_columns(void **state)
{
    const struct lcl_solver_params params = {
        .type = LCL_SOLVER_CG, .rtol = 1e-14, .monitor = stop_at_once};
    struct system t;
    open_matrix(&t, *state, test_laplacian(9, 8, 7), 10, NULL, &params);
    assert_int_equal(solve(&t), LCL_ITERATION_LIMIT);
    expect_all_stopped(&t, *state, LCL_STOP_MONITOR);
    close_system(&t);
}

static void test_solve_many__cancelled(void **state)
{
    const struct lcl_solver_params params = {.type = LCL_SOLVER_CG,
                                             .rtol = 1e-14};
    struct system t;
    open_matrix(&t, *state, test_laplacian(9, 8, 7), 10, NULL, &params);
    lcl_solver_cancel(t.S);
    assert_int_equal(solve(&t), LCL_ITERATION_LIMIT);
    expect_all_stopped(&t, *state, LCL_STOP_CANCELLED);
    assert_int_equal(solve(&t), LCL_OK);
    close_system(&t);
}

// Sees the largest residual of all columns.
static enum lcl_verdict satisfied(void *user,
                                  const struct lcl_progress_info *info)
{
    *(double *)user = info->residual;
    return info->residual < 1e-3 ? LCL_CONVERGED : LCL_CONTINUE;
}

static void test_solve_many__a_convergence_test_ends_all_columns(void **state)
{
    double last = 0;
    const struct lcl_solver_params params = {.type = LCL_SOLVER_CG,
                                             .rtol = 1e-14,
                                             .test = satisfied,
                                             .test_user = &last,
                                             .monitor_every = 1};
    struct system t;
    open_system(&t, *state, &params);
    assert_int_equal(solve(&t), LCL_OK);
    double largest = 0;
    for (int j = 0; j < COLUMNS; ++j) {
        assert_int_equal(t.report[j].stop, LCL_STOP_TEST);
        assert_true(residual(&t, j) < 1e-3 * norm(&t, j));
        for (int i = 0; i < t.report[j].history_count; ++i)
            if (t.report[j].history[i] == last)
                largest = last;
    }
    assert_true(largest > 0);
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
        cmocka_unit_test(test_solve_many__any_number_of_columns),
        cmocka_unit_test(test_solve_many__all_preconditioners),
        cmocka_unit_test(test_solve_many__values_that_m_does_not_have),
        cmocka_unit_test(test_solve_many__dependent_zero_and_solved_columns),
        cmocka_unit_test(test_solve_many__a_failing_column_leaves_the_others),
        cmocka_unit_test(test_solve_many__each_column_has_its_own_reason),
        cmocka_unit_test(test_solve_many__negative_definite_columns),
        cmocka_unit_test(test_solve_many__stagnation_of_each_column),
        cmocka_unit_test(test_solve_many__columns_in_large_units),
        cmocka_unit_test(test_solve_many__what_tolerances_are_relative_to),
        cmocka_unit_test(test_solve_many__a_monitor_ends_all_columns),
        cmocka_unit_test(test_solve_many__cancelled),
        cmocka_unit_test(test_solve_many__a_convergence_test_ends_all_columns),
        cmocka_unit_test(test_solve_many__wrong_arguments_are_refused),
    };
    return test_device_run(tests);
}
