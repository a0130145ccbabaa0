// SPDX-License-Identifier: BSD-3-Clause
// The coarse correction as its users see it, on one device and on ranks.
#include "tests/support/device.h"
#include "tests/support/folded.h"
#include "tests/support/matrices.h"
#include "tests/support/preconds.h"
#include "tests/support/ranks.h"
#include "tests/support/solver_checks.h"

#include "lib/ref/bicgstab.h"
#include "lib/ref/coarse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// All on subdomains of one size: each size is another kernel to compile.
enum { ROWS = 120 };

static struct lcl_precond_params params_of(enum lcl_coarse coarse)
{
    return (struct lcl_precond_params){
        .partition = {.type = LCL_PARTITION_NATURAL, .rows = ROWS},
        .coarse = coarse,
    };
}

// ------------------------------------------------------------------ a solver

// A system on one device, or on several ranks.
struct corrected {
    bool ranks;
    struct test_solve one;
    struct test_ranks several;
    double *x;
    double rtol;
    int iterations;
};

// 0: one device
static const int ranks_of[] = {0, 3};
enum { RUNS = sizeof ranks_of / sizeof *ranks_of };

// `solver` may be NULL.
static void corrected_open(struct corrected *s, lcl_context *ctx, int ranks,
                           const struct lcl_csr *A,
                           const struct lcl_precond_params *params,
                           const struct lcl_solver_params *solver)
{
    *s = (struct corrected){.ranks = ranks > 0,
                            .x = test_vector(A->rows),
                            .rtol = solver ? solver->rtol : 1e-8};
    if (!s->ranks) {
        test_solve_open(&s->one, ctx, A, params, solver);
        return;
    }
    test_ranks_open(&s->several, ranks, A, NULL);
    assert_int_equal(test_ranks_operators(&s->several, NULL), LCL_OK);
    assert_int_equal(test_ranks_solvers(&s->several, params, solver), LCL_OK);
}

static void corrected_close(struct corrected *s)
{
    if (s->ranks)
        test_ranks_close(&s->several);
    else
        test_solve_close(&s->one);
    free(s->x);
}

// That of the first rank, with the unknowns of all.
static struct lcl_precond_info info_of(const struct corrected *s)
{
    struct lcl_precond_info info =
        *lcl_precond_info(s->ranks ? s->several.M[0] : s->one.M);
    for (int r = 1; s->ranks && r < s->several.size; ++r) {
        const struct lcl_precond_info *own = lcl_precond_info(s->several.M[r]);
        assert_int_equal(own->coarse.type, info.coarse.type);
        assert_int_equal(own->coarse.pinned, info.coarse.pinned);
        info.coarse.rows += own->coarse.rows;
        info.factors.parts += own->factors.parts;
    }
    return info;
}

static void corrected_solve(struct corrected *s, const double *b)
{
    const int64_t n = s->ranks ? s->several.A->rows : s->one.A->rows;
    struct lcl_report report;
    if (s->ranks) {
        assert_int_equal(test_ranks_solve(&s->several, b, s->x, &report),
                         LCL_OK);
        assert_true(test_residual(s->several.A, b, s->x) <= 1.1 * s->rtol);
        s->iterations = report.iterations;
        return;
    }
    assert_int_equal(test_solve_run(&s->one, b), LCL_OK);
    memcpy(s->x, s->one.x, (size_t)n * sizeof *s->x);
    s->iterations = s->one.report.iterations;
}

// Takes the values of A, of the same pattern.
static void corrected_update(struct corrected *s, const struct lcl_csr *A)
{
    if (s->ranks) {
        s->several.A = A;
        assert_int_equal(test_ranks_update(&s->several, A->val), LCL_OK);
    } else {
        s->one.A = A;
        assert_int_equal(test_precond_update(s->one.M, A->val), LCL_OK);
    }
}

// ------------------------------------------------------------------ iterations

static int iterations_with(lcl_context *ctx, int ranks, const struct lcl_csr *A,
                           enum lcl_coarse coarse)
{
    const struct lcl_precond_params params = params_of(coarse);
    double *b = test_right_side(A);
    struct corrected s;
    corrected_open(&s, ctx, ranks, A, &params, NULL);
    corrected_solve(&s, b);
    const struct lcl_precond_info info = info_of(&s);
    assert_int_equal(info.coarse.type, coarse);
    assert_int_equal(info.coarse.rows,
                     coarse == LCL_COARSE_NONE ? 0 : info.factors.parts);
    assert_int_equal(info.coarse.bytes > 0, coarse != LCL_COARSE_NONE);
    corrected_close(&s);
    free(b);
    return s.iterations;
}

static void test_correction__a_smooth_problem_takes_fewer_iterations(
    void **state)
{
    struct lcl_csr A = test_laplacian(18, 18, 18);
    for (int k = 0; k < RUNS; ++k) {
        const int none =
            iterations_with(*state, ranks_of[k], &A, LCL_COARSE_NONE);
        const int mult =
            iterations_with(*state, ranks_of[k], &A, LCL_COARSE_MULT);
        const int add =
            iterations_with(*state, ranks_of[k], &A, LCL_COARSE_ADD);
        print_message("%d ranks: none %d, mult %d, add %d iterations\n",
                      ranks_of[k], none, mult, add);
        assert_true(mult < none * 9 / 10);
        assert_true(add < none * 11 / 10);
    }
    test_csr_finish(&A);
}

static void expect_chosen(lcl_context *ctx, struct lcl_csr A, int64_t rows,
                          enum lcl_precond_type type, enum lcl_coarse expected)
{
    struct lcl_precond_params params = params_of(LCL_COARSE_AUTO);
    params.partition.rows = rows;
    params.type = type;
    for (int k = 0; k < RUNS; ++k) {
        struct corrected s;
        corrected_open(&s, ctx, ranks_of[k], &A, &params, NULL);
        assert_int_equal(info_of(&s).coarse.type, expected);
        corrected_close(&s);
    }
    test_csr_finish(&A);
}

static void test_correction__auto_asks_for_enough_rows_and_subdomains(
    void **state)
{
    expect_chosen(*state, test_laplacian(16, 16, 16), ROWS, LCL_PRECOND_ILDU0,
                  LCL_COARSE_MULT);
    expect_chosen(*state, test_laplacian(16, 16, 15), ROWS, LCL_PRECOND_ILDU0,
                  LCL_COARSE_NONE);
    expect_chosen(*state, test_laplacian(16, 16, 16), 700, LCL_PRECOND_ILU0,
                  LCL_COARSE_NONE);
    expect_chosen(*state, test_laplacian(16, 16, 16), ROWS, LCL_PRECOND_JACOBI,
                  LCL_COARSE_NONE);
}

static void test_correction__auto_asks_for_couplings_of_one_sign(void **state)
{
    struct lcl_csr A = test_laplacian(16, 16, 16);
    for (int64_t k = 0; k < A.nnz; ++k)
        A.val[k] = fabs(A.val[k]);
    expect_chosen(*state, A, ROWS, LCL_PRECOND_ILDU0, LCL_COARSE_NONE);
}

// Boundary rows lose what a boundary would add: constants are in the null
// space, and b = A x is orthogonal to them.
static void test_correction__a_pure_neumann_problem_is_solved(void **state)
{
    const struct lcl_precond_params params = params_of(LCL_COARSE_MULT);
    const struct lcl_solver_params solver = {.rtol = 1e-6};
    struct lcl_csr A = test_laplacian(12, 12, 12);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            if (A.col_ind[k] == i)
                A.val[k] = (double)(A.row_ptr[i + 1] - A.row_ptr[i] - 1);
    double *b = test_right_side(&A);
    for (int k = 0; k < RUNS; ++k) {
        struct corrected s;
        corrected_open(&s, *state, ranks_of[k], &A, &params, &solver);
        assert_int_equal(info_of(&s).coarse.type, LCL_COARSE_MULT);
        assert_int_equal(info_of(&s).coarse.pinned, 1);
        corrected_solve(&s, b);
        corrected_close(&s);
    }
    test_csr_finish(&A);
    free(b);
}

static void test_correction__new_values_give_what_a_new_one_gives(void **state)
{
    const struct lcl_precond_params params = params_of(LCL_COARSE_MULT);
    struct lcl_csr A = test_random_csr(700, 6, 1);
    struct lcl_csr B = test_random_csr(700, 6, 1);
    double *b = test_random_vector(700, 2);
    for (int64_t k = 0; k < B.nnz; ++k)
        B.val[k] *= 1 + (double)(k % 11) / 50;
    for (int k = 0; k < RUNS; ++k) {
        struct corrected s, fresh;
        corrected_open(&s, *state, ranks_of[k], &A, &params, NULL);
        corrected_update(&s, &B);
        corrected_solve(&s, b);
        corrected_open(&fresh, *state, ranks_of[k], &B, &params, NULL);
        corrected_solve(&fresh, b);
        test_expect_same("x", s.x, fresh.x, 700);
        corrected_close(&fresh);
        corrected_close(&s);
    }
    test_csr_finish(&A);
    test_csr_finish(&B);
    free(b);
}

// ------------------------------------------------------------------ reference

struct reference {
    struct test_folded factors;
    struct lcl_ref_coarse C;
};

static void apply_mult(void *user, const double *r, double *z)
{
    struct reference *R = user;
    const struct lcl_ref_inner inner = {test_folded_apply, &R->factors};
    lcl_ref_coarse_mult(&R->C, &inner, r, z);
}

static void test_correction__history_is_the_reference_s(void **state)
{
    enum { PARTS = 10, ROOM = 200 };
    struct lcl_precond_params params = params_of(LCL_COARSE_MULT);
    struct lcl_csr A = test_random_csr(PARTS * ROWS, 8, 9);
    params.storage = LCL_FACTOR_STORAGE_FP64; // as the reference's factors
    int32_t label[PARTS * ROWS];
    double history[ROOM + 1], *x = test_vector(A.rows);
    struct reference R;
    for (int i = 0; i < PARTS * ROWS; ++i)
        label[i] = i / ROWS;
    test_folded_init(&R.factors, *state, &A, ROWS, &params);
    assert_int_equal(lcl_ref_coarse_init(&R.C, &A, label, PARTS, 1), LCL_OK);
    struct lcl_ref_bicgstab K = {.apply = apply_mult,
                                 .user = &R,
                                 .rtol = 1e-8,
                                 .max_iters = ROOM,
                                 .history = history};
    double *b = test_right_side(&A);
    assert_int_equal(lcl_ref_bicgstab(&K, &A, b, x), LCL_OK);
    const struct test_reference reference = {
        .history = history,
        .iterations = K.iterations,
        .first = 8,
        .tolerance = 1e-9,
        .least = K.iterations - 1,
        .most = K.iterations + 1,
    };
    test_expect_reference(*state, &A, &params, NULL, &reference);
    lcl_ref_coarse_finish(&R.C);
    test_folded_finish(&R.factors);
    test_csr_finish(&A);
    free(b);
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_correction__a_smooth_problem_takes_fewer_iterations),
        cmocka_unit_test(
            test_correction__auto_asks_for_enough_rows_and_subdomains),
        cmocka_unit_test(test_correction__auto_asks_for_couplings_of_one_sign),
        cmocka_unit_test(test_correction__a_pure_neumann_problem_is_solved),
        cmocka_unit_test(test_correction__new_values_give_what_a_new_one_gives),
        cmocka_unit_test(test_correction__history_is_the_reference_s),
    };
    return test_device_run(tests);
}
