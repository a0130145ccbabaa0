// SPDX-License-Identifier: BSD-3-Clause
// Preconditioners that keep old factors, and those that replace them by
// themselves after slow solves.
#include "lib/matrix/csr.h"
#include "lib/precond/precond.h"
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"
#include "tests/support/solver_checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct lcl_solver_params cg = {.type = LCL_SOLVER_CG};
enum { NX = 16, NY = 14, NZ = 12, ROWS = NX * NY * NZ, DEVICES = 2 };

struct system {
    struct lcl_csr A;
    lcl_context *ctx[DEVICES];
    lcl_operator *op;
    lcl_precond *M;
    lcl_solver *S;
    double *b, *x;
};

// The diagonal grows along the rows, or, `turned`, the other way.
static void set_values(struct lcl_csr *A, bool turned)
{
    for (int64_t i = 0; i < A->rows; ++i) {
        const int64_t place = turned ? A->rows - 1 - i : i;
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            if (A->col_ind[k] == i)
                A->val[k] = 6 + 1e4 * (double)place / (double)A->rows;
    }
}

static struct system open_system(const struct lcl_precond_params *precond,
                                 int devices)
{
    struct system s = {.A = test_laplacian(NX, NY, NZ),
                       .b = test_random_vector(ROWS, 2),
                       .x = test_vector(ROWS)};
    set_values(&s.A, false);
    for (int r = 0; r < devices; ++r)
        s.ctx[r] = test_context(r);
    assert_int_equal(
        devices > 1
            ? lcl_operator_create_distributed(&s.op, s.ctx, devices, &s.A, NULL)
            : lcl_operator_create(&s.op, s.ctx[0], &s.A, NULL),
        LCL_OK);
    assert_true(lcl_precond_create(&s.M, s.op, precond) >= 0);
    assert_int_equal(lcl_solver_create(&s.S, s.op, s.M, &cg), LCL_OK);
    return s;
}

static void close_system(struct system *s)
{
    lcl_solver_destroy(&s->S);
    lcl_precond_destroy(&s->M);
    lcl_operator_destroy(&s->op);
    test_csr_finish(&s->A);
    free(s->b);
    free(s->x);
}

// Solves from zero; expects this age of the factors. Returns the iterations.
static int solve(struct system *s, int solves, int updates)
{
    struct lcl_report report = LCL_REPORT_INIT;
    memset(s->x, 0, ROWS * sizeof *s->x);
    assert_int_equal(lcl_solver_solve(s->S, s->b, s->x, &report), LCL_OK);
    assert_true(test_residual(&s->A, s->b, s->x) <= 1e-8 * (1 + 1e-6));
    assert_int_equal(report.precond_solves, solves);
    assert_int_equal(report.precond_updates, updates);
    return report.iterations;
}

static void update(struct system *s, bool turned)
{
    set_values(&s->A, turned);
    assert_int_equal(lcl_operator_update(s->op, s->A.val), LCL_OK);
}

static void turn(struct system *s)
{
    update(s, true);
}

static void expect_kept(const struct lcl_precond_params *precond)
{
    struct system s = open_system(precond, 1);
    const int fresh = solve(&s, 1, 0);
    assert_int_equal(solve(&s, 2, 0), fresh);
    turn(&s);
    const int slow = solve(&s, 3, 1);
    assert_true(slow > 1.5 * fresh);
    turn(&s); // nothing is new
    assert_int_equal(solve(&s, 4, 1), slow);
    assert_true(lcl_precond_update(s.M) >= 0);
    assert_true(solve(&s, 1, 0) <= 1.5 * fresh);
    close_system(&s);
}

// The solve after the slow one has new factors, if there are new values.
static void expect_refreshed(const struct lcl_precond_params *precond,
                             int devices)
{
    struct lcl_precond_params params = *precond;
    params.refresh = LCL_REFRESH_ON_SLOW;
    struct system s = open_system(&params, devices);
    const int fresh = solve(&s, 1, 0);
    turn(&s);
    assert_true(solve(&s, 2, 1) > 1.5 * fresh);
    assert_true(solve(&s, 1, 0) <= 1.5 * fresh);
    update(&s, false);
    solve(&s, 2, 1);
    close_system(&s);
}

static const struct lcl_precond_params jacobi = {.type = LCL_PRECOND_JACOBI};
static const struct lcl_precond_params ic0 = {.type = LCL_PRECOND_IC0,
                                              TEST_PARTS};
static const struct lcl_precond_params amg = {.type = LCL_PRECOND_AMG};

static void test_refresh__old_factors_are_kept(void **state)
{
    (void)state;
    expect_kept(&jacobi);
    expect_kept(&ic0);
}

static void test_refresh__slow_factors_are_replaced(void **state)
{
    (void)state;
    expect_refreshed(&jacobi, 1);
    expect_refreshed(&ic0, 1);
    expect_refreshed(&jacobi, DEVICES);
}

// Values that are those of before to the last bit.
static void expect_idle(const struct lcl_precond_params *precond, int devices)
{
    struct system s = open_system(precond, devices);
    solve(&s, 1, 0);
    update(&s, false);
    assert_int_equal(lcl_precond_update(s.M), LCL_OK);
    solve(&s, 2, 0);
    s.A.val[s.A.nnz - 1] = nextafter(s.A.val[s.A.nnz - 1], 1e9);
    assert_int_equal(lcl_operator_update(s.op, s.A.val), LCL_OK);
    solve(&s, 3, 1);
    assert_int_equal(lcl_precond_update(s.M), LCL_OK);
    solve(&s, 1, 0);
    close_system(&s);
}

static void test_refresh__equal_values_make_no_new_factors(void **state)
{
    (void)state;
    for (int devices = 1; devices <= DEVICES; ++devices) {
        expect_idle(&jacobi, devices);
        expect_idle(&ic0, devices);
        expect_idle(&amg, devices);
    }
}

// The first factorisation repairs a pivot; a second one would, too.
static void test_refresh__a_repaired_pivot_is_told_again(void **state)
{
    struct lcl_precond_params params = ic0;
    struct lcl_csr A = test_laplacian(9, 8, 7);
    lcl_operator *op;
    lcl_precond *M;
    A.val[lcl_csr_find(&A, 0, 0)] = 0;
    assert_int_equal(lcl_operator_create(&op, *state, &A, NULL), LCL_OK);
    assert_int_equal(lcl_precond_create(&M, op, &params), LCL_PIVOTS_REPAIRED);
    assert_int_equal(lcl_operator_update(op, A.val), LCL_OK);
    assert_int_equal(lcl_precond_update(M), LCL_PIVOTS_REPAIRED);
    lcl_precond_destroy(&M);
    lcl_operator_destroy(&op);
    test_csr_finish(&A);
}

// Old values are no reason for new prolongations.
static void test_refresh__levels_outlive_old_values(void **state)
{
    struct lcl_precond_params params = amg;
    (void)state;
    params.refresh = LCL_REFRESH_ON_SLOW;
    struct system s = open_system(&params, 1);
    const int fresh = solve(&s, 1, 0);
    turn(&s);
    assert_true(solve(&s, 2, 1) > 1.5 * fresh);
    solve(&s, 1, 0);
    assert_int_equal(lcl_precond_info(s.M)->amg.setups, 1);
    close_system(&s);
}

static void test_refresh__slow_is_half_more_iterations(void **state)
{
    lcl_precond M = {.failed = false};
    (void)state;
    M.last_folds = 2; // 10 iterations at a rate of 5
    M.info.last_iterations = 16;
    assert_false(lcl_precond_is_slow(&M, 5));
    M.info.last_iterations = 17;
    assert_true(lcl_precond_is_slow(&M, 5));
    assert_false(lcl_precond_is_slow(&M, 0));
    M.info.last_iterations = 1;
    assert_false(lcl_precond_is_slow(&M, 5));
    M.failed = true;
    assert_true(lcl_precond_is_slow(&M, 5));
}

static void test_refresh__unknown_kinds_are_refused(void **state)
{
    struct lcl_precond_params params = jacobi;
    struct system s = open_system(&jacobi, 1);
    lcl_precond *M;
    (void)state;
    params.refresh = LCL_REFRESH_COUNT;
    assert_misuse(lcl_precond_create(&M, s.op, &params));
    close_system(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refresh__old_factors_are_kept),
        cmocka_unit_test(test_refresh__slow_factors_are_replaced),
        cmocka_unit_test(test_refresh__equal_values_make_no_new_factors),
        cmocka_unit_test(test_refresh__a_repaired_pivot_is_told_again),
        cmocka_unit_test(test_refresh__levels_outlive_old_values),
        cmocka_unit_test(test_refresh__slow_is_half_more_iterations),
        cmocka_unit_test(test_refresh__unknown_kinds_are_refused),
    };
    return test_device_run(tests);
}
