// SPDX-License-Identifier: BSD-3-Clause
// Success means that the exact residual meets the tolerance, in any unit, and x
// is finite.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/quad.h"
#include "tests/support/solving.h"

#include <levelcl/chain.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct lcl_precond_params none = {.type = LCL_PRECOND_NONE};

struct trial {
    struct lcl_csr A;
    lcl_operator *op;
    lcl_chain *C;
    double *x;
    struct lcl_report report;
    enum lcl_status st;
};

// Solves by a chain and finishes nothing; NULL parameters are the defaults.
static void try(struct trial *t, lcl_context *ctx, struct lcl_csr A,
                const double *b, const struct lcl_precond_params *precond,
                const struct lcl_solver_params *solver)
{
    *t = (struct trial){.A = A, .x = test_vector(A.rows)};
    const struct lcl_operator_params params = {.block_size = 1};
    assert_int_equal(lcl_operator_create(&t->op, ctx, &t->A, &params), LCL_OK);
    assert_true(lcl_chain_create(&t->C, t->op, precond, solver) >= 0);
    t->st = lcl_chain_solve(t->C, b, t->x, &t->report);
    assert_true(t->st >= 0);
    for (int64_t i = 0; i < A.rows; ++i)
        assert_true(isfinite(t->x[i]));
}

static void finish(struct trial *t)
{
    lcl_chain_destroy(&t->C);
    lcl_operator_destroy(&t->op);
    test_csr_finish(&t->A);
    free(t->x);
}

static double norm_of(const double *v, int64_t n)
{
    double norm = 0;
    for (int64_t i = 0; i < n; ++i)
        norm = hypot(norm, v[i]);
    return norm;
}

// A path whose first diagonal entry is 1 + 4e: b - A x cancels to 0 in double
// precision for many wrong x.
static struct lcl_csr path(int64_t n)
{
    double dense[81] = {0};
    for (int64_t i = 0; i < n; ++i) {
        dense[i * n + i] = i == 0 ? 1 + 0x1p-50 : i == n - 1 ? 1 : 2;
        if (i > 0)
            dense[i * n + i - 1] = dense[(i - 1) * n + i] = -1;
    }
    return test_csr_from_dense(n, dense);
}

static void test_verdict__cancellation_is_no_success(void **state)
{
    static const int64_t sizes[] = {2, 4, 9};
    for (int k = 0; k < 3; ++k) {
        double b[9] = {0x1p-50};
        struct trial t;
        try(&t, *state, path(sizes[k]), b, NULL, NULL);
        if (t.st == LCL_OK)
            assert_true(test_quad_within(&t.A, t.x, b, 1e-8 * 0x1p-50));
        finish(&t);
    }
}

static void test_verdict__reported_residuals_are_exact(void **state)
{
    const struct lcl_solver_params params = {
        .type = LCL_SOLVER_CG, .rtol = 1e-15, .max_iters = 200};
    struct lcl_csr A = test_laplacian(9, 8, 7);
    double *b = test_random_vector(A.rows, 5);
    struct trial t;
    try(&t, *state, A, b, &none, &params);
    const double r = t.report.true_residual * norm_of(b, A.rows);
    assert_true(test_quad_within(&A, t.x, b, r * (1 + 1e-13)));
    assert_false(test_quad_within(&A, t.x, b, r * (1 - 1e-13)));
    assert_true(t.report.backward_error > 0 && t.report.backward_error < 1e-14);
    assert_int_equal(t.report.norm, LCL_NORM_2);
    free(b);
    finish(&t);
}

// Powers of two, so that the solution is that in unit 1, bit by bit.
static void test_verdict__any_unit_of_b_is_solved(void **state)
{
    static const int units[] = {-1000, -540, -500, -300, 300, 500, 540, 1000};
    const struct lcl_solver_params params = {.type = LCL_SOLVER_BICGSTAB};
    struct trial one, t;
    struct lcl_csr A = test_laplacian(8, 8, 1);
    double *b = test_random_vector(A.rows, 3);
    try(&one, *state, A, b, &none, &params);
    assert_int_equal(one.st, LCL_OK);
    for (size_t k = 0; k < sizeof units / sizeof *units; ++k) {
        double *scaled = test_vector(A.rows);
        for (int64_t i = 0; i < A.rows; ++i)
            scaled[i] = ldexp(b[i], units[k]);
        try(&t, *state, test_laplacian(8, 8, 1), scaled, &none, &params);
        assert_int_equal(t.st, LCL_OK);
        for (int64_t i = 0; i < A.rows; ++i)
            t.x[i] = ldexp(t.x[i], -units[k]);
        assert_true(test_quad_within(&A, t.x, b, 1e-8 * norm_of(b, A.rows)));
        free(scaled);
        finish(&t);
    }
    free(b);
    finish(&one);
}

// Subnormal b: x has few digits, and no more is said of it.
static void test_verdict__subnormal_numbers_are_judged_as_returned(void **state)
{
    struct lcl_csr A = test_laplacian(8, 8, 1);
    double *b = test_random_vector(A.rows, 3);
    struct trial t;
    for (int64_t i = 0; i < A.rows; ++i)
        b[i] = ldexp(b[i], -1068);
    try(&t, *state, A, b, NULL, NULL);
    for (int64_t i = 0; i < A.rows; ++i) {
        t.x[i] = ldexp(t.x[i], 1068);
        b[i] = ldexp(b[i], 1068);
    }
    assert_true(t.st != LCL_OK ||
                test_quad_within(&A, t.x, b, 1e-8 * norm_of(b, A.rows)));
    free(b);
    finish(&t);
}

// No row sees x_3: incomplete factors make it infinite.
static void test_verdict__unseen_unknowns_stay_finite(void **state)
{
    const double dense[] = {4, 1, 0, 0, 1, 4, 0, 1, 0, 1, 0, 1, 1, 0, 0, 4};
    const double b[] = {1, 2, 3, 4};
    for (int type = LCL_PRECOND_NONE; type <= LCL_PRECOND_ILDU0; ++type) {
        const struct lcl_precond_params precond = {
            .type = (enum lcl_precond_type)type};
        const struct lcl_solver_params params = {.rtol = 0.5};
        struct trial t;
        try(&t, *state, test_csr_from_dense(4, dense), b, &precond, &params);
        finish(&t);
    }
}

// The residual of CG for D A D grows before it falls.
static void test_verdict__a_growing_residual_is_no_divergence(void **state)
{
    const double dense[] = {2e6, -1, 0, -1, 2e-6, -1e-6, 0, -1e-6, 2e-6};
    const double b[] = {1, 1, 1};
    const struct lcl_precond_params jacobi = {.type = LCL_PRECOND_JACOBI};
    struct lcl_solver_params params = {.type = LCL_SOLVER_CG};
    struct trial t;
    try(&t, *state, test_csr_from_dense(3, dense), b, &jacobi, &params);
    assert_int_equal(t.st, LCL_OK);
    assert_true(fabs(t.x[0] - 0.75000075) < 1e-7);
    assert_true(fabs(t.x[1] - 1500000.5) < 1e-1);
    assert_true(fabs(t.x[2] - 1250000.25) < 1e-1);
    finish(&t);
    params.divergence = 1e5;
    params.monitor_every = 1;
    try(&t, *state, test_csr_from_dense(3, dense), b, &jacobi, &params);
    assert_int_equal(t.report.stop, LCL_STOP_DIVERGED);
    finish(&t);
}

// ------------------------------------------------------------------- rows

// The Laplacian with a penalty on its first unknowns, which are to be 0.5.
static struct lcl_csr penalised(double *b, double penalty, int64_t first)
{
    struct lcl_csr A = test_laplacian(12, 12, 1);
    for (int64_t i = 0; i < A.rows; ++i)
        b[i] = i < first ? 0.5 * penalty : 1;
    for (int64_t i = 0; i < first; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            if (A.col_ind[k] == i)
                A.val[k] += penalty;
    return A;
}

// All rows hold to rtol.
static void expect_rows(const struct trial *t, const double *b, double rtol)
{
    quad r[144], size[144];
    test_quad_residual(r, size, &t->A, t->x, b);
    for (int64_t i = 0; i < t->A.rows; ++i)
        assert_true(quad_abs(r[i]) <= (quad)rtol * size[i]);
}

static void test_verdict__penalties_do_not_hide_the_rest(void **state)
{
    static const double penalties[] = {1e6, 1e10, 1e30};
    const struct lcl_precond_params jacobi = {.type = LCL_PRECOND_JACOBI};
    const struct lcl_solver_params cg = {.type = LCL_SOLVER_CG};
    for (int k = 0; k < 6; ++k) {
        double b[144];
        struct trial t;
        struct lcl_csr A = penalised(b, penalties[k / 2], 12);
        try(&t, *state, A, b, k % 2 ? &jacobi : NULL, k % 2 ? &cg : NULL);
        assert_int_equal(t.st, LCL_OK);
        assert_int_equal(t.report.norm, LCL_NORM_ROWS);
        assert_true(t.report.backward_error <= 1e-8);
        expect_rows(&t, b, 1e-8);
        finish(&t);
    }
}

static void test_verdict__rows_decide_where_they_are_asked_for(void **state)
{
    const struct lcl_solver_params rows = {.type = LCL_SOLVER_BICGSTAB,
                                           .norm = LCL_NORM_ROWS},
                                   plain = {.type = LCL_SOLVER_BICGSTAB,
                                            .norm = LCL_NORM_2};
    const struct lcl_precond_params ilu = {.type = LCL_PRECOND_ILDU0};
    double b[144];
    struct trial t;
    struct lcl_csr A = penalised(b, 1e10, 12);
    try(&t, *state, A, b, &ilu, &rows);
    assert_int_equal(t.st, LCL_OK);
    assert_true(t.report.true_residual == t.report.backward_error);
    expect_rows(&t, b, 1e-8);
    finish(&t);
    A = penalised(b, 1e10, 12);
    try(&t, *state, A, b, &ilu, &plain);
    assert_int_equal(t.st, LCL_OK);
    assert_int_equal(t.report.norm, LCL_NORM_2);
    assert_true(t.report.backward_error > 1e-6);
    finish(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdict__cancellation_is_no_success),
        cmocka_unit_test(test_verdict__reported_residuals_are_exact),
        cmocka_unit_test(test_verdict__any_unit_of_b_is_solved),
        cmocka_unit_test(
            test_verdict__subnormal_numbers_are_judged_as_returned),
        cmocka_unit_test(test_verdict__unseen_unknowns_stay_finite),
        cmocka_unit_test(test_verdict__a_growing_residual_is_no_divergence),
        cmocka_unit_test(test_verdict__penalties_do_not_hide_the_rest),
        cmocka_unit_test(test_verdict__rows_decide_where_they_are_asked_for),
    };
    return test_device_run(tests);
}
