// SPDX-License-Identifier: BSD-3-Clause
// The reference of CG, alone and with A-DEF2.
#include "tests/support/matrices.h"
#include "tests/support/systems.h"
#include "tests/support/test.h"

#include "lib/ref/cg.h"
#include "lib/ref/coarse.h"
#include "lib/ref/trisolve.h"

#include <math.h>
#include <stdlib.h>

enum { ROOM = 500 };

static void copy_vector(void *user, const double *r, double *z)
{
    const int64_t *n = user;
    for (int64_t i = 0; i < *n; ++i)
        z[i] = r[i];
}

// b = A x for x_i = 1 + i mod 7
static double *right_side(const struct lcl_csr *A)
{
    double *x = calloc((size_t)A->rows, sizeof *x);
    double *b = calloc((size_t)A->rows, sizeof *b);
    assert_non_null(x);
    assert_non_null(b);
    for (int64_t i = 0; i < A->rows; ++i)
        x[i] = (double)(1 + i % 7);
    lcl_csr_multiply(A, x, b);
    free(x);
    return b;
}

static void expect_solution(const double *x, int64_t n)
{
    for (int64_t i = 0; i < n; ++i)
        if (!(fabs(x[i] - (double)(1 + i % 7)) < 1e-6))
            fail_msg("x[%lld]: got %g", (long long)i, x[i]);
}

static void test_cg__exact_after_as_many_steps_as_eigenvalues(void **state)
{
    (void)state;
    double history[ROOM + 1], x[40] = {0};
    struct lcl_csr A = test_identity(40);
    for (int64_t i = 0; i < 40; ++i)
        A.val[i] = (double)(1 + i % 3);
    double *b = right_side(&A);
    struct lcl_ref_cg K = {.apply = copy_vector,
                           .user = &A.rows,
                           .rtol = 1e-12,
                           .max_iters = ROOM,
                           .history = history};
    assert_int_equal(lcl_ref_cg(&K, &A, b, x), LCL_OK);
    assert_int_equal(K.iterations, 3);
    expect_solution(x, 40);
    test_csr_finish(&A);
    free(b);
}

static void test_cg__indefinite_matrices_break_down(void **state)
{
    (void)state;
    double history[ROOM + 1], x[2] = {0, 0};
    const double b[] = {1, 1};
    struct lcl_csr A = test_identity(2);
    A.val[1] = -1;
    struct lcl_ref_cg K = {.apply = copy_vector,
                           .user = &A.rows,
                           .rtol = 1e-12,
                           .max_iters = ROOM,
                           .history = history};
    assert_int_equal(lcl_ref_cg(&K, &A, b, x), LCL_BREAKDOWN);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------ A-DEF2

struct deflated {
    struct lcl_ref_ildu0 F;
    struct lcl_ref_coarse C;
};

static void apply_factors(void *user, const double *r, double *z)
{
    struct deflated *D = user;
    lcl_ref_trisolve(&D->F, r, z);
}

static void apply_deflated(void *user, const double *r, double *z)
{
    struct deflated *D = user;
    const struct lcl_ref_inner inner = {apply_factors, D};
    lcl_ref_coarse_deflated(&D->C, &inner, r, z);
}

static int iterations_of(const struct lcl_csr *A, struct deflated *D,
                         const double *b, bool deflated)
{
    double history[ROOM + 1];
    double *x = calloc((size_t)A->rows, sizeof *x);
    assert_non_null(x);
    struct lcl_ref_cg K = {.apply = deflated ? apply_deflated : apply_factors,
                           .user = D,
                           .rtol = 1e-9,
                           .max_iters = ROOM,
                           .history = history};
    if (deflated)
        lcl_ref_coarse_start(&D->C, b, x);
    assert_int_equal(lcl_ref_cg(&K, A, b, x), LCL_OK);
    expect_solution(x, A->rows);
    free(x);
    return K.iterations;
}

static void test_cg__deflation_takes_fewer_iterations(void **state)
{
    (void)state;
    const struct lcl_precond_params params = {.type = LCL_PRECOND_ILDU0};
    struct test_system S;
    struct deflated D;
    test_system_from(&S, test_laplacian(16, 16, 16), 256, false);
    int32_t *label = calloc((size_t)S.B.rows, sizeof *label);
    assert_non_null(label);
    for (int64_t i = 0; i < S.B.rows; ++i)
        label[i] = (int32_t)(i / 256);
    assert_int_equal(
        lcl_ref_ildu0_init(&D.F, &S.B, S.P.part_ptr, S.P.parts, &params),
        LCL_OK);
    assert_int_equal(lcl_ref_coarse_init(&D.C, &S.B, label, S.P.parts, 1),
                     LCL_OK);
    double *b = right_side(&S.B);
    const int plain = iterations_of(&S.B, &D, b, false);
    const int deflated = iterations_of(&S.B, &D, b, true);
    assert_in_range(deflated, plain / 4, plain * 9 / 10);
    lcl_ref_coarse_finish(&D.C);
    lcl_ref_ildu0_finish(&D.F);
    test_system_finish(&S);
    free(label);
    free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cg__exact_after_as_many_steps_as_eigenvalues),
        cmocka_unit_test(test_cg__indefinite_matrices_break_down),
        cmocka_unit_test(test_cg__deflation_takes_fewer_iterations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
