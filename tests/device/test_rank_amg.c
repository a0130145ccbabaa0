// SPDX-License-Identifier: BSD-3-Clause
// Solves with multigrid of several ranks.
#include "lib/precond/precond.h"
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/ranks.h"

#include <stdlib.h>
#include <string.h>

// So that levels with more than 100 rows are distributed.
#define FEW .coarse_rows = 2

struct method {
    struct lcl_precond_params precond;
    struct lcl_solver_params solver;
};

#define AMG(smooth, method)                                                    \
 {                                                                             \
  {.type = LCL_PRECOND_AMG, .amg = {FEW, .smoother = smooth}},                 \
  {                                                                            \
   .type = LCL_SOLVER_##method                                                 \
  }                                                                            \
 }

static const struct method by_cg = AMG(LCL_AMG_CHEBYSHEV, CG);

static void make_solvers(struct test_ranks *R, const struct method *m)
{
    assert_int_equal(test_ranks_operators(R, NULL), LCL_OK);
    assert_int_equal(test_ranks_solvers(R, &m->precond, &m->solver), LCL_OK);
}

// Iterations on one device; with new values if `scaled`, for which A is scaled.
static int solve_alone_with(lcl_context *ctx, const struct lcl_csr *A,
                            const struct method *m, bool scaled)
{
    double *b = test_random_vector(A->rows, 4), *x = test_vector(A->rows);
    struct lcl_report report = LCL_REPORT_INIT;
    lcl_operator *op = NULL;
    lcl_precond *M = NULL;
    lcl_solver *S = NULL;
    assert_int_equal(lcl_operator_create(&op, ctx, A, NULL), LCL_OK);
    assert_int_equal(lcl_precond_create(&M, op, &m->precond), LCL_OK);
    if (scaled) {
        test_rescale(A);
        assert_int_equal(lcl_operator_update(op, A->val), LCL_OK);
        assert_int_equal(lcl_precond_update(M), LCL_OK);
    }
    assert_int_equal(lcl_solver_create(&S, op, M, &m->solver), LCL_OK);
    assert_int_equal(lcl_solver_solve(S, b, x, &report), LCL_OK);
    lcl_solver_destroy(&S);
    lcl_precond_destroy(&M);
    lcl_operator_destroy(&op);
    free(x);
    free(b);
    return report.iterations;
}

static int solve_alone(lcl_context *ctx, const struct lcl_csr *A,
                       const struct method *m)
{
    return solve_alone_with(ctx, A, m, false);
}

// Levels of all ranks: the same numbers on each of them, and less than half as
// many rows from one to the next.
static void expect_levels(const struct test_ranks *R)
{
    const struct lcl_precond_info *first = &R->M[0]->info;
    assert_true(first->amg.levels > 2);
    assert_int_equal(first->amg.rows[0], R->A->rows);
    assert_int_equal(first->amg.nnz[0], R->A->nnz);
    for (int l = 1; l < first->amg.levels; ++l)
        assert_true(2 * first->amg.rows[l] < first->amg.rows[l - 1]);
    for (int r = 1; r < R->size; ++r) {
        const struct lcl_precond_info *info = &R->M[r]->info;
        assert_int_equal(info->amg.levels, first->amg.levels);
        assert_memory_equal(info->amg.rows, first->amg.rows,
                            sizeof info->amg.rows);
        assert_memory_equal(info->amg.nnz, first->amg.nnz,
                            sizeof info->amg.nnz);
        assert_memory_equal(info->amg.lambda_max, first->amg.lambda_max,
                            sizeof info->amg.lambda_max);
        assert_memory_equal(info->amg.storage, first->amg.storage,
                            sizeof info->amg.storage);
        assert_memory_equal(info->amg.loss, first->amg.loss,
                            sizeof info->amg.loss);
    }
}

// Ranks take the iterations of one device, or at most two more.
static void expect_iterations(lcl_context *ctx, const char *problem, int block,
                              int size, const struct method *methods, int count)
{
    struct lcl_csr A = test_problem(problem);
    int64_t from[TEST_RANKS + 1]; // whole nodes
    struct test_ranks R;
    for (int r = 0; r <= size; ++r)
        from[r] = A.rows / block * r / size * block;
    test_ranks_open(&R, size, &A, from);
    for (int k = 0; k < count; ++k) {
        make_solvers(&R, &methods[k]);
        expect_levels(&R);
        assert_in_range(test_ranks_expect_solved(&R), 2,
                        solve_alone(ctx, &A, &methods[k]) + 2);
        test_ranks_drop(&R);
    }
    test_ranks_close(&R);
    test_csr_finish(&A);
}

static void test_rank_amg__iterations_of_a_laplacian(void **state)
{
    static const struct method methods[] = {AMG(LCL_AMG_CHEBYSHEV, CG),
                                            AMG(LCL_AMG_JACOBI, GMRES)};
    for (int size = 1; size <= 3; ++size)
        expect_iterations(*state, "lap3d:12", 1, size, methods,
                          size == 3 ? 2 : 1);
}

static void test_rank_amg__iterations_with_weak_couplings(void **state)
{
    expect_iterations(*state, "aniso:9,0.01", 1, 2, &by_cg, 1);
}

static const struct method by_choice = AMG(LCL_AMG_SMOOTHER_DEFAULT, BICGSTAB);

static void test_rank_amg__iterations_of_a_flow(void **state)
{
    const struct method methods[] = {AMG(LCL_AMG_ILDU0, BICGSTAB), by_choice};
    expect_iterations(*state, "convdiff:10,1", 1, 2, methods, 2);
}

static void test_rank_amg__iterations_of_blocks(void **state)
{
    expect_iterations(*state, "elasticity:6", 3, 2, &by_cg, 1);
}

static void test_rank_amg__iterations_in_bf16(void **state)
{
    static const struct method methods[] = {
        {{.type = LCL_PRECOND_AMG,
          .amg = {FEW, .storage = LCL_FACTOR_STORAGE_BF16}},
         {.type = LCL_SOLVER_CG}},
        {{.type = LCL_PRECOND_AMG,
          .amg = {FEW, .smoother = LCL_AMG_ILDU0,
                  .storage = LCL_FACTOR_STORAGE_BF16}},
         {.type = LCL_SOLVER_CG}}};
    expect_iterations(*state, "lap3d:12", 1, 2, methods, 2);
}

// One rank has a value of 1e30: all store the level in fp32.
static void test_rank_amg__ranks_agree_on_the_format(void **state)
{
    static const struct method m = {
        {.type = LCL_PRECOND_AMG,
         .amg = {FEW, .smoother = LCL_AMG_ILDU0,
                 .storage = LCL_FACTOR_STORAGE_BF16}},
        {.type = LCL_SOLVER_GMRES}};
    struct lcl_csr A = test_laplacian(9, 8, 7);
    struct test_ranks R;
    (void)state;
    for (int64_t k = A.row_ptr[30]; k < A.row_ptr[31]; ++k)
        if (A.col_ind[k] == 31)
            A.val[k] = 1e30;
    test_ranks_open(&R, 2, &A, NULL);
    make_solvers(&R, &m);
    for (int r = 0; r < 2; ++r) {
        const struct lcl_precond_info *info = &R.M[r]->info;
        assert_int_equal(info->amg.storage[0], LCL_FACTOR_STORAGE_FP32);
        assert_true(info->amg.loss[0] > 1e24);
    }
    test_ranks_close(&R);
    test_csr_finish(&A);
}

// All levels are gathered.
static void test_rank_amg__small_matrices_are_gathered(void **state)
{
    static const struct method m = {{.type = LCL_PRECOND_AMG},
                                    {.type = LCL_SOLVER_CG}};
    struct lcl_csr A = test_laplacian(9, 8, 7);
    struct test_ranks R;
    const int alone = solve_alone(*state, &A, &m);
    test_ranks_open(&R, 2, &A, NULL);
    make_solvers(&R, &m);
    assert_int_equal(test_ranks_expect_solved(&R), alone);
    test_ranks_close(&R);
    test_csr_finish(&A);
}

// So are the levels of classical coarsening. The weak couplings, a fifth of the
// strong ones, are not followed.
static void test_rank_amg__gathered_levels_are_those_of_one_device(void **state)
{
    static const struct method methods[] = {
        {{.type = LCL_PRECOND_AMG,
          .amg = {.coarse_rows = 20, .coarsening = LCL_AMG_CLASSICAL}},
         {.type = LCL_SOLVER_CG}},
        {{.type = LCL_PRECOND_AMG,
          .amg = {.coarse_rows = 20, .coarsening = LCL_AMG_SA}},
         {.type = LCL_SOLVER_CG}}};
    struct lcl_csr A = test_problem("aniso:9,0.2");
    struct test_ranks R;
    test_ranks_open(&R, 2, &A, NULL);
    for (size_t k = 0; k < sizeof methods / sizeof *methods; ++k) {
        lcl_operator *op = NULL;
        lcl_precond *M = NULL;
        assert_int_equal(lcl_operator_create(&op, *state, &A, NULL), LCL_OK);
        assert_int_equal(lcl_precond_create(&M, op, &methods[k].precond),
                         LCL_OK);
        make_solvers(&R, &methods[k]);
        const struct lcl_precond_info *info = &R.M[0]->info;
        assert_int_equal(info->amg.levels, M->info.amg.levels);
        assert_memory_equal(info->amg.rows, M->info.amg.rows,
                            sizeof info->amg.rows);
        assert_memory_equal(info->amg.nnz, M->info.amg.nnz,
                            sizeof info->amg.nnz);
        test_ranks_drop(&R);
        lcl_precond_destroy(&M);
        lcl_operator_destroy(&op);
    }
    test_ranks_close(&R);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------- small

// A rank of one row, which has no aggregate, or no couplings at all.
static void test_rank_amg__ranks_with_few_rows(void **state)
{
    static const int64_t from[][4] = {{0, 1, 2, 343}, {0, 171, 172, 343}};
    (void)state;
    for (size_t k = 0; k < sizeof from / sizeof *from; ++k) {
        struct lcl_csr A = test_laplacian(7, 7, 7);
        struct test_ranks R;
        test_ranks_open(&R, 3, &A, from[k]);
        make_solvers(&R, &by_cg);
        test_ranks_expect_solved(&R);
        test_ranks_close(&R);
        test_csr_finish(&A);
    }
}

// Removes couplings between rows of different parts of `rows` rows.
static void cut(struct lcl_csr *A, int64_t rows)
{
    int64_t at = 0, start = 0;
    for (int64_t i = 0; i < A->rows; ++i) {
        const int64_t end = A->row_ptr[i + 1];
        for (int64_t k = start; k < end; ++k)
            if (A->col_ind[k] / rows == i / rows) {
                A->col_ind[at] = A->col_ind[k];
                A->val[at++] = A->val[k];
            }
        start = end;
        A->row_ptr[i + 1] = at;
    }
    A->nnz = at;
}

static void test_rank_amg__without_couplings_between_ranks(void **state)
{
    static const int64_t from[] = {0, 100, 300};
    static const int64_t parts[] = {100, 1}; // none at all
    (void)state;
    for (int k = 0; k < 2; ++k) {
        struct lcl_csr A = test_laplacian(10, 6, 5);
        struct test_ranks R;
        cut(&A, parts[k]);
        test_ranks_open(&R, 2, &A, from);
        make_solvers(&R, &by_cg);
        assert_in_range(test_ranks_expect_solved(&R), 1, 12);
        test_ranks_close(&R);
        test_csr_finish(&A);
    }
}

// ------------------------------------------------------------------- values

static void test_rank_amg__follows_new_values(void **state)
{
    struct lcl_csr A = test_problem("jump:8,1000");
    struct test_ranks R;
    (void)state;
    test_ranks_open(&R, 2, &A, NULL);
    make_solvers(&R, &by_cg);
    const int before = test_ranks_expect_solved(&R);
    for (int k = 0; k < 2; ++k) {
        for (int64_t i = 0; i < A.nnz; ++i)
            A.val[i] *= -1024;
        assert_int_equal(test_ranks_update(&R, A.val), LCL_OK);
    }
    assert_int_equal(R.M[0]->info.amg.setups, 1);
    assert_int_equal(test_ranks_expect_solved(&R), before);
    test_ranks_close(&R);
    test_csr_finish(&A);
}

// Values that are not symmetric on one rank choose the smoother of all.
static void test_rank_amg__values_choose_the_smoother(void **state)
{
    struct lcl_csr A = test_laplacian(9, 8, 7);
    struct test_ranks R;
    (void)state;
    test_ranks_open(&R, 2, &A, NULL);
    make_solvers(&R, &by_choice);
    assert_int_equal(R.M[0]->info.amg.smoother, LCL_AMG_CHEBYSHEV);
    A.val[1] *= 0.5;
    assert_int_equal(test_ranks_update(&R, A.val), LCL_OK);
    for (int r = 0; r < 2; ++r)
        assert_int_equal(R.M[r]->info.amg.smoother, LCL_AMG_JACOBI);
    assert_in_range(test_ranks_expect_solved(&R), 2, 20);
    test_ranks_close(&R);
    test_csr_finish(&A);
}

// With the values of one device after it, which keeps them too.
static void expect_kept(lcl_context *ctx, const char *problem,
                        const struct method *m)
{
    struct lcl_csr A = test_problem(problem);
    struct test_ranks R;
    double *val;
    test_ranks_open(&R, 2, &A, NULL);
    make_solvers(&R, m);
    val = test_random_vector(A.nnz, 1);
    memcpy(val, A.val, (size_t)A.nnz * sizeof *val);
    const int alone = solve_alone_with(ctx, &A, m, true);
    for (int k = 0; k < 2; ++k) { // the last time with the values of `alone`
        assert_int_equal(test_ranks_update(&R, k == 0 ? val : A.val), LCL_OK);
        assert_int_equal(R.M[0]->info.amg.setups, 1);
    }
    assert_in_range(test_ranks_expect_solved(&R), 2, alone + 2);
    test_ranks_close(&R);
    free(val);
    test_csr_finish(&A);
}

static void test_rank_amg__keeps_prolongations(void **state)
{
    static const struct method factors = AMG(LCL_AMG_ILDU0, BICGSTAB);
    static const struct method few = {{.type = LCL_PRECOND_AMG},
                                      {.type = LCL_SOLVER_CG}};
    expect_kept(*state, "lap3d:12", &by_cg);
    expect_kept(*state, "lap3d:12", &few); // no level is distributed
    expect_kept(*state, "elasticity:6", &by_cg);
    expect_kept(*state, "convdiff:10,1", &factors);
}

// ------------------------------------------------------------------- growth

// Smoothed prolongations would make the second level a dense matrix.
static void test_rank_amg__power_laws_stay_sparse(void **state)
{
    struct lcl_csr A = test_power_law(500);
    struct test_ranks R;
    test_ranks_open(&R, 2, &A, NULL);
    make_solvers(&R, &by_cg);
    const struct lcl_precond_info *info = &R.M[0]->info;
    assert_true(info->amg.plain[0]);
    assert_true(info->amg.levels > 1 && info->amg.complexity < 3);
    const int before = test_ranks_expect_solved(&R);
    assert_in_range(before, 2, solve_alone(*state, &A, &by_cg) + 2);
    for (int64_t k = 0; k < A.nnz; ++k)
        A.val[k] *= 8;
    assert_int_equal(test_ranks_update(&R, A.val), LCL_OK);
    assert_in_range(test_ranks_expect_solved(&R), 2,
                    before + 2); // with new eigenvalues
    test_ranks_close(&R);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------- strength

// Groups of eight rows: each has three couplings, whose strengths are 1, d and
// e, to the rows with one bit of the number changed.
static struct lcl_csr groups_of_eight(int64_t groups, double d, double e)
{
    const int64_t n = 8 * groups;
    const double coupling[] = {1, d, e};
    double *dense = test_vector(n * n);
    memset(dense, 0, (size_t)(n * n) * sizeof *dense);
    for (int64_t i = 0; i < n; ++i) {
        dense[i * n + i] = 1.5 + d + e;
        for (int bit = 0; bit < 3; ++bit)
            dense[i * n + (i ^ 1 << bit)] = -coupling[bit];
    }
    struct lcl_csr A = test_csr_from_dense(n, dense);
    free(dense);
    return A;
}

static void expect_shrinking(double d, double e, int second, int third)
{
    struct lcl_csr A = groups_of_eight(100, d, e);
    struct test_ranks R;
    test_ranks_open(&R, 2, &A, NULL);
    make_solvers(&R, &by_cg);
    const struct lcl_precond_info *info = &R.M[0]->info;
    assert_int_equal(info->amg.rows[1], A.rows / second);
    assert_int_equal(info->amg.rows[2], A.rows / third);
    test_ranks_close(&R);
    test_csr_finish(&A);
}

// 0.25 of the largest coupling on the first level, 0.125 on the second one:
// what is stronger joins aggregates. All sums of rows are equal, so that the
// second matrix has the couplings of the first one.
static void test_rank_amg__strength_is_measured_on_each_level(void **state)
{
    (void)state;
    expect_shrinking(0.98 * 0.25, 0.001, 2, 4);
    expect_shrinking(1.02 * 0.25, 0.001, 4, 8);
    expect_shrinking(0.1, 0.98 * 0.125 * 0.1, 2, 4);
    expect_shrinking(0.1, 1.02 * 0.125 * 0.1, 2, 8);
}

// ------------------------------------------------------------------- refusals

static void test_rank_amg__classical_coarsening_is_refused(void **state)
{
    static const struct method m = {
        {.type = LCL_PRECOND_AMG,
         .amg = {FEW, .coarsening = LCL_AMG_CLASSICAL}},
        {.type = LCL_SOLVER_CG}};
    struct lcl_csr A = test_laplacian(7, 7, 7);
    struct test_ranks R;
    (void)state;
    test_ranks_open(&R, 2, &A, NULL);
    assert_int_equal(test_ranks_operators(&R, NULL), LCL_OK);
    assert_int_equal(test_ranks_solvers(&R, &m.precond, &m.solver),
                     LCL_EUNSUPPORTED);
    test_ranks_expect(&R, LCL_EUNSUPPORTED);
    assert_int_equal(test_ranks_solvers(&R, &by_cg.precond, &by_cg.solver),
                     LCL_OK);
    test_ranks_expect_solved(&R);
    test_ranks_close(&R);
    test_csr_finish(&A);
}

// The parts of a rank are symmetric, the whole matrix is not.
static void test_rank_amg__chebyshev_needs_a_symmetric_whole(void **state)
{
    static const int64_t from[] = {0, 100, 300};
    struct lcl_csr A = test_laplacian(10, 6, 5);
    struct test_ranks R;
    (void)state;
    for (int64_t k = A.row_ptr[40]; k < A.row_ptr[100]; ++k)
        if (A.col_ind[k] >= 100)
            A.val[k] = -2;
    test_ranks_open(&R, 2, &A, from);
    assert_int_equal(test_ranks_operators(&R, NULL), LCL_OK);
    const enum lcl_status st =
        test_ranks_solvers(&R, &by_cg.precond, &by_cg.solver);
    assert_true(st < 0);
    test_ranks_expect(&R, st);
    test_ranks_close(&R);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rank_amg__power_laws_stay_sparse),
        cmocka_unit_test(test_rank_amg__strength_is_measured_on_each_level),
        cmocka_unit_test(test_rank_amg__iterations_of_a_laplacian),
        cmocka_unit_test(test_rank_amg__iterations_with_weak_couplings),
        cmocka_unit_test(test_rank_amg__iterations_of_a_flow),
        cmocka_unit_test(test_rank_amg__iterations_of_blocks),
        cmocka_unit_test(test_rank_amg__iterations_in_bf16),
        cmocka_unit_test(test_rank_amg__ranks_agree_on_the_format),
        cmocka_unit_test(test_rank_amg__small_matrices_are_gathered),
        cmocka_unit_test(
            test_rank_amg__gathered_levels_are_those_of_one_device),
        cmocka_unit_test(test_rank_amg__ranks_with_few_rows),
        cmocka_unit_test(test_rank_amg__without_couplings_between_ranks),
        cmocka_unit_test(test_rank_amg__follows_new_values),
        cmocka_unit_test(test_rank_amg__values_choose_the_smoother),
        cmocka_unit_test(test_rank_amg__keeps_prolongations),
        cmocka_unit_test(test_rank_amg__classical_coarsening_is_refused),
        cmocka_unit_test(test_rank_amg__chebyshev_needs_a_symmetric_whole),
    };
    return test_device_run(tests);
}
