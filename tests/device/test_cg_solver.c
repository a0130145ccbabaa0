// SPDX-License-Identifier: BSD-3-Clause
// CG and IC(0) as their users see them.
#include "tests/support/device.h"
#include "tests/support/folded.h"
#include "tests/support/matrices.h"
#include "tests/support/preconds.h"
#include "tests/support/solver_checks.h"

#include "lib/ref/cg.h"
#include "lib/ref/coarse.h"

#include <levelcl/published.h>

#include <stdlib.h>
#include <string.h>

enum { ROWS = TEST_PART_ROWS };

static const struct lcl_precond_params none = {.type = LCL_PRECOND_NONE};
static const struct lcl_precond_params jacobi = {.type = LCL_PRECOND_JACOBI};
static const struct lcl_solver_params cg = {.type = LCL_SOLVER_CG};
static const struct lcl_solver_params published = {.type =
                                                       LCL_SOLVER_CG_PUBLISHED};
static const struct lcl_solver_params pipelined = {.type =
                                                       LCL_SOLVER_CG_PIPELINED};
static const struct lcl_solver_params strict = {.type = LCL_SOLVER_CG,
                                                .rtol = 1e-10};

static struct lcl_precond_params ic0(enum lcl_coarse coarse)
{
    struct lcl_precond_params params = test_ic0(coarse);
    params.storage = LCL_FACTOR_STORAGE_FP64; // as the reference's factors
    return params;
}

static const enum lcl_coarse coarses[] = {LCL_COARSE_NONE, LCL_COARSE_ADD,
                                          LCL_COARSE_MULT};

// ------------------------------------------------------------------ solutions

static void test_cg__every_preconditioner_solves_a_grid(void **state)
{
    struct lcl_solver_params other = published;
    struct lcl_csr A = test_laplacian(12, 11, 10);
    other.rtol = strict.rtol;
    test_expect_solved(*state, &A, &none, &strict);
    if (test_solver_works(*state, other.type))
        test_expect_solved(*state, &A, &none, &other);
    test_expect_solved(*state, &A, &jacobi, &strict);
    for (int c = 0; c < 3; ++c) {
        struct lcl_precond_params params = ic0(coarses[c]);
        test_expect_solved(*state, &A, &params, &strict);
        params.type = LCL_PRECOND_ILU0;
        test_expect_solved(*state, &A, &params, &strict);
    }
    test_csr_finish(&A);
}

static void test_cg__the_pipelined_method_solves_with_each_of_them(void **state)
{
    const struct lcl_precond_params amg = {.type = LCL_PRECOND_AMG,
                                           .amg = {.coarse_rows = 100}};
    struct lcl_solver_params strictly = pipelined;
    struct lcl_csr A = test_laplacian(12, 11, 10);
    strictly.rtol = strict.rtol;
    test_expect_solved(*state, &A, &none, &strictly);
    test_expect_solved(*state, &A, &jacobi, &strictly);
    test_expect_solved(*state, &A, &amg, &strictly);
    for (int c = 0; c < 3; ++c) {
        const struct lcl_precond_params params = ic0(coarses[c]);
        test_expect_solved(*state, &A, &params, &strictly);
        test_expect_reproducible(*state, &A, &params, &strictly);
    }
    test_csr_finish(&A);
}

// CG takes the same steps for -A, with preconditioners of -A too.
static void test_cg__negative_definite_matrices_are_solved(void **state)
{
    const struct lcl_precond_params amg = {.type = LCL_PRECOND_AMG,
                                           .amg = {.coarse_rows = 100}};
    const struct lcl_precond_params factors[] = {ic0(LCL_COARSE_NONE),
                                                 ic0(LCL_COARSE_MULT)};
    const struct lcl_precond_params *const all[] = {&none, &jacobi, &factors[0],
                                                    &factors[1], &amg};
    struct lcl_csr A = test_laplacian(11, 10, 9);
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        test_expect_negative_alike(*state, &A, all[k], &strict);
    test_expect_negative_alike(*state, &A, all[3], &pipelined);
    test_csr_finish(&A);
}

// The limit is named, not a change of sign at it.
static void test_cg__negative_definite_matrices_reach_the_limit(void **state)
{
    const struct lcl_precond_params factors = ic0(LCL_COARSE_MULT);
    const struct lcl_precond_params *const all[] = {&none, &jacobi, &factors};
    struct lcl_csr A = test_laplacian(11, 10, 9);
    double *b = test_random_vector(A.rows, 5);
    for (int64_t i = 0; i < A.nnz; ++i)
        A.val[i] *= -1;
    for (int k = 0; k < 6; ++k) {
        struct lcl_solver_params params = k % 2 > 0 ? pipelined : strict;
        struct test_solve s;
        params.max_iters = 1 + k;
        test_solve_open(&s, *state, &A, all[k / 2], &params);
        assert_int_equal(test_solve_run(&s, b), LCL_ITERATION_LIMIT);
        assert_int_equal(s.report.stop, LCL_STOP_MAX_ITERS);
        assert_int_equal(s.report.iterations, params.max_iters);
        test_solve_close(&s);
    }
    free(b);
    test_csr_finish(&A);
}

static void test_cg__blocks_are_solved(void **state)
{
    struct lcl_csr A = test_block_grid();
    struct lcl_precond_params params = ic0(LCL_COARSE_MULT);
    params.partition.rows = ROWS / 3;
    test_expect_solved(*state, &A, &params, &strict);
    test_csr_finish(&A);
}

static void test_cg__one_equation_and_identity_take_one_step(void **state)
{
    test_expect_identity_at_once(*state, &none, &cg);
    if (test_solver_works(*state, published.type))
        test_expect_identity_at_once(*state, &none, &published);
    test_expect_identity_at_once(*state, &none, &pipelined);
}

static void test_cg__starts_from_the_x_that_is_passed(void **state)
{
    const struct lcl_precond_params params = ic0(LCL_COARSE_MULT);
    struct lcl_csr A = test_laplacian(9, 9, 9);
    test_expect_start_used(*state, &A, &params, &cg);
    test_expect_start_used(*state, &A, &params, &pipelined);
    test_csr_finish(&A);
}

static void test_cg__solves_agree_bit_for_bit(void **state)
{
    struct lcl_csr A = test_laplacian(13, 12, 7);
    for (int c = 0; c < 3; ++c) {
        const struct lcl_precond_params params = ic0(coarses[c]);
        test_expect_reproducible(*state, &A, &params, &cg);
    }
    test_csr_finish(&A);
}

static void test_cg__one_preconditioner_serves_both_methods(void **state)
{
    const struct lcl_precond_params params = ic0(LCL_COARSE_MULT);
    struct lcl_csr A = test_laplacian(12, 12, 12);
    double *b = test_right_side(&A);
    struct test_solve s;
    test_solve_open(&s, *state, &A, &params, NULL);
    lcl_solver *other, *bicgstab = s.S;
    assert_int_equal(test_solver_create(&other, s.M, &cg), LCL_OK);
    for (int k = 0; k < 4; ++k) {
        s.S = k % 2 ? other : bicgstab;
        memset(s.x, 0, (size_t)A.rows * sizeof *s.x);
        assert_int_equal(test_solve_run(&s, b), LCL_OK);
    }
    s.S = bicgstab;
    lcl_solver_destroy(&other);
    test_solve_close(&s);
    test_csr_finish(&A);
    free(b);
}

// ------------------------------------------------------------------ reference

static void expect_history(lcl_context *ctx, const struct lcl_csr *A,
                           const struct lcl_precond_params *method,
                           const struct lcl_solver_params *params,
                           struct lcl_ref_cg K, double *x)
{
    enum { ROOM = 300 };
    double history[ROOM + 1];
    double *b = test_right_side(A);
    K.rtol = 1e-8;
    K.max_iters = ROOM;
    K.history = history;
    assert_int_equal(lcl_ref_cg(&K, A, b, x), LCL_OK);
    const struct test_reference reference = {
        .history = history,
        .iterations = K.iterations,
        .first = 8,
        .tolerance = 1e-8,
        .least = K.iterations - 1,
        .most = K.iterations + 1,
    };
    test_expect_reference(ctx, A, method, params, &reference);
    free(b);
}

// A diagonal that varies, so that Jacobi does something.
static struct lcl_csr varied_grid(void)
{
    struct lcl_csr A = test_laplacian(10, 10, 10);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            if (A.col_ind[k] == i)
                A.val[k] += (double)(i % 5) / 4;
    return A;
}

static void test_cg__histories_are_the_reference_s(void **state)
{
    struct lcl_csr A = varied_grid();
    struct test_inverse D = test_jacobi_of(&A), I = test_identity_of(&A);
    const struct lcl_ref_cg K = {.apply = test_apply_inverse, .user = &D};
    const struct lcl_ref_cg L = {.apply = test_apply_inverse, .user = &I};
    const struct {
        const struct lcl_precond_params *method;
        const struct lcl_solver_params *params;
        const struct lcl_ref_cg *K;
    } cases[] = {{&jacobi, &cg, &K},
                 {&none, &cg, &L},
                 {&none, &published, &L},
                 {&jacobi, &pipelined, &K},
                 {&none, &pipelined, &L}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        double x[1000] = {0};
        if (!test_solver_works(*state, cases[k].params->type))
            continue;
        expect_history(*state, &A, cases[k].method, cases[k].params,
                       *cases[k].K, x);
    }
    test_csr_finish(&A);
}

struct reference {
    struct test_folded factors;
    struct lcl_ref_coarse C;
};

static void apply_deflated(void *user, const double *r, double *z)
{
    struct reference *R = user;
    const struct lcl_ref_inner inner = {test_folded_apply, &R->factors};
    lcl_ref_coarse_deflated(&R->C, &inner, r, z);
}

static void apply_added(void *user, const double *r, double *z)
{
    struct reference *R = user;
    const struct lcl_ref_inner inner = {test_folded_apply, &R->factors};
    lcl_ref_coarse_add(&R->C, &inner, r, z);
}

static void test_cg__corrected_histories_are_the_reference_s(void **state)
{
    enum { PARTS = 12 };
    struct lcl_csr A = test_laplacian(12, 12, 10);
    int32_t label[PARTS * ROWS];
    double *x = test_vector(A.rows), *y = test_vector(A.rows);
    double *b = test_right_side(&A), *z = test_vector(A.rows);
    struct reference R;
    const struct lcl_precond_params method[] = {
        ic0(LCL_COARSE_NONE), ic0(LCL_COARSE_ADD), ic0(LCL_COARSE_MULT)};
    for (int i = 0; i < PARTS * ROWS; ++i)
        label[i] = i / ROWS;
    test_folded_init(&R.factors, *state, &A, ROWS, &method[0]);
    assert_int_equal(lcl_ref_coarse_init(&R.C, &A, label, PARTS, 1), LCL_OK);
    struct lcl_ref_cg K = {.apply = test_folded_apply, .user = &R.factors};
    expect_history(*state, &A, &method[0], &cg, K, x);
    K = (struct lcl_ref_cg){.apply = apply_added, .user = &R};
    expect_history(*state, &A, &method[1], &cg, K, y);
    K.apply = apply_deflated;
    lcl_ref_coarse_start(&R.C, b, z);
    expect_history(*state, &A, &method[2], &cg, K, z);
    lcl_ref_coarse_finish(&R.C);
    test_folded_finish(&R.factors);
    test_csr_finish(&A);
    free(b);
    free(x);
    free(y);
    free(z);
}

static void test_cg__deflation_takes_fewer_iterations(void **state)
{
    int iterations[3];
    struct lcl_csr A = test_laplacian(18, 18, 18);
    double *b = test_random_vector(A.rows, 3);
    for (int c = 0; c < 3; ++c) {
        struct lcl_precond_params params = ic0(coarses[c]);
        params.partition = (struct lcl_partition_params){
            .type = LCL_PARTITION_GEOMETRIC, .box = {6, 6, 3}};
        struct test_solve s;
        test_solve_open(&s, *state, &A, &params, &cg);
        assert_int_equal(test_solve_run(&s, b), LCL_OK);
        iterations[c] = s.report.iterations;
        test_solve_close(&s);
    }
    print_message("none %d, add %d, mult %d iterations\n", iterations[0],
                  iterations[1], iterations[2]);
    assert_true(iterations[2] < iterations[0] * 4 / 5);
    assert_true(iterations[2] < iterations[1]);
    test_csr_finish(&A);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cg__every_preconditioner_solves_a_grid),
        cmocka_unit_test(
            test_cg__the_pipelined_method_solves_with_each_of_them),
        cmocka_unit_test(test_cg__negative_definite_matrices_are_solved),
        cmocka_unit_test(test_cg__negative_definite_matrices_reach_the_limit),
        cmocka_unit_test(test_cg__blocks_are_solved),
        cmocka_unit_test(test_cg__one_equation_and_identity_take_one_step),
        cmocka_unit_test(test_cg__starts_from_the_x_that_is_passed),
        cmocka_unit_test(test_cg__solves_agree_bit_for_bit),
        cmocka_unit_test(test_cg__one_preconditioner_serves_both_methods),
        cmocka_unit_test(test_cg__histories_are_the_reference_s),
        cmocka_unit_test(test_cg__corrected_histories_are_the_reference_s),
        cmocka_unit_test(test_cg__deflation_takes_fewer_iterations),
    };
    return test_device_run(tests);
}
