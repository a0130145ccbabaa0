// SPDX-License-Identifier: BSD-3-Clause
// The method that chains choose for a matrix.
#include "tests/support/chains.h"
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"
#include "tests/support/solving.h"

#include <levelcl/published.h>

#include "lib/factor/direct.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Returns the number of attempts that it takes to solve.
static int solve_by(lcl_context *ctx, struct lcl_csr A,
                    enum lcl_solver_type solver, enum lcl_precond_type precond)
{
    struct test_run r;
    test_run_open(&r, ctx, A, NULL, NULL);
    assert_int_equal(test_run_solver(&r), solver);
    assert_int_equal(test_run_precond(&r), precond);
    assert_true(*lcl_chain_reason(r.C) != '\0');
    const int attempts = test_run_solve(&r, LCL_OK);
    test_run_close(&r);
    return attempts;
}

static void expect_choice(lcl_context *ctx, struct lcl_csr A,
                          enum lcl_solver_type solver,
                          enum lcl_precond_type precond)
{
    assert_int_equal(solve_by(ctx, A, solver, precond), 1);
}

static struct lcl_csr shifted(struct lcl_csr A, double shift)
{
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            if (A.col_ind[k] == i)
                A.val[k] -= i % 2 ? shift : 0;
    return A;
}

static void test_choice__the_matrix_chooses(void **state)
{
    // 4320 rows are enough for multigrid if many lanes set it up
    expect_choice(*state, test_laplacian(18, 16, 15), LCL_SOLVER_CG,
                  test_width(*state) == 1 ? LCL_PRECOND_IC0 : LCL_PRECOND_AMG);
    expect_choice(*state, test_laplacian(32, 32, 32), LCL_SOLVER_CG,
                  LCL_PRECOND_AMG);
    expect_choice(*state, test_scaled(test_laplacian(32, 32, 32), -1),
                  LCL_SOLVER_CG, LCL_PRECOND_AMG);
    expect_choice(*state, test_laplacian(12, 10, 9), LCL_SOLVER_CG,
                  LCL_PRECOND_IC0);
    expect_choice(*state, test_scaled(test_laplacian(12, 10, 9), -1e-200),
                  LCL_SOLVER_CG, LCL_PRECOND_IC0);
    expect_choice(*state, test_identity(5000), LCL_SOLVER_CG,
                  LCL_PRECOND_JACOBI);
    expect_choice(*state, shifted(test_laplacian(12, 10, 9), 12),
                  LCL_SOLVER_MINRES, LCL_PRECOND_JACOBI);
    const bool fills = test_width(*state) == 1; // zeros of the diagonal
    const int attempts =
        solve_by(*state, shifted(test_laplacian(12, 10, 9), 6),
                 fills ? LCL_SOLVER_BICGSTAB : LCL_SOLVER_MINRES,
                 fills ? LCL_PRECOND_ILUK : LCL_PRECOND_JACOBI);
    assert_true(fills || attempts == 1);
    expect_choice(*state, test_unsymmetric(), LCL_SOLVER_BICGSTAB,
                  LCL_PRECOND_ILDU0);
}

// What a chain begins with; without a solver, M is for any Krylov method.
static void expect_method(lcl_operator *op, const struct lcl_precond_params *p,
                          enum lcl_solver_type solver,
                          enum lcl_precond_type precond, bool any)
{
    struct lcl_precond_params M = *p;
    struct lcl_solver_params S = {.rtol = 1e-3};
    assert_int_equal(lcl_choose_method(op, &M, any ? NULL : &S), LCL_OK);
    assert_int_equal(M.type, precond);
    assert_int_equal(S.type, any ? LCL_SOLVER_DEFAULT : solver);
    assert_true(S.rtol == 1e-3 && S.stagnation == 0);
}

static void test_choice__hosts_get_the_first_method(void **state)
{
    const struct lcl_precond_params open = {.type = LCL_PRECOND_DEFAULT},
                                    named = {.type = LCL_PRECOND_ILDU0};
    struct {
        struct lcl_csr A;
        enum lcl_solver_type solver;
        enum lcl_precond_type precond, any;
    } all[] = {{test_laplacian(32, 32, 32), LCL_SOLVER_CG, LCL_PRECOND_AMG,
                LCL_PRECOND_AMG},
               {test_laplacian(12, 10, 9), LCL_SOLVER_CG, LCL_PRECOND_IC0,
                LCL_PRECOND_IC0},
               {shifted(test_laplacian(12, 10, 9), 12), LCL_SOLVER_MINRES,
                LCL_PRECOND_JACOBI, LCL_PRECOND_ILDU0},
               {test_unsymmetric(), LCL_SOLVER_BICGSTAB, LCL_PRECOND_ILDU0,
                LCL_PRECOND_ILDU0}};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k) {
        lcl_operator *op;
        assert_int_equal(lcl_operator_create(&op, *state, &all[k].A, NULL),
                         LCL_OK);
        expect_method(op, &open, all[k].solver, all[k].precond, false);
        expect_method(op, &open, all[k].solver, all[k].any, true);
        for (int any = 0; any < 2; ++any)
            expect_method(op, &named, LCL_SOLVER_BICGSTAB, LCL_PRECOND_ILDU0,
                          any);
        lcl_operator_destroy(&op);
        test_csr_finish(&all[k].A);
    }
}

// Multigrid is for any Krylov method, but needs a definite matrix.
static void test_choice__multigrid_is_not_for_cg_alone(void **state)
{
    struct lcl_csr A = test_laplacian(32, 32, 32);
    struct lcl_precond_params M = {.type = LCL_PRECOND_DEFAULT};
    struct lcl_solver_params S = {.type = LCL_SOLVER_GMRES};
    lcl_operator *op;
    assert_int_equal(lcl_operator_create(&op, *state, &A, NULL), LCL_OK);
    assert_int_equal(lcl_choose_method(op, &M, &S), LCL_OK);
    assert_int_equal(M.type, LCL_PRECOND_AMG);
    assert_int_equal(S.type, LCL_SOLVER_GMRES);
    assert_misuse(lcl_choose_method(NULL, &M, &S));
    assert_misuse(lcl_choose_method(op, NULL, &S));
    lcl_operator_destroy(&op);
    test_csr_finish(&A);
}

// Of an elastic body couplings have both signs; its modes tell what is smooth.
static void test_choice__modes_are_for_multigrid(void **state)
{
    const bool lanes = test_width(*state) > 1;
    const char *name = lanes ? "elasticity:11" : "elasticity:22";
    const struct lcl_precond_params open = {.type = LCL_PRECOND_DEFAULT};
    struct lcl_csr A = test_problem(name);
    struct lcl_dense X, B;
    lcl_operator *op;
    assert_int_equal(lcl_problem_coordinates(&X, name, NULL), LCL_OK);
    assert_int_equal(lcl_rigid_body_modes(&B, &X, NULL), LCL_OK);
    assert_int_equal(lcl_operator_create(&op, *state, &A, NULL), LCL_OK);
    for (int k = 0; k < 3; ++k) {
        assert_int_equal(
            lcl_operator_set_near_nullspace(op, k == 1 ? &B : NULL), LCL_OK);
        expect_method(op, &open, LCL_SOLVER_CG,
                      k == 1 ? LCL_PRECOND_AMG : LCL_PRECOND_IC0, false);
    }
    lcl_operator_destroy(&op);
    lcl_dense_finish(&B);
    lcl_dense_finish(&X);
    lcl_csr_finish(&A);
}

// Zero diagonals are filled, or with many lanes permuted away.
static enum lcl_precond_type without_diagonals(lcl_context *ctx)
{
    return test_width(ctx) == 1 ? LCL_PRECOND_ILUK : LCL_PRECOND_ILUT;
}

static void expect_reservoir(lcl_context *ctx, const char *name,
                             enum lcl_precond_type precond)
{
    struct lcl_csr A = test_problem(name);
    struct test_run r;
    test_run_open(&r, ctx, A, NULL, NULL);
    assert_int_equal(test_run_precond(&r), precond);
    assert_int_equal(test_run_solve(&r, LCL_OK), 1);
    r.A = (struct lcl_csr){0};
    test_run_close(&r);
    lcl_csr_finish(&A);
}

// A CPU needs more cells for its set-up to pay.
static void test_choice__pressures_get_multigrid(void **state)
{
    const bool lanes = test_width(*state) > 1;
    expect_reservoir(*state, "blackoil:10", LCL_PRECOND_ILDU0);
    expect_reservoir(*state, lanes ? "blackoil:16" : "blackoil:26",
                     LCL_PRECOND_CPR);
}

// Many lanes wait for levels longer than they work.
static void test_choice__long_chains_of_steps_are_avoided(void **state)
{
    const bool lanes = test_width(*state) > 1;
    expect_choice(*state, test_laplacian(10, 10, 10), LCL_SOLVER_CG,
                  lanes ? LCL_PRECOND_AMG : LCL_PRECOND_IC0);
    expect_choice(*state, test_loose_csr(999, 4), LCL_SOLVER_BICGSTAB,
                  lanes ? LCL_PRECOND_AMG : LCL_PRECOND_ILDU0);
    expect_choice(*state, test_loose_csr(1001, 4), LCL_SOLVER_BICGSTAB,
                  LCL_PRECOND_ILDU0);
    expect_choice(*state, test_loose_csr(1001, 13), LCL_SOLVER_BICGSTAB,
                  lanes ? LCL_PRECOND_JACOBI : LCL_PRECOND_ILDU0);
    expect_choice(*state, test_bordered(test_loose_csr(998, 4), 1, 1, 0),
                  LCL_SOLVER_BICGSTAB, without_diagonals(*state));
}

// CG finds that a matrix is not definite although its diagonal has one sign:
// MINRES follows at once.
static void test_choice__indefinite_matrices_are_found(void **state)
{
    const double sign[] = {1, -1};
    for (int k = 0; k < 2; ++k) {
        struct lcl_csr A = shifted(test_laplacian(12, 10, 9), 3);
        struct test_run r;
        test_run_open(&r, *state, test_scaled(A, sign[k]), NULL, NULL);
        assert_int_equal(test_run_solver(&r), LCL_SOLVER_CG);
        assert_int_equal(test_run_solve(&r, LCL_OK), 2);
        assert_int_equal(lcl_chain_attempt(r.C, 0)->stop,
                         LCL_STOP_INDEFINITE_MATRIX);
        assert_int_equal(test_run_solver(&r), LCL_SOLVER_MINRES);
        assert_int_equal(test_run_precond(&r), LCL_PRECOND_JACOBI);
        test_run_close(&r);
    }
}

// Parameters of subdomains go to factors, after which MINRES follows.
static void test_choice__minres_follows_factors_that_are_asked_for(void **state)
{
    const struct lcl_precond_params natural = {
        .partition = {.type = LCL_PARTITION_NATURAL, .rows = 10}};
    const struct lcl_solver_params few = {.max_iters = 3}; // for two methods
    struct test_run r;
    test_run_open(&r, *state, shifted(test_laplacian(12, 10, 9), 12), &natural,
                  &few);
    assert_int_equal(test_run_precond(&r), LCL_PRECOND_ILDU0);
    assert_int_equal(lcl_chain_solve(r.C, r.b, r.x, &r.report),
                     LCL_ITERATION_LIMIT);
    assert_int_equal(lcl_chain_attempt(r.C, 1)->solver, LCL_SOLVER_MINRES);
    assert_int_equal(lcl_chain_attempt(r.C, 1)->precond, LCL_PRECOND_JACOBI);
    test_run_close(&r);
}

// MINRES is not tried as long as the matrix may be definite, and another method
// follows where it comes first.
static void test_choice__minres_is_for_indefinite_matrices(void **state)
{
    const struct lcl_solver_params few = {.max_iters = 8, .rtol = 1e-18};
    struct lcl_csr all[] = {test_laplacian(12, 10, 9),
                            shifted(test_laplacian(12, 10, 9), 12)};
    for (int k = 0; k < 2; ++k) {
        const struct lcl_attempt *a;
        struct test_run r;
        test_run_open(&r, *state, all[k], NULL, &few);
        assert_true(lcl_chain_solve(r.C, r.b, r.x, &r.report) > LCL_OK);
        for (int i = 0; (a = lcl_chain_attempt(r.C, i)); ++i)
            assert_int_equal(a->solver == LCL_SOLVER_MINRES, k == 1 && i == 0);
        if (k == 1)
            assert_int_equal(lcl_chain_attempt(r.C, 1)->solver,
                             LCL_SOLVER_BICGSTAB);
        test_run_close(&r);
    }
}

// One that is named determines the other; there is one method.
static void test_choice__named_types_stay(void **state)
{
    static const struct {
        enum lcl_solver_type solver, used;
        enum lcl_precond_type precond, made;
    } cases[] = {
        {LCL_SOLVER_IDR, LCL_SOLVER_IDR, LCL_PRECOND_DEFAULT,
         LCL_PRECOND_ILDU0},
        {LCL_SOLVER_CG, LCL_SOLVER_CG, LCL_PRECOND_DEFAULT, LCL_PRECOND_IC0},
        {LCL_SOLVER_DEFAULT, LCL_SOLVER_BICGSTAB, LCL_PRECOND_RAS,
         LCL_PRECOND_RAS},
        {LCL_SOLVER_DEFAULT, LCL_SOLVER_CG, LCL_PRECOND_JACOBI,
         LCL_PRECOND_JACOBI},
        {LCL_SOLVER_GMRES, LCL_SOLVER_GMRES, LCL_PRECOND_NONE,
         LCL_PRECOND_NONE},
        {LCL_SOLVER_MINRES, LCL_SOLVER_MINRES, LCL_PRECOND_DEFAULT,
         LCL_PRECOND_JACOBI},
        {LCL_SOLVER_MINRES, LCL_SOLVER_MINRES, LCL_PRECOND_IC0,
         LCL_PRECOND_IC0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        const struct lcl_precond_params precond = {.type = cases[k].precond};
        const struct lcl_solver_params solver = {.type = cases[k].solver,
                                                 .max_iters = 2};
        struct test_run r;
        test_run_open(&r, *state, test_laplacian(11, 10, 10), &precond,
                      &solver);
        assert_int_equal(test_run_solver(&r), cases[k].used);
        assert_int_equal(test_run_precond(&r), cases[k].made);
        assert_int_equal(test_run_solve(&r, LCL_ITERATION_LIMIT), 1);
        test_run_close(&r);
    }
}

static void test_choice__parameters_of_subdomains_are_kept(void **state)
{
    const struct lcl_precond_params hec = {.trisolve = LCL_TRISOLVE_HEC_LEVEL};
    const struct lcl_precond_params fail = {.pivot = LCL_PIVOT_FAIL};
    const double dense[] = {0, 1, 2, 0};
    struct lcl_csr A = test_csr_from_dense(2, dense);
    struct test_run r;
    lcl_operator *op;
    lcl_chain *C;
    test_run_open(&r, *state, test_laplacian(18, 16, 15), &hec, NULL);
    assert_int_equal(test_run_precond(&r), LCL_PRECOND_IC0);
    assert_int_equal(lcl_precond_info(lcl_chain_precond(r.C))->factors.trisolve,
                     LCL_TRISOLVE_HEC_LEVEL);
    test_run_close(&r);
    assert_int_equal(lcl_operator_create(&op, *state, &A, NULL), LCL_OK);
    assert_int_equal(lcl_chain_create(&C, op, &fail, NULL), LCL_EPIVOT);
    assert_null(C);
    lcl_operator_destroy(&op);
    test_csr_finish(&A);
}

// Couplings that add up to 0.8 of the diagonal need no factors, of any sign.
static struct lcl_csr dominated(double below)
{
    struct lcl_csr A = test_laplacian(18, 16, 15);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            A.val[k] *= A.col_ind[k] == i ? 1.25 : A.col_ind[k] < i ? below : 1;
    return A;
}

static void test_choice__dominated_matrices_need_no_factors(void **state)
{
    expect_choice(*state, dominated(1), LCL_SOLVER_CG, LCL_PRECOND_JACOBI);
    expect_choice(*state, dominated(-1), LCL_SOLVER_BICGSTAB,
                  LCL_PRECOND_JACOBI);
}

// The diagonal of every `each`-th row is `share` of what it was.
static struct lcl_csr weakened(int64_t each, double share)
{
    struct lcl_csr A = dominated(-1);
    for (int64_t i = 0; i < A.rows; i += each)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            A.val[k] *= A.col_ind[k] == i ? share : 1;
    return A;
}

static void test_choice__a_few_rows_may_lack_dominance(void **state)
{
    const int64_t many = test_width(*state) == 1 ? 5 : 1;
    const struct {
        int64_t each;
        double share;
        enum lcl_precond_type precond;
    } all[] = {{11, 0.75, LCL_PRECOND_JACOBI},
               {many, 0.75, LCL_PRECOND_ILDU0},
               {150, 0.3, LCL_PRECOND_JACOBI},
               {60, 0.3, LCL_PRECOND_ILDU0},
               {150, 0, without_diagonals(*state)}};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        expect_choice(*state, weakened(all[k].each, all[k].share),
                      LCL_SOLVER_BICGSTAB, all[k].precond);
}

// Constants are far from the null space of D A D, if D differs from row to row.
static void test_choice__bad_scales_are_not_for_multigrid(void **state)
{
    struct lcl_csr A = test_laplacian(32, 32, 32);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            A.val[k] *= ldexp(1, (int)((i * 7 % 9) + A.col_ind[k] * 7 % 9));
    expect_choice(*state, A, LCL_SOLVER_CG, LCL_PRECOND_IC0);
}

// A saddle point, not symmetric.
static void test_choice__zero_diagonals_are_filled(void **state)
{
    expect_choice(*state, test_bordered(test_unsymmetric(), 1, 1, 0),
                  LCL_SOLVER_BICGSTAB, without_diagonals(*state));
}

// One row causes more fill than all others.
static void test_choice__fill_of_long_rows_is_kept_by_size(void **state)
{
    const struct lcl_precond_info *info;
    struct test_run r;
    test_run_open(&r, *state, test_bordered(test_unsymmetric(), 1, -1, 3), NULL,
                  NULL);
    info = lcl_precond_info(lcl_chain_precond(r.C));
    assert_int_equal(test_run_solver(&r), LCL_SOLVER_BICGSTAB);
    assert_int_equal(info->type, LCL_PRECOND_ILUT);
    assert_int_equal(info->factors.ilut_p, 20);
    assert_true(info->factors.ilut_tol == 1e-4);
    assert_int_equal(test_run_solve(&r, LCL_OK), 1);
    test_run_close(&r);
}

// Where elimination does not help, the next factors come after a permutation,
// unless they are those of LU.
static void test_choice__missing_diagonals_are_permuted(void **state)
{
    enum { N = 90 };
    double dense[N * N] = {0};
    struct test_run r;
    for (int i = 0; i < N; ++i) {
        dense[i * N + (i + 9) % N] = 4;
        dense[i * N + (i + 10) % N] = -1;
    }
    for (int most = 0; most < 2; ++most) {
        struct lcl_csr A = test_csr_from_dense(N, dense);
        if (!most)
            A = test_joined(A, test_laplacian(5, 5, 4));
        test_run_open(&r, *state, A, NULL, NULL);
        assert_int_equal(test_run_precond(&r),
                         most ? LCL_PRECOND_ILUT : without_diagonals(*state));
        const bool two = test_width(*state) == 1 && !most;
        assert_int_equal(test_run_solve(&r, LCL_OK), two ? 2 : 1);
        if (two && lcl_direct_there())
            assert_int_equal(test_run_precond(&r), LCL_PRECOND_LU);
        else
            assert_true(
                lcl_precond_info(lcl_chain_precond(r.C))->factors.transversal);
        test_run_close(&r);
    }
}

// Rows as long as those of a grid in three dimensions, but not as alike.
static void test_choice__a_triangulation_is_planar(void **state)
{
    expect_choice(*state, test_triangulation(66, 66), LCL_SOLVER_CG,
                  LCL_PRECOND_AMG);
}

// On a CPU; the size of subdomains for lanes does not depend on the matrix.
static void test_choice__few_rows_are_one_subdomain(void **state)
{
    struct test_run r;
    test_run_open(&r, *state, test_laplacian(16, 16, 15), NULL, NULL);
    const struct lcl_precond_info *info =
        lcl_precond_info(lcl_chain_precond(r.C));
    assert_int_equal(info->type, LCL_PRECOND_IC0);
    assert_true(test_width(*state) == 1 ? info->factors.parts == 1
                                        : info->factors.parts > 1);
    test_run_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice__the_matrix_chooses),
        cmocka_unit_test(test_choice__hosts_get_the_first_method),
        cmocka_unit_test(test_choice__multigrid_is_not_for_cg_alone),
        cmocka_unit_test(test_choice__modes_are_for_multigrid),
        cmocka_unit_test(test_choice__pressures_get_multigrid),
        cmocka_unit_test(test_choice__long_chains_of_steps_are_avoided),
        cmocka_unit_test(test_choice__indefinite_matrices_are_found),
        cmocka_unit_test(
            test_choice__minres_follows_factors_that_are_asked_for),
        cmocka_unit_test(test_choice__minres_is_for_indefinite_matrices),
        cmocka_unit_test(test_choice__named_types_stay),
        cmocka_unit_test(test_choice__parameters_of_subdomains_are_kept),
        cmocka_unit_test(test_choice__dominated_matrices_need_no_factors),
        cmocka_unit_test(test_choice__a_few_rows_may_lack_dominance),
        cmocka_unit_test(test_choice__bad_scales_are_not_for_multigrid),
        cmocka_unit_test(test_choice__zero_diagonals_are_filled),
        cmocka_unit_test(test_choice__fill_of_long_rows_is_kept_by_size),
        cmocka_unit_test(test_choice__missing_diagonals_are_permuted),
        cmocka_unit_test(test_choice__a_triangulation_is_planar),
        cmocka_unit_test(test_choice__few_rows_are_one_subdomain),
    };
    return test_device_run(tests);
}
