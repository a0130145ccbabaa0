// SPDX-License-Identifier: BSD-3-Clause
// Operators and preconditioners that are functions of the caller, on host
// vectors and on the device.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"
#include "tests/support/solving.h"

#include <levelcl/opencl.h>

#include <math.h>
#include <stdlib.h>

// ------------------------------------------------------------------ functions

struct given {
    const struct lcl_csr *A;
    lcl_operator *op; // the same on the device
    int calls;
    int fails_at; // this call fails; 0: none does
};

static enum lcl_status count_call(struct given *G)
{
    return ++G->calls == G->fails_at ? LCL_EIO : LCL_OK;
}

static enum lcl_status multiply(void *user, const double *x, double *y)
{
    struct given *G = user;
    lcl_csr_multiply(G->A, x, y);
    return count_call(G);
}

// Jacobi.
static enum lcl_status divide(void *user, const double *x, double *y)
{
    struct given *G = user;
    for (int64_t i = 0; i < G->A->rows; ++i)
        y[i] = x[i] / test_entry(G->A, i, i);
    return count_call(G);
}

// On the queue of the context, which is the other operator's, too.
static enum lcl_status multiply_on_device(void *user, cl_command_queue queue,
                                          const struct lcl_array_cl *x,
                                          const struct lcl_array_cl *y)
{
    struct given *G = user;
    assert_non_null(queue);
    const enum lcl_status st = lcl_operator_apply_cl(G->op, x, y, NULL);
    return st < 0 ? st : count_call(G);
}

static void given_init(struct given *G, lcl_context *ctx,
                       const struct lcl_csr *A)
{
    *G = (struct given){.A = A};
    assert_int_equal(lcl_operator_create(&G->op, ctx, A, NULL), LCL_OK);
}

static lcl_operator *matrix_free(struct given *G, lcl_context *ctx,
                                 bool on_device)
{
    const int64_t n = G->A->rows;
    lcl_operator *P;
    assert_int_equal(
        on_device ? lcl_operator_create_callback_cl(&P, ctx, n, n,
                                                    multiply_on_device, G)
                  : lcl_operator_create_callback(&P, ctx, n, n, multiply, G),
        LCL_OK);
    return P;
}

// ------------------------------------------------------------------ products

static void test_callback__products_are_those_of_the_function(void **state)
{
    struct lcl_csr A = test_random_csr(61, 4, 1);
    double *x = test_random_vector(61, 2), *y = test_vector(2 * 61);
    double *expected = test_vector(61);
    struct given G;
    given_init(&G, *state, &A);
    lcl_csr_multiply(&A, x, expected);
    for (int device = 0; device < 2; ++device) {
        lcl_operator *P = matrix_free(&G, *state, device);
        const struct lcl_operator_info *info = lcl_operator_info(P);
        assert_true(info->callback && info->nnz == 0);
        assert_int_equal(info->rows, 61);
        assert_int_equal(lcl_operator_apply(P, x, y), LCL_OK);
        test_expect_near("y", y, expected, 61, 1e-12);
        assert_int_equal(lcl_operator_apply_many(P, x, 61, y + 61, 61, 1),
                         LCL_OK);
        test_expect_same("Y", y + 61, y, 61);
        assert_misuse(lcl_operator_update(P, A.val));
        lcl_operator_destroy(&P);
    }
    lcl_operator_destroy(&G.op);
    test_csr_finish(&A);
    free(x);
    free(y);
    free(expected);
}

// ------------------------------------------------------------------ solves

static void test_callback__every_solver_takes_an_operator(void **state)
{
    struct lcl_csr A = test_laplacian(7, 6, 5);
    struct given G;
    given_init(&G, *state, &A);
    for (int device = 0; device < 2; ++device) {
        lcl_operator *P = matrix_free(&G, *state, device);
        for (int k = LCL_SOLVER_DEFAULT + 1; k < LCL_SOLVER_COUNT; ++k) {
            const enum lcl_solver_type solver = (enum lcl_solver_type)k;
            if (test_solver_works(*state, solver))
                test_expect_pair_solves(P, NULL, &A, solver);
        }
        lcl_operator_destroy(&P);
    }
    assert_true(G.calls > 0);
    lcl_operator_destroy(&G.op);
    test_csr_finish(&A);
}

static void test_callback__every_solver_takes_a_preconditioner(void **state)
{
    struct lcl_csr A = test_laplacian(7, 6, 5);
    struct given G;
    given_init(&G, *state, &A);
    lcl_precond *M;
    assert_int_equal(lcl_precond_create_callback(&M, G.op, divide, &G), LCL_OK);
    assert_int_equal(lcl_precond_info(M)->type, LCL_PRECOND_CALLBACK);
    assert_int_equal(lcl_precond_update(M), LCL_OK);
    for (int k = LCL_SOLVER_DEFAULT + 1; k < LCL_SOLVER_COUNT; ++k) {
        const enum lcl_solver_type solver = (enum lcl_solver_type)k;
        if (!lcl_solver_facts(solver)->no_precond)
            test_expect_pair_solves(G.op, M, &A, solver);
    }
    assert_true(G.calls > 0);
    lcl_precond_destroy(&M);
    lcl_operator_destroy(&G.op);
    test_csr_finish(&A);
}

// Factors of a matrix for a matrix-free operator; a function for an operator
// with factors of its own.
static void test_callback__functions_and_factors_go_together(void **state)
{
    const struct lcl_precond_params parts = {
        .partition = {.type = LCL_PARTITION_NATURAL, .rows = 50}};
    struct lcl_csr A = test_laplacian(7, 6, 5);
    struct given G;
    given_init(&G, *state, &A);
    lcl_operator *P = matrix_free(&G, *state, false);
    lcl_precond *M, *L;
    assert_int_equal(lcl_precond_create(&M, G.op, &parts), LCL_OK);
    assert_int_equal(lcl_precond_create_callback(&L, P, divide, &G), LCL_OK);
    for (int k = LCL_SOLVER_DEFAULT + 1; k < LCL_SOLVER_COUNT; ++k) {
        const enum lcl_solver_type solver = (enum lcl_solver_type)k;
        if (lcl_solver_facts(solver)->no_precond)
            continue;
        test_expect_pair_solves(P, M, &A, solver);
        test_expect_pair_solves(P, L, &A, solver);
        test_expect_pair_solves(G.op, L, &A, solver);
    }
    lcl_precond_destroy(&L);
    lcl_precond_destroy(&M);
    lcl_operator_destroy(&P);
    lcl_operator_destroy(&G.op);
    test_csr_finish(&A);
}

// A preconditioner on the device.
struct diagonal {
    lcl_precond *jacobi;
};

static enum lcl_status divide_on_device(void *user, cl_command_queue queue,
                                        const struct lcl_array_cl *x,
                                        const struct lcl_array_cl *y)
{
    struct diagonal *D = user;
    assert_non_null(queue);
    return lcl_precond_apply_cl(D->jacobi, x, y, NULL);
}

static void test_callback__preconditioners_may_stay_on_the_device(void **state)
{
    const struct lcl_precond_params jacobi = {.type = LCL_PRECOND_JACOBI};
    struct lcl_csr A = test_laplacian(7, 6, 5);
    struct given G;
    struct diagonal D;
    lcl_precond *M;
    given_init(&G, *state, &A);
    assert_int_equal(lcl_precond_create(&D.jacobi, G.op, &jacobi), LCL_OK);
    assert_int_equal(
        lcl_precond_create_callback_cl(&M, G.op, divide_on_device, &D), LCL_OK);
    test_expect_pair_solves(G.op, M, &A, LCL_SOLVER_BICGSTAB);
    test_expect_pair_solves(G.op, M, &A, LCL_SOLVER_CG);
    lcl_precond_destroy(&M);
    lcl_precond_destroy(&D.jacobi);
    lcl_operator_destroy(&G.op);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------ refused

static void test_callback__an_error_ends_the_solve(void **state)
{
    struct lcl_csr A = test_laplacian(7, 6, 5);
    double *b = test_right_side(&A), *x = test_vector(A.rows);
    struct given G;
    given_init(&G, *state, &A);
    lcl_operator *P = matrix_free(&G, *state, false);
    lcl_solver *S;
    assert_int_equal(lcl_solver_create(&S, P, NULL, NULL), LCL_OK);
    for (int at = 1; at < 6; ++at) {
        G.calls = 0;
        G.fails_at = at;
        assert_int_equal(lcl_solver_solve(S, b, x, NULL), LCL_EIO);
    }
    G.fails_at = 0;
    assert_int_equal(lcl_solver_solve(S, b, x, NULL), LCL_OK);
    lcl_solver_destroy(&S);
    lcl_operator_destroy(&P);
    lcl_operator_destroy(&G.op);
    test_csr_finish(&A);
    free(b);
    free(x);
}

static enum lcl_status give_nan(void *user, const double *x, double *y)
{
    struct given *G = user;
    for (int64_t i = 0; i < G->A->rows; ++i)
        y[i] = G->calls > 3 ? NAN : 2 * x[i] + (i > 0 ? x[i - 1] : 0);
    return count_call(G);
}

static void test_callback__nan_is_named(void **state)
{
    struct lcl_csr A = test_identity(40);
    struct given G = {.A = &A};
    double *b = test_random_vector(40, 1), *x = test_vector(40);
    struct lcl_report report;
    lcl_operator *P;
    lcl_solver *S;
    assert_int_equal(
        lcl_operator_create_callback(&P, *state, 40, 40, give_nan, &G), LCL_OK);
    assert_int_equal(lcl_solver_create(&S, P, NULL, NULL), LCL_OK);
    assert_int_equal(lcl_solver_solve(S, b, x, &report), LCL_NOT_FINITE);
    for (int i = 0; i < 40; ++i)
        assert_true(isfinite(x[i]));
    lcl_solver_destroy(&S);
    lcl_operator_destroy(&P);
    test_csr_finish(&A);
    free(b);
    free(x);
}

static void test_callback__wrong_arguments_are_refused(void **state)
{
    struct lcl_csr A = test_identity(4);
    struct given G = {.A = &A};
    lcl_operator *P;
    lcl_precond *M;
    assert_misuse(
        lcl_operator_create_callback(NULL, *state, 4, 4, multiply, &G));
    assert_misuse(lcl_operator_create_callback(&P, NULL, 4, 4, multiply, &G));
    assert_misuse(lcl_operator_create_callback(&P, *state, 4, 4, NULL, &G));
    assert_misuse(lcl_operator_create_callback_cl(&P, *state, 4, 4, NULL, &G));
    assert_int_equal(
        lcl_operator_create_callback(&P, *state, 0, 4, multiply, &G),
        LCL_EINVAL);
    assert_int_equal(
        lcl_operator_create_callback(&P, *state, 4, -1, multiply, &G),
        LCL_EINVAL);
    assert_int_equal(lcl_operator_create_callback(&P, *state, INT64_MAX,
                                                  INT64_MAX, multiply, &G),
                     LCL_ERANGE);
    assert_null(P);
    assert_int_equal(
        lcl_operator_create_callback(&P, *state, 4, 4, multiply, &G), LCL_OK);
    assert_misuse(lcl_precond_create_callback(NULL, P, divide, &G));
    assert_misuse(lcl_precond_create_callback(&M, NULL, divide, &G));
    assert_misuse(lcl_precond_create_callback(&M, P, NULL, &G));
    assert_int_equal(lcl_precond_create(&M, P, NULL), LCL_EUNSUPPORTED);
    assert_null(M);
    lcl_operator_destroy(&P);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_callback__products_are_those_of_the_function),
        cmocka_unit_test(test_callback__every_solver_takes_an_operator),
        cmocka_unit_test(test_callback__every_solver_takes_a_preconditioner),
        cmocka_unit_test(test_callback__functions_and_factors_go_together),
        cmocka_unit_test(test_callback__preconditioners_may_stay_on_the_device),
        cmocka_unit_test(test_callback__an_error_ends_the_solve),
        cmocka_unit_test(test_callback__nan_is_named),
        cmocka_unit_test(test_callback__wrong_arguments_are_refused),
    };
    return test_device_run(tests);
}
