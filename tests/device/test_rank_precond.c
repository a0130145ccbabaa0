// SPDX-License-Identifier: BSD-3-Clause
// Solves with preconditioners that reach across ranks.
#include "lib/precond/precond.h"
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/ranks.h"

enum { METHODS_MOST = 3 };

static const int few[] = {1, 3, 0}, several[] = {1, 2, 4, 0};

struct method {
    struct lcl_precond_params precond;
    struct lcl_solver_params solver;
};

// The diagonal entry of a row.
static double *diagonal(struct lcl_csr *A, int64_t i)
{
    int64_t k = A->row_ptr[i];
    while (A->col_ind[k] != i)
        ++k;
    return &A->val[k];
}

static void make_solvers(struct test_ranks *R, const struct method *m)
{
    assert_int_equal(test_ranks_operators(R, NULL), LCL_OK);
    assert_int_equal(test_ranks_solvers(R, &m->precond, &m->solver), LCL_OK);
}

// Ranks take about the iterations of one: of each method, with the numbers of
// ranks in `sizes`, which end with 0.
static void expect_iterations(const char *problem, const struct method *methods,
                              int count, const int *sizes)
{
    struct lcl_csr A = test_problem(problem);
    int alone[METHODS_MOST] = {0};
    for (const int *size = sizes; *size > 0; ++size) {
        struct test_ranks R;
        test_ranks_open(&R, *size, &A, NULL);
        for (int k = 0; k < count; ++k) {
            make_solvers(&R, &methods[k]);
            const int iterations = test_ranks_expect_solved(&R);
            if (*size == 1)
                alone[k] = iterations;
            assert_in_range(iterations, 2, alone[k] + alone[k] / 5 + 2);
            test_ranks_drop(&R);
        }
        test_ranks_close(&R);
    }
    test_csr_finish(&A);
}

// ---------------------------------------------------------- coarse correction

#define COARSE(factors, correction, method)                                    \
 {                                                                             \
  {.type = LCL_PRECOND_##factors,                                              \
   .partition = {.rows = 48},                                                  \
   .coarse = LCL_COARSE_##correction},                                         \
  {                                                                            \
   .type = LCL_SOLVER_##method                                                 \
  }                                                                            \
 }

static const struct method symmetric[] = {COARSE(IC0, MULT, CG),
                                          COARSE(IC0, ADD, CG)};
static const struct method general[] = {COARSE(ILDU0, MULT, BICGSTAB),
                                        COARSE(ILU0, MULT, GMRES),
                                        COARSE(ILDU0, ADD, IDR)};

static void test_rank_precond__coarse_corrections_of_a_laplacian(void **state)
{
    (void)state;
    expect_iterations("lap3d:12", symmetric, 2, several);
}

static void test_rank_precond__coarse_corrections_with_jumps(void **state)
{
    (void)state;
    expect_iterations("jump:12,10000", symmetric, 1, few);
}

static void test_rank_precond__coarse_corrections_of_a_flow(void **state)
{
    (void)state;
    expect_iterations("convdiff:12,1", general, 3, few);
}

// None of the ranks has enough rows for a correction of its own.
static void test_rank_precond__auto_counts_the_rows_of_all_ranks(void **state)
{
    static const struct method m = COARSE(IC0, AUTO, CG);
    struct lcl_csr A = test_problem("lap3d:16");
    struct test_ranks R;
    int64_t unknowns = 0;
    (void)state;
    test_ranks_open(&R, 2, &A, NULL);
    make_solvers(&R, &m);
    for (int r = 0; r < R.size; ++r) {
        const struct lcl_precond_info *info = lcl_precond_info(R.M[r]);
        assert_int_equal(info->coarse.type, LCL_COARSE_MULT);
        unknowns += info->coarse.rows;
    }
    assert_in_range(unknowns, 8, 1024);
    test_ranks_close(&R);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------- overlap

// Blocks end within a rank: no overlap across ranks, but a solution.
static void test_rank_precond__overlap_needs_equal_blocks(void **state)
{
    static const int64_t from[] = {0, 48, 121, 240};
    static const struct method ras = {
        {.type = LCL_PRECOND_RAS, .partition = {.rows = 8}},
        {.type = LCL_SOLVER_BICGSTAB}};
    struct lcl_csr cells = test_laplacian(5, 4, 4);
    struct lcl_csr A = test_expand_blocks(&cells, 3);
    struct test_ranks R;
    (void)state;
    for (int64_t i = 0; i < A.rows; ++i)
        *diagonal(&A, i) += 30;
    test_ranks_open(&R, 3, &A, from);
    make_solvers(&R, &ras);
    test_ranks_expect_solved(&R);
    test_ranks_close(&R);
    test_csr_finish(&A);
    test_csr_finish(&cells);
}

static void test_rank_precond__iterations_with_overlap(void **state)
{
    static const struct method ras[] = {
        {{.type = LCL_PRECOND_RAS, .partition = {.rows = 48}},
         {.type = LCL_SOLVER_BICGSTAB}},
        {{.type = LCL_PRECOND_RAS, .partition = {.rows = 48}, .overlap = 2},
         {.type = LCL_SOLVER_GMRES}}};
    static const struct method as = {
        {.type = LCL_PRECOND_AS, .partition = {.rows = 48}},
        {.type = LCL_SOLVER_CG}};
    (void)state;
    expect_iterations("convdiff:12,1", ras, 2, several);
    expect_iterations("lap3d:12", &as, 1, few);
}

// ------------------------------------------------------------------- values

// CG takes the additive form while the preconditioner has old values.
static void test_rank_precond__new_values_with_and_without_update(void **state)
{
    struct lcl_csr A = test_problem("jump:12,1000");
    struct test_ranks R;
    (void)state;
    test_ranks_open(&R, 3, &A, NULL);
    make_solvers(&R, &symmetric[0]);
    const int before = test_ranks_expect_solved(&R);
    lcl_precond *M[TEST_RANKS];
    for (int64_t k = 0; k < A.nnz; ++k)
        A.val[k] *= 4;
    for (int r = 0; r < R.size; ++r) {
        M[r] = R.M[r];
        R.M[r] = NULL; // not updated
    }
    assert_int_equal(test_ranks_update(&R, A.val), LCL_OK);
    const int additive = test_ranks_expect_solved(&R);
    for (int r = 0; r < R.size; ++r)
        R.M[r] = M[r];
    assert_int_equal(test_ranks_update(&R, A.val), LCL_OK);
    test_ranks_expect(&R, LCL_OK);
    assert_in_range(test_ranks_expect_solved(&R), before - 1, before + 1);
    assert_true(additive > before + 1);
    test_ranks_close(&R);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------- failures

// A pivot of one rank fails: so do all ranks, and nothing is lost.
static void test_rank_precond__a_pivot_fails_on_one_rank(void **state)
{
    struct method m = COARSE(ILDU0, MULT, BICGSTAB);
    struct lcl_csr A = test_laplacian(9, 8, 7);
    double *a = diagonal(&A, 0);
    struct test_ranks R;
    (void)state;
    m.precond.pivot = LCL_PIVOT_FAIL;
    *a = 0;
    test_ranks_open(&R, 3, &A, NULL);
    assert_int_equal(test_ranks_operators(&R, NULL), LCL_OK);
    assert_int_equal(test_ranks_solvers(&R, &m.precond, &m.solver), LCL_EPIVOT);
    test_ranks_expect(&R, LCL_EPIVOT);
    for (int k = 0; k < 2; ++k) {
        *a = 6;
        assert_int_equal(test_ranks_update(&R, A.val), LCL_OK);
        if (k == 0)
            assert_int_equal(test_ranks_solvers(&R, &m.precond, &m.solver),
                             LCL_OK);
        test_ranks_expect_solved(&R);
        *a = 0;
        assert_int_equal(test_ranks_update(&R, A.val), LCL_EPIVOT);
        test_ranks_expect(&R, LCL_EPIVOT);
    }
    test_ranks_close(&R);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rank_precond__coarse_corrections_of_a_laplacian),
        cmocka_unit_test(test_rank_precond__coarse_corrections_with_jumps),
        cmocka_unit_test(test_rank_precond__coarse_corrections_of_a_flow),
        cmocka_unit_test(test_rank_precond__auto_counts_the_rows_of_all_ranks),
        cmocka_unit_test(test_rank_precond__overlap_needs_equal_blocks),
        cmocka_unit_test(test_rank_precond__iterations_with_overlap),
        cmocka_unit_test(test_rank_precond__new_values_with_and_without_update),
        cmocka_unit_test(test_rank_precond__a_pivot_fails_on_one_rank),
    };
    return test_device_run(tests);
}
