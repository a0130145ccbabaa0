// SPDX-License-Identifier: BSD-3-Clause
// An operator A and a preconditioner M that do not belong together as usual: M
// is missing, was made from older values, from another matrix, or is not the
// only one of A.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"
#include "tests/support/solving.h"

#include <levelcl/published.h>

#include <stdlib.h>

static const enum lcl_solver_type solvers[] = {
    LCL_SOLVER_BICGSTAB, LCL_SOLVER_CG,           LCL_SOLVER_CG_PUBLISHED,
    LCL_SOLVER_IDR,      LCL_SOLVER_GMRES,        LCL_SOLVER_FGMRES,
    LCL_SOLVER_MINRES,   LCL_SOLVER_CG_PIPELINED,
};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

// In numberings of their own, as A numbers, in the caller's numbering.
static const struct lcl_precond_params methods[] = {
    {.type = LCL_PRECOND_ILDU0,
     .partition = {.type = LCL_PARTITION_NATURAL, .rows = 40}},
    {.type = LCL_PRECOND_IC0,
     .partition = {.type = LCL_PARTITION_NATURAL, .rows = 70},
     .coarse = LCL_COARSE_MULT},
    {.type = LCL_PRECOND_JACOBI},
    {.type = LCL_PRECOND_BLOCK_JACOBI, .block_jacobi = {.max_rows = 4}},
};
enum { METHODS = sizeof methods / sizeof *methods };

static lcl_operator *open_operator(lcl_context *ctx, const struct lcl_csr *A)
{
    const struct lcl_operator_params params = {.block_size = 1};
    lcl_operator *P;
    assert_int_equal(lcl_operator_create(&P, ctx, A, &params), LCL_OK);
    return P;
}

static lcl_precond *open_precond(lcl_operator *P,
                                 const struct lcl_precond_params *params)
{
    lcl_precond *M;
    assert_int_equal(lcl_precond_create(&M, P, params), LCL_OK);
    return M;
}

// M^-1 b, freed with free().
static double *applied(lcl_precond *M, int64_t n)
{
    double *b = test_random_vector(n, 3), *x = test_vector(n);
    assert_int_equal(lcl_precond_apply(M, b, x), LCL_OK);
    free(b);
    return x;
}

static void expect_same_apply(const char *what, lcl_precond *M,
                              lcl_precond *reference, int64_t n)
{
    double *x = applied(M, n), *expected = applied(reference, n);
    test_expect_same(what, x, expected, n);
    free(x);
    free(expected);
}

// A symmetric matrix with other values.
static void scale(struct lcl_csr *A, double by)
{
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            A->val[k] *= 1 + by * (double)((i + A->col_ind[k]) % 7);
}

// ------------------------------------------------------------------ without M

static void test_pairs__no_preconditioner_is_the_identity(void **state)
{
    const struct lcl_precond_params none = {.type = LCL_PRECOND_NONE};
    struct lcl_csr A = test_laplacian(7, 6, 5);
    lcl_operator *P = open_operator(*state, &A);
    lcl_precond *M = open_precond(P, &none);
    for (int k = 0; k < SOLVERS; ++k)
        if (test_solver_works(*state, solvers[k]))
            assert_int_equal(test_expect_pair_solves(P, NULL, &A, solvers[k]),
                             test_expect_pair_solves(P, M, &A, solvers[k]));
    lcl_precond_destroy(&M);
    lcl_operator_destroy(&P);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------ older M

static void test_pairs__a_preconditioner_may_keep_older_values(void **state)
{
    for (int m = 0; m < METHODS; ++m) {
        struct lcl_csr A = test_laplacian(8, 7, 6);
        lcl_operator *P = open_operator(*state, &A);
        lcl_precond *M = open_precond(P, &methods[m]);
        double *before = applied(M, A.rows);
        scale(&A, 0.03);
        assert_int_equal(lcl_operator_update(P, A.val), LCL_OK);
        double *after = applied(M, A.rows);
        test_expect_same("M^-1 b of older values", after, before, A.rows);
        test_expect_pair_solves(P, M, &A, LCL_SOLVER_BICGSTAB);
        assert_int_equal(lcl_precond_update(M), LCL_OK);
        lcl_operator *Q = open_operator(*state, &A);
        lcl_precond *fresh = open_precond(Q, &methods[m]);
        expect_same_apply("M^-1 b after the update", M, fresh, A.rows);
        test_expect_pair_solves(P, M, &A, LCL_SOLVER_CG);
        lcl_precond_destroy(&fresh);
        lcl_operator_destroy(&Q);
        lcl_precond_destroy(&M);
        lcl_operator_destroy(&P);
        test_csr_finish(&A);
        free(before);
        free(after);
    }
}

// CG needs a symmetric form of the coarse correction: one that is so for any A,
// and then a power of two as a factor of A or M changes no iteration.
static void test_pairs__cg_corrects_for_other_values(void **state)
{
    struct lcl_csr A = test_laplacian(8, 7, 6), B = test_laplacian(8, 7, 6);
    for (int64_t k = 0; k < B.nnz; ++k)
        B.val[k] *= 16;
    lcl_operator *P = open_operator(*state, &A);
    lcl_operator *Q = open_operator(*state, &B);
    lcl_precond *M = open_precond(P, &methods[1]);
    lcl_precond *other = open_precond(Q, &methods[1]);
    const int deflated = test_expect_pair_solves(P, M, &A, LCL_SOLVER_CG);
    const int iterations = test_expect_pair_solves(P, other, &A, LCL_SOLVER_CG);
    assert_int_equal(lcl_operator_update(P, B.val), LCL_OK);
    assert_int_equal(test_expect_pair_solves(P, M, &B, LCL_SOLVER_CG),
                     iterations);
    assert_int_equal(lcl_precond_update(M), LCL_OK);
    assert_int_equal(test_expect_pair_solves(P, M, &B, LCL_SOLVER_CG),
                     deflated);
    lcl_precond_destroy(&other);
    lcl_precond_destroy(&M);
    lcl_operator_destroy(&Q);
    lcl_operator_destroy(&P);
    test_csr_finish(&A);
    test_csr_finish(&B);
}

// ------------------------------------------------------------------ another M

// Both operators, or one of them, have a numbering of their own.
static void test_pairs__m_may_be_made_from_another_matrix(void **state)
{
    struct lcl_csr A = test_laplacian(8, 7, 6), B = test_laplacian(8, 7, 6);
    scale(&B, 0.02);
    for (int m = 0; m < METHODS; ++m)
        for (int own = 0; own < 2; ++own) {
            lcl_operator *P = open_operator(*state, &A);
            lcl_operator *Q = open_operator(*state, &B);
            lcl_precond *L = own ? open_precond(P, &methods[0]) : NULL;
            lcl_precond *M = open_precond(Q, &methods[m]);
            for (int k = 0; k < SOLVERS; ++k)
                if (solvers[k] != LCL_SOLVER_CG_PUBLISHED)
                    test_expect_pair_solves(P, M, &A, solvers[k]);
            lcl_precond_destroy(&M);
            lcl_precond_destroy(&L);
            lcl_operator_destroy(&Q);
            lcl_operator_destroy(&P);
        }
    test_csr_finish(&A);
    test_csr_finish(&B);
}

// ------------------------------------------------------------------ several M

static void expect_several(lcl_context *ctx, int first)
{
    struct lcl_csr A = test_laplacian(8, 7, 6);
    lcl_operator *P = open_operator(ctx, &A);
    lcl_precond *M[METHODS], *alone;
    for (int m = 0; m < METHODS; ++m)
        M[m] = open_precond(P, &methods[(first + m) % METHODS]);
    for (int pass = 0; pass < 2; ++pass) {
        for (int m = 0; m < METHODS; ++m) {
            lcl_operator *Q = open_operator(ctx, &A);
            alone = open_precond(Q, &methods[(first + m) % METHODS]);
            expect_same_apply("M^-1 b", M[m], alone, A.rows);
            test_expect_pair_solves(P, M[m], &A, LCL_SOLVER_GMRES);
            test_expect_pair_solves(P, M[m], &A, LCL_SOLVER_CG);
            lcl_precond_destroy(&alone);
            lcl_operator_destroy(&Q);
        }
        scale(&A, 0.05);
        assert_int_equal(lcl_operator_update(P, A.val), LCL_OK);
        for (int m = 0; m < METHODS; ++m)
            assert_int_equal(lcl_precond_update(M[m]), LCL_OK);
    }
    for (int m = 0; m < METHODS; ++m)
        lcl_precond_destroy(&M[m]);
    lcl_operator_destroy(&P);
    test_csr_finish(&A);
}

static void test_pairs__one_operator_has_several_preconditioners(void **state)
{
    expect_several(*state, 0);
    expect_several(*state, 2);
}

static void test_pairs__blocks_have_several_preconditioners(void **state)
{
    struct lcl_csr grid = test_laplacian(5, 4, 3);
    struct lcl_csr A = test_expand_blocks(&grid, 3);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            A.val[k] += A.col_ind[k] == i ? 40 : 0;
    const struct lcl_precond_params other = {
        .partition = {.type = LCL_PARTITION_NATURAL, .rows = 17}};
    lcl_operator *P, *Q;
    assert_int_equal(lcl_operator_create(&P, *state, &A, NULL), LCL_OK);
    assert_int_equal(lcl_operator_create(&Q, *state, &A, NULL), LCL_OK);
    assert_int_equal(lcl_operator_info(P)->block_size, 3);
    lcl_precond *first = open_precond(P, &methods[0]);
    lcl_precond *second = open_precond(P, &other);
    lcl_precond *alone = open_precond(Q, &other);
    expect_same_apply("M^-1 b", second, alone, A.rows);
    test_expect_pair_solves(P, second, &A, LCL_SOLVER_IDR);
    lcl_precond_destroy(&alone);
    lcl_precond_destroy(&second);
    lcl_precond_destroy(&first);
    lcl_operator_destroy(&Q);
    lcl_operator_destroy(&P);
    test_csr_finish(&A);
    test_csr_finish(&grid);
}

// ------------------------------------------------------------------ one by one

// A preconditioner finds the operator as if there had been none before it, also
// after one that could not be created.
static void expect_one_by_one(lcl_context *ctx, const struct lcl_csr *A,
                              int block_size)
{
    const struct lcl_operator_params params = {.block_size = block_size};
    const struct lcl_precond_params fails = {
        .partition = {.type = LCL_PARTITION_NATURAL, .rows = 30},
        .pivot = LCL_PIVOT_FAIL,
        .pivot_tol = 0.9999,
    };
    lcl_operator *P, *Q;
    lcl_precond *M, *alone;
    assert_int_equal(lcl_operator_create(&P, ctx, A, &params), LCL_OK);
    for (int m = 0; m < 2 * METHODS; ++m) {
        const struct lcl_precond_params *method = &methods[m % METHODS];
        if (block_size > 1 && method->type == LCL_PRECOND_IC0)
            continue;
        if (lcl_precond_create(&M, P, &fails) >= 0)
            fail_msg("pivots of almost a row's largest entry were found");
        M = open_precond(P, method);
        assert_int_equal(lcl_operator_create(&Q, ctx, A, &params), LCL_OK);
        alone = open_precond(Q, method);
        expect_same_apply("M^-1 b", M, alone, A->rows);
        assert_int_equal(lcl_operator_update(P, A->val), LCL_OK);
        assert_int_equal(lcl_precond_update(M), LCL_OK);
        expect_same_apply("M^-1 b after an update", M, alone, A->rows);
        test_expect_pair_solves(P, M, A, LCL_SOLVER_BICGSTAB);
        lcl_precond_destroy(&alone);
        lcl_operator_destroy(&Q);
        lcl_precond_destroy(&M);
    }
    lcl_operator_destroy(&P);
}

static void test_pairs__preconditioners_follow_one_another(void **state)
{
    struct lcl_csr A = test_laplacian(8, 7, 6);
    expect_one_by_one(*state, &A, 1);
    expect_one_by_one(*state, &A, 2); // padded with zeros
    test_csr_finish(&A);
}

// ------------------------------------------------------------------ refused

static void test_pairs__other_sizes_are_refused(void **state)
{
    struct lcl_csr A = test_identity(10), B = test_identity(11);
    const double dense[] = {1, 0, 0, 1};
    struct lcl_csr C = test_csr_from_dense(2, dense);
    lcl_operator *P = open_operator(*state, &A), *Q = open_operator(*state, &B);
    lcl_precond *M = open_precond(Q, &methods[2]), *none;
    lcl_solver *S;
    assert_int_equal(lcl_solver_create(&S, P, M, NULL), LCL_EINVAL);
    assert_null(S);
    C.cols = 5;
    lcl_operator *wide = open_operator(*state, &C);
    assert_int_equal(lcl_solver_create(&S, wide, NULL, NULL), LCL_EFORMAT);
    assert_int_equal(lcl_precond_create(&none, wide, NULL), LCL_EFORMAT);
    assert_null(none);
    lcl_operator_destroy(&wide);
    lcl_precond_destroy(&M);
    lcl_operator_destroy(&P);
    lcl_operator_destroy(&Q);
    test_csr_finish(&A);
    test_csr_finish(&B);
    test_csr_finish(&C);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs__no_preconditioner_is_the_identity),
        cmocka_unit_test(test_pairs__a_preconditioner_may_keep_older_values),
        cmocka_unit_test(test_pairs__cg_corrects_for_other_values),
        cmocka_unit_test(test_pairs__m_may_be_made_from_another_matrix),
        cmocka_unit_test(test_pairs__one_operator_has_several_preconditioners),
        cmocka_unit_test(test_pairs__blocks_have_several_preconditioners),
        cmocka_unit_test(test_pairs__preconditioners_follow_one_another),
        cmocka_unit_test(test_pairs__other_sizes_are_refused),
    };
    return test_device_run(tests);
}
