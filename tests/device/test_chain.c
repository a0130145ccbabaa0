// SPDX-License-Identifier: BSD-3-Clause
// Chains of methods: what is chosen, what follows a failure, what is reported.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"
#include "tests/support/solving.h"

#include "host/context.h"

#include <levelcl/chain.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct run {
    struct lcl_csr A; // taken over
    lcl_operator *op;
    lcl_chain *C;
    double *b, *x;
    struct lcl_report report;
};

static void run_open(struct run *r, lcl_context *ctx, struct lcl_csr A,
                     const struct lcl_precond_params *precond,
                     const struct lcl_solver_params *solver)
{
    *r = (struct run){
        .A = A, .b = test_random_vector(A.rows, 9), .x = test_vector(A.rows)};
    assert_int_equal(lcl_operator_create(&r->op, ctx, &A, NULL), LCL_OK);
    assert_true(lcl_chain_create(&r->C, r->op, precond, solver) >= LCL_OK);
}

static void run_close(struct run *r)
{
    lcl_chain_destroy(&r->C);
    assert_null(r->C);
    lcl_operator_destroy(&r->op);
    test_csr_finish(&r->A);
    free(r->b);
    free(r->x);
}

static enum lcl_precond_type precond_of(const struct run *r)
{
    return lcl_precond_info(lcl_chain_precond(r->C))->type;
}

static enum lcl_solver_type solver_of(const struct run *r)
{
    return lcl_solver_info(lcl_chain_solver(r->C))->type;
}

// CG with a multiplicative correction applies it to x before it iterates.
static bool corrects_first(const struct run *r)
{
    const lcl_precond *M = lcl_chain_precond(r->C);
    return M && lcl_precond_info(M)->coarse == LCL_COARSE_MULT;
}

// Solves from x = 0 and checks the report; returns the number of attempts.
static int solve(struct run *r, enum lcl_status expected)
{
    const struct lcl_attempt *a;
    int count = 0, iterations = 0;
    for (int64_t i = 0; i < r->A.rows; ++i)
        r->x[i] = 0;
    assert_int_equal(lcl_chain_solve(r->C, r->b, r->x, &r->report), expected);
    for (; (a = lcl_chain_attempt(r->C, count)); ++count) {
        iterations += a->iterations;
        assert_true(a->true_residual <= 1);
    }
    assert_int_equal(iterations, r->report.iterations);
    assert_int_equal(iterations + 1, r->report.history_count);
    assert_true(r->report.history[0] == 1 || corrects_first(r));
    const double residual = test_residual(&r->A, r->b, r->x);
    assert_true(fabs(residual - r->report.true_residual) <=
                1e-9 + 1e-6 * residual);
    if (expected == LCL_OK)
        assert_true(residual <= 1e-8 * (1 + 1e-6));
    a = lcl_chain_attempt(r->C, count - 1);
    assert_int_equal(a->status, expected);
    assert_int_equal(a->solver, solver_of(r));
    assert_int_equal(a->precond, precond_of(r));
    return count;
}

// ------------------------------------------------------------------- choices

static void expect_choice(lcl_context *ctx, struct lcl_csr A,
                          enum lcl_solver_type solver,
                          enum lcl_precond_type precond)
{
    struct run r;
    run_open(&r, ctx, A, NULL, NULL);
    assert_int_equal(solver_of(&r), solver);
    assert_int_equal(precond_of(&r), precond);
    assert_true(*lcl_chain_reason(r.C) != '\0');
    assert_int_equal(solve(&r, LCL_OK), 1);
    run_close(&r);
}

static struct lcl_csr scaled(struct lcl_csr A, double factor)
{
    for (int64_t k = 0; k < A.nnz; ++k)
        A.val[k] *= factor;
    return A;
}

static struct lcl_csr unsymmetric(void)
{
    struct lcl_csr A = test_laplacian(11, 10, 10);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            A.val[k] *= A.col_ind[k] < i ? 1.3 : 1;
    return A;
}

static struct lcl_csr shifted(struct lcl_csr A, double shift)
{
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            if (A.col_ind[k] == i)
                A.val[k] -= i % 2 ? shift : 0;
    return A;
}

static void test_chain__the_matrix_chooses(void **state)
{
    // 4320 rows are enough for multigrid if many lanes set it up
    expect_choice(*state, test_laplacian(18, 16, 15), LCL_SOLVER_CG,
                  test_width(*state) == 1 ? LCL_PRECOND_IC0 : LCL_PRECOND_AMG);
    expect_choice(*state, test_laplacian(32, 32, 32), LCL_SOLVER_CG,
                  LCL_PRECOND_AMG);
    expect_choice(*state, scaled(test_laplacian(32, 32, 32), -1), LCL_SOLVER_CG,
                  LCL_PRECOND_AMG);
    expect_choice(*state, test_laplacian(12, 10, 9), LCL_SOLVER_CG,
                  LCL_PRECOND_IC0);
    expect_choice(*state, scaled(test_laplacian(12, 10, 9), -1e-200),
                  LCL_SOLVER_CG, LCL_PRECOND_IC0);
    expect_choice(*state, test_identity(5000), LCL_SOLVER_CG,
                  LCL_PRECOND_JACOBI);
    expect_choice(*state, shifted(test_laplacian(12, 10, 9), 12),
                  LCL_SOLVER_MINRES, LCL_PRECOND_JACOBI);
    expect_choice(*state, shifted(test_laplacian(12, 10, 9), 6),
                  LCL_SOLVER_MINRES, LCL_PRECOND_JACOBI);
    expect_choice(*state, unsymmetric(), LCL_SOLVER_BICGSTAB,
                  LCL_PRECOND_ILDU0);
}

// Zero diagonals are filled, or with many lanes permuted away.
static enum lcl_precond_type without_diagonals(lcl_context *ctx)
{
    return test_width(ctx) == 1 ? LCL_PRECOND_ILUK : LCL_PRECOND_ILUT;
}

static void expect_reservoir(lcl_context *ctx, const char *name,
                             enum lcl_precond_type precond)
{
    struct lcl_csr A;
    struct run r;
    assert_int_equal(lcl_csr_problem(&A, name, NULL), LCL_OK);
    run_open(&r, ctx, A, NULL, NULL);
    assert_int_equal(precond_of(&r), precond);
    assert_int_equal(solve(&r, LCL_OK), 1);
    r.A = (struct lcl_csr){0};
    run_close(&r);
    lcl_csr_finish(&A);
}

// A CPU needs more cells for its set-up to pay.
static void test_chain__pressures_get_multigrid(void **state)
{
    const bool lanes = test_width(*state) > 1;
    expect_reservoir(*state, "blackoil:10", LCL_PRECOND_ILDU0);
    expect_reservoir(*state, lanes ? "blackoil:16" : "blackoil:26",
                     LCL_PRECOND_CPR);
}

// Many lanes wait for levels longer than they work.
static void test_chain__long_chains_of_steps_are_avoided(void **state)
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
static void test_chain__indefinite_matrices_are_found(void **state)
{
    const double sign[] = {1, -1};
    for (int k = 0; k < 2; ++k) {
        struct lcl_csr A = shifted(test_laplacian(12, 10, 9), 3);
        struct run r;
        run_open(&r, *state, scaled(A, sign[k]), NULL, NULL);
        assert_int_equal(solver_of(&r), LCL_SOLVER_CG);
        assert_int_equal(solve(&r, LCL_OK), 2);
        assert_int_equal(lcl_chain_attempt(r.C, 0)->stop,
                         LCL_STOP_INDEFINITE_MATRIX);
        assert_int_equal(solver_of(&r), LCL_SOLVER_MINRES);
        assert_int_equal(precond_of(&r), LCL_PRECOND_JACOBI);
        run_close(&r);
    }
}

// Parameters of subdomains go to factors, after which MINRES follows.
static void test_chain__minres_follows_factors_that_are_asked_for(void **state)
{
    const struct lcl_precond_params natural = {
        .partition = {.type = LCL_PARTITION_NATURAL, .rows = 10}};
    const struct lcl_solver_params few = {.max_iters = 8};
    struct run r;
    run_open(&r, *state, shifted(test_laplacian(12, 10, 9), 12), &natural,
             &few);
    assert_int_equal(precond_of(&r), LCL_PRECOND_ILDU0);
    assert_int_equal(lcl_chain_solve(r.C, r.b, r.x, &r.report),
                     LCL_ITERATION_LIMIT);
    assert_int_equal(lcl_chain_attempt(r.C, 1)->solver, LCL_SOLVER_MINRES);
    assert_int_equal(lcl_chain_attempt(r.C, 1)->precond, LCL_PRECOND_JACOBI);
    run_close(&r);
}

// MINRES is not tried as long as the matrix may be definite, and another method
// follows where it comes first.
static void test_chain__minres_is_for_indefinite_matrices(void **state)
{
    const struct lcl_solver_params few = {.max_iters = 8, .rtol = 1e-18};
    struct lcl_csr all[] = {test_laplacian(12, 10, 9),
                            shifted(test_laplacian(12, 10, 9), 12)};
    for (int k = 0; k < 2; ++k) {
        const struct lcl_attempt *a;
        struct run r;
        run_open(&r, *state, all[k], NULL, &few);
        assert_true(lcl_chain_solve(r.C, r.b, r.x, &r.report) > LCL_OK);
        for (int i = 0; (a = lcl_chain_attempt(r.C, i)); ++i)
            assert_int_equal(a->solver == LCL_SOLVER_MINRES, k == 1 && i == 0);
        if (k == 1)
            assert_int_equal(lcl_chain_attempt(r.C, 1)->solver,
                             LCL_SOLVER_BICGSTAB);
        run_close(&r);
    }
}

// One that is named determines the other; there is one method.
static void test_chain__named_types_stay(void **state)
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
        struct run r;
        run_open(&r, *state, test_laplacian(11, 10, 10), &precond, &solver);
        assert_int_equal(solver_of(&r), cases[k].used);
        assert_int_equal(precond_of(&r), cases[k].made);
        assert_int_equal(solve(&r, LCL_ITERATION_LIMIT), 1);
        run_close(&r);
    }
}

static void test_chain__parameters_of_subdomains_are_kept(void **state)
{
    const struct lcl_precond_params hec = {.trisolve = LCL_TRISOLVE_HEC_LEVEL};
    const struct lcl_precond_params fail = {.pivot = LCL_PIVOT_FAIL};
    const double dense[] = {0, 1, 2, 0};
    struct lcl_csr A = test_csr_from_dense(2, dense);
    struct run r;
    lcl_operator *op;
    lcl_chain *C;
    run_open(&r, *state, test_laplacian(18, 16, 15), &hec, NULL);
    assert_int_equal(precond_of(&r), LCL_PRECOND_IC0);
    assert_int_equal(lcl_precond_info(lcl_chain_precond(r.C))->trisolve,
                     LCL_TRISOLVE_HEC_LEVEL);
    run_close(&r);
    assert_int_equal(lcl_operator_create(&op, *state, &A, NULL), LCL_OK);
    assert_int_equal(lcl_chain_create(&C, op, &fail, NULL), LCL_EPIVOT);
    assert_null(C);
    lcl_operator_destroy(&op);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------- patterns

static void expect_solved(lcl_context *ctx, struct lcl_csr A)
{
    struct run r;
    run_open(&r, ctx, A, NULL, NULL);
    solve(&r, LCL_OK);
    run_close(&r);
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
    expect_solved(*state, test_bordered(unsymmetric(), 1, 0, 3));
    expect_solved(*state, test_bordered(unsymmetric(), 0, 1, 3));
    expect_solved(*state, test_bordered(unsymmetric(), 1, -1, 3));
    expect_solved(*state, test_bordered(unsymmetric(), 1, 1, 0));
}

// Parts without couplings, whose entries differ by 12 orders of magnitude.
static void test_chain__disconnected_parts_are_handled(void **state)
{
    struct lcl_csr large = scaled(test_laplacian(5, 4, 3), 1e6);
    struct lcl_csr small = scaled(test_laplacian(7, 9, 1), 1e-6);
    struct lcl_csr parts = test_joined(test_laplacian(18, 16, 15), large);
    expect_solved(*state, test_joined(parts, small));
    large = scaled(unsymmetric(), 1e6);
    small = scaled(test_laplacian(7, 9, 1), 1e-6);
    expect_solved(*state,
                  test_joined(test_joined(unsymmetric(), large), small));
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
    expect_solved(*state, test_joined(diagonal(100, -1), unsymmetric()));
    for (int both = 0; both < 2; ++both)
        expect_solved(*state,
                      with_conditions(test_laplacian(18, 16, 15), both));
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
    struct run r;
    run_open(&r, *state, cycle(90), NULL, NULL);
    const int count = solve(&r, LCL_OK);
    assert_true(count > 1);
    assert_int_equal(lcl_chain_attempt(r.C, 0)->solver, LCL_SOLVER_BICGSTAB);
    assert_true(lcl_chain_attempt(r.C, 0)->status > 0);
    const enum lcl_precond_type last = precond_of(&r);
    // the method that succeeded comes first
    assert_int_equal(solve(&r, LCL_OK), 1);
    assert_int_equal(precond_of(&r), last);
    assert_true(lcl_chain_attempt(r.C, 0)->setup_seconds == 0);
    run_close(&r);
}

// A definite system and so few iterations that no CG method solves it: they
// take 4, 2, 1 and 1 of them. AMG inverts up to 1000 rows.
static struct lcl_csr definite(void)
{
    return test_laplacian(11, 10, 10);
}
static const struct lcl_solver_params hasty = {.max_iters = 8};

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

static const struct lcl_precond_params three_rows = {
    .partition = {.type = LCL_PARTITION_NATURAL, .rows = 3}};
static const struct lcl_precond_params one_subdomain = {
    .partition = {.type = LCL_PARTITION_NATURAL, .rows = 1100}};
static const char overlap[] = "overlap 1, fp64 factors, shifted pivots";
static const char fp64_shift[] = "fp64 factors, shifted pivots";

// Subdomains of three rows drop a third of the couplings, those of the default
// size few or none.
static void test_chain__dropped_couplings_bring_overlap(void **state)
{
    struct run r;
    run_open(&r, *state, cycle(90), &three_rows, NULL);
    solve(&r, LCL_OK);
    assert_int_equal(find(r.C, LCL_SOLVER_IDR, LCL_PRECOND_RAS, overlap), 1);
    assert_int_equal(find(r.C, LCL_SOLVER_IDR, LCL_PRECOND_ILDU0, fp64_shift),
                     -1);
    run_close(&r);
    run_open(&r, *state, cycle(90), NULL, NULL);
    solve(&r, LCL_OK);
    assert_int_equal(find(r.C, LCL_SOLVER_IDR, LCL_PRECOND_ILDU0, fp64_shift),
                     1);
    assert_int_equal(find(r.C, LCL_SOLVER_IDR, LCL_PRECOND_RAS, overlap), -1);
    run_close(&r);
}

static const char whole[] = "of the whole matrix";

static void test_chain__dropped_couplings_bring_overlap_to_cg(void **state)
{
    struct run r;
    run_open(&r, *state, definite(), &three_rows, &hasty);
    solve(&r, LCL_ITERATION_LIMIT);
    assert_int_equal(find(r.C, LCL_SOLVER_CG, LCL_PRECOND_AS, overlap), 2);
    assert_int_equal(find(r.C, LCL_SOLVER_CG, LCL_PRECOND_IC0, whole), 3);
    run_close(&r);
    run_open(&r, *state, definite(), &one_subdomain, &hasty);
    solve(&r, LCL_ITERATION_LIMIT);
    assert_int_equal(find(r.C, LCL_SOLVER_CG, LCL_PRECOND_AS, overlap), -1);
    assert_int_equal(find(r.C, LCL_SOLVER_CG, LCL_PRECOND_IC0, whole), 2);
    run_close(&r);
}

// Plans the methods for a device of so much memory.
static void run_open_within(struct run *r, lcl_context *ctx, struct lcl_csr A,
                            const struct lcl_precond_params *precond,
                            const struct lcl_solver_params *solver,
                            uint64_t bytes)
{
    const uint64_t all = ctx->caps.global_bytes;
    ctx->caps.global_bytes = bytes;
    run_open(r, ctx, A, precond, solver);
    ctx->caps.global_bytes = all;
}

// Factors with 41 entries of 32 bytes per row may take half of the memory; for
// many lanes they have too many levels.
static void test_chain__memory_decides_on_the_whole_matrix(void **state)
{
    static const char thin[] = "p 20, tol 1e-4",
                      of_subdomains[] = "p 20, tol 1e-4, of subdomains";
    for (int fits = 0; fits < 2; ++fits) {
        const bool all = fits && test_width(*state) == 1;
        struct run r;
        run_open_within(&r, *state, cycle(90), NULL, NULL,
                        2 * 90 * 41 * 32 - 1 + (uint64_t)fits);
        solve(&r, LCL_OK);
        assert_int_equal(find(r.C, LCL_SOLVER_IDR, LCL_PRECOND_ILUT, thin),
                         all ? 2 : -1);
        assert_int_equal(
            find(r.C, LCL_SOLVER_IDR, LCL_PRECOND_ILUT, of_subdomains),
            all ? -1 : 2);
        run_close(&r);
    }
}

// Those of IC(0) have the entries of the matrix.
static void test_chain__memory_decides_on_the_whole_matrix_for_cg(void **state)
{
    for (int fits = 0; fits < 2; ++fits) {
        struct lcl_csr A = definite();
        const uint64_t half = (uint64_t)A.nnz * 32;
        struct run r;
        run_open_within(&r, *state, A, &one_subdomain, &hasty,
                        2 * half + (fits ? 64 : -64));
        solve(&r, LCL_ITERATION_LIMIT);
        assert_int_equal(find(r.C, LCL_SOLVER_CG, LCL_PRECOND_IC0, whole),
                         fits ? 2 : -1);
        run_close(&r);
    }
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

static void test_chain__dominated_matrices_need_no_factors(void **state)
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

static void test_chain__a_few_rows_may_lack_dominance(void **state)
{
    const struct {
        int64_t each;
        double share;
        enum lcl_precond_type precond;
    } all[] = {{11, 0.75, LCL_PRECOND_JACOBI},
               {5, 0.75, LCL_PRECOND_ILDU0},
               {150, 0.3, LCL_PRECOND_JACOBI},
               {60, 0.3, LCL_PRECOND_ILDU0},
               {150, 0, without_diagonals(*state)}};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        expect_choice(*state, weakened(all[k].each, all[k].share),
                      LCL_SOLVER_BICGSTAB, all[k].precond);
}

// Constants are far from the null space of D A D, if D differs from row to row.
static void test_chain__bad_scales_are_not_for_multigrid(void **state)
{
    struct lcl_csr A = test_laplacian(32, 32, 32);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            A.val[k] *= ldexp(1, (int)((i * 7 % 9) + A.col_ind[k] * 7 % 9));
    expect_choice(*state, A, LCL_SOLVER_CG, LCL_PRECOND_IC0);
}

// A saddle point, not symmetric.
static void test_chain__zero_diagonals_are_filled(void **state)
{
    expect_choice(*state, test_bordered(unsymmetric(), 1, 1, 0),
                  LCL_SOLVER_BICGSTAB, without_diagonals(*state));
}

// One row causes more fill than all others.
static void test_chain__fill_of_long_rows_is_kept_by_size(void **state)
{
    const struct lcl_precond_info *info;
    struct run r;
    run_open(&r, *state, test_bordered(unsymmetric(), 1, -1, 3), NULL, NULL);
    info = lcl_precond_info(lcl_chain_precond(r.C));
    assert_int_equal(solver_of(&r), LCL_SOLVER_BICGSTAB);
    assert_int_equal(info->type, LCL_PRECOND_ILUT);
    assert_int_equal(info->ilut_p, 20);
    assert_true(info->ilut_tol == 1e-4);
    assert_int_equal(solve(&r, LCL_OK), 1);
    run_close(&r);
}

// Where elimination does not help, the next factors come after a permutation.
static void test_chain__missing_diagonals_are_permuted(void **state)
{
    enum { N = 90 };
    double dense[N * N] = {0};
    struct run r;
    for (int i = 0; i < N; ++i) {
        dense[i * N + (i + 9) % N] = 4;
        dense[i * N + (i + 10) % N] = -1;
    }
    run_open(&r, *state, test_csr_from_dense(N, dense), NULL, NULL);
    assert_int_equal(precond_of(&r), without_diagonals(*state));
    assert_int_equal(solve(&r, LCL_OK), test_width(*state) == 1 ? 2 : 1);
    assert_true(lcl_precond_info(lcl_chain_precond(r.C))->transversal);
    run_close(&r);
}

static void test_chain__singular_systems_are_reported(void **state)
{
    const double dense[] = {1, -1, 0, -1, 1, 0, 0, 0, 1};
    struct run r;
    run_open(&r, *state, test_csr_from_dense(3, dense), NULL, NULL);
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
    run_close(&r);
}

static void test_chain__iterations_are_bounded_together(void **state)
{
    struct lcl_solver_params params = {.rtol = 1e-15};
    for (params.max_iters = 1; params.max_iters < 20; params.max_iters += 6) {
        struct run r;
        run_open(&r, *state, test_laplacian(11, 10, 10), NULL, &params);
        assert_true(lcl_chain_solve(r.C, r.b, r.x, &r.report) >= LCL_OK);
        assert_true(r.report.iterations <= params.max_iters);
        run_close(&r);
    }
}

// What is set up stays, whatever comes of a solve.
static void test_chain__a_limit_keeps_the_method(void **state)
{
    const struct lcl_solver_params params = {.max_iters = 1};
    struct run r;
    run_open(&r, *state, test_laplacian(11, 10, 10), NULL, &params);
    const lcl_precond *M = lcl_chain_precond(r.C);
    for (int again = 0; again < 3; ++again) {
        assert_int_equal(lcl_chain_solve(r.C, r.b, r.x, &r.report),
                         LCL_ITERATION_LIMIT);
        assert_ptr_equal(lcl_chain_precond(r.C), M);
    }
    r.b[1] = NAN;
    assert_int_equal(lcl_chain_solve(r.C, r.b, r.x, NULL), LCL_EFORMAT);
    assert_ptr_equal(lcl_chain_precond(r.C), M);
    run_close(&r);
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
    struct run r;
    run_open(&r, *state, test_laplacian(11, 10, 10), NULL, &params);
    assert_int_equal(lcl_chain_solve(r.C, r.b, r.x, &r.report),
                     LCL_ITERATION_LIMIT);
    assert_int_equal(r.report.stop, LCL_STOP_MONITOR);
    assert_int_equal(calls, 1);
    assert_null(lcl_chain_attempt(r.C, 1));
    run_close(&r);
}

static void test_chain__zero_right_hand_sides_give_zero(void **state)
{
    struct run r;
    run_open(&r, *state, test_laplacian(5, 5, 5), NULL, NULL);
    for (int64_t i = 0; i < r.A.rows; ++i)
        r.b[i] = 0;
    assert_int_equal(lcl_chain_solve(r.C, r.b, r.x, &r.report), LCL_OK);
    assert_int_equal(r.report.stop, LCL_STOP_ZERO_RHS);
    run_close(&r);
}

// ------------------------------------------------------------------- values

// Values that are not symmetric any more need another method.
static void test_chain__new_values_are_taken(void **state)
{
    struct run r;
    struct lcl_csr other = unsymmetric();
    run_open(&r, *state, test_laplacian(11, 10, 10), NULL, NULL);
    solve(&r, LCL_OK);
    for (int64_t k = 0; k < r.A.nnz; ++k)
        r.A.val[k] = other.val[k];
    assert_int_equal(lcl_operator_update(r.op, r.A.val), LCL_OK);
    assert_int_equal(lcl_chain_update(r.C), LCL_OK);
    for (int64_t i = 0; i < r.A.rows; ++i)
        r.x[i] = 0;
    assert_int_equal(lcl_chain_solve(r.C, r.b, r.x, &r.report), LCL_OK);
    assert_true(test_residual(&r.A, r.b, r.x) <= 1e-8 * (1 + 1e-6));
    test_csr_finish(&other);
    run_close(&r);
}

static void test_chain__solves_agree_bit_for_bit(void **state)
{
    struct run r[2];
    for (int k = 0; k < 2; ++k) {
        run_open(&r[k], *state, test_laplacian(18, 16, 15), NULL, NULL);
        solve(&r[k], LCL_OK);
    }
    test_expect_same("x", r[0].x, r[1].x, r[0].A.rows);
    run_close(&r[0]);
    run_close(&r[1]);
}

// ------------------------------------------------------------------- others

static enum lcl_status multiply(void *user, const double *x, double *y)
{
    lcl_csr_multiply(user, x, y);
    return LCL_OK;
}

static void test_chain__callbacks_have_no_preconditioner(void **state)
{
    struct run r = {.A = unsymmetric()};
    const int64_t n = r.A.rows;
    r.b = test_random_vector(n, 1);
    r.x = test_vector(n);
    assert_int_equal(
        lcl_operator_create_callback(&r.op, *state, n, n, multiply, &r.A),
        LCL_OK);
    assert_int_equal(lcl_chain_create(&r.C, r.op, NULL, NULL), LCL_OK);
    solve(&r, LCL_OK);
    assert_int_equal(precond_of(&r), LCL_PRECOND_NONE);
    run_close(&r);
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
        cmocka_unit_test(test_chain__the_matrix_chooses),
        cmocka_unit_test(test_chain__pressures_get_multigrid),
        cmocka_unit_test(test_chain__long_chains_of_steps_are_avoided),
        cmocka_unit_test(test_chain__indefinite_matrices_are_found),
        cmocka_unit_test(test_chain__minres_follows_factors_that_are_asked_for),
        cmocka_unit_test(test_chain__minres_is_for_indefinite_matrices),
        cmocka_unit_test(test_chain__named_types_stay),
        cmocka_unit_test(test_chain__parameters_of_subdomains_are_kept),
        cmocka_unit_test(test_chain__dense_rows_and_columns_are_handled),
        cmocka_unit_test(test_chain__disconnected_parts_are_handled),
        cmocka_unit_test(test_chain__rows_with_a_diagonal_alone_are_handled),
        cmocka_unit_test(test_chain__other_methods_follow),
        cmocka_unit_test(test_chain__dropped_couplings_bring_overlap),
        cmocka_unit_test(test_chain__dropped_couplings_bring_overlap_to_cg),
        cmocka_unit_test(test_chain__memory_decides_on_the_whole_matrix),
        cmocka_unit_test(test_chain__memory_decides_on_the_whole_matrix_for_cg),
        cmocka_unit_test(test_chain__dominated_matrices_need_no_factors),
        cmocka_unit_test(test_chain__a_few_rows_may_lack_dominance),
        cmocka_unit_test(test_chain__bad_scales_are_not_for_multigrid),
        cmocka_unit_test(test_chain__zero_diagonals_are_filled),
        cmocka_unit_test(test_chain__fill_of_long_rows_is_kept_by_size),
        cmocka_unit_test(test_chain__missing_diagonals_are_permuted),
        cmocka_unit_test(test_chain__singular_systems_are_reported),
        cmocka_unit_test(test_chain__iterations_are_bounded_together),
        cmocka_unit_test(test_chain__a_limit_keeps_the_method),
        cmocka_unit_test(test_chain__the_monitor_ends_all),
        cmocka_unit_test(test_chain__zero_right_hand_sides_give_zero),
        cmocka_unit_test(test_chain__new_values_are_taken),
        cmocka_unit_test(test_chain__solves_agree_bit_for_bit),
        cmocka_unit_test(test_chain__callbacks_have_no_preconditioner),
        cmocka_unit_test(test_chain__wrong_arguments_are_refused),
    };
    return test_device_run(tests);
}
