// SPDX-License-Identifier: BSD-3-Clause
// Singular systems whose null space the caller gives.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"
#include "tests/support/solver_checks.h"

#include "lib/operator/operator.h"

#include <levelcl/kron.h>
#include <levelcl/published.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double rtol = 1e-9;
static const struct lcl_nullspace constants = LCL_NULLSPACE_INIT;

// ------------------------------------------------------------------ systems

// The Laplacian without boundary values: rows add up to 0.
static struct lcl_csr neumann(int64_t nx, int64_t ny, int64_t nz)
{
    struct lcl_csr A = test_laplacian(nx, ny, nz);
    for (int64_t i = 0; i < A.rows; ++i) {
        const int64_t first = A.row_ptr[i], end = A.row_ptr[i + 1];
        for (int64_t k = first; k < end; ++k)
            if (A.col_ind[k] == i)
                A.val[k] = (double)(end - first - 1);
    }
    return A;
}

// Row i times 1 + i % 7: the left null vector has the reciprocals.
static struct lcl_csr scaled_rows(struct lcl_csr A)
{
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            A.val[k] *= (double)(1 + i % 7);
    return A;
}

static struct lcl_dense reciprocals(int64_t n)
{
    struct lcl_dense X = {n, 1, test_vector(n)};
    for (int64_t i = 0; i < n; ++i)
        X.val[i] = 1 / (double)(1 + i % 7);
    return X;
}

// Ones in the first `split` rows, and in all rows: both null vectors of two
// components, not orthogonal.
static struct lcl_dense two_vectors(int64_t n, int64_t split)
{
    struct lcl_dense X = {n, 2, test_vector(2 * n)};
    for (int64_t i = 0; i < n; ++i) {
        X.val[i] = i < split;
        X.val[n + i] = 1;
    }
    return X;
}

// A (x) I with blocks of 2: a null vector for each of the two unknowns.
static struct lcl_csr doubled(const struct lcl_csr *A)
{
    const int64_t n = 2 * A->rows;
    double *dense = test_vector(n * n);
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            for (int64_t c = 0; c < 2; ++c)
                dense[(2 * i + c) * n + 2 * A->col_ind[k] + c] = A->val[k];
    struct lcl_csr B = test_csr_from_dense(n, dense);
    free(dense);
    return B;
}

static struct lcl_dense by_unknowns(int64_t n)
{
    struct lcl_dense X = {n, 2, test_vector(2 * n)};
    for (int64_t i = 0; i < n; ++i)
        X.val[(i % 2) * n + i] = 3;
    return X;
}

// ------------------------------------------------------------------ solves

static double dot(const double *a, const double *b, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; ++i)
        sum += a[i] * b[i];
    return sum;
}

// b without its component along the columns of X, which are orthogonal once
// those before are taken from them; its norm is returned.
static double take(double *b, const struct lcl_dense *X)
{
    const int64_t n = X->rows;
    double *q = test_vector(n * X->cols), removed = 0;
    for (int64_t j = 0; j < X->cols; ++j) {
        double *v = q + j * n;
        memcpy(v, X->val + j * n, (size_t)n * sizeof *v);
        for (int64_t k = 0; k < j; ++k) {
            const double c = dot(q + k * n, v, n);
            for (int64_t i = 0; i < n; ++i)
                v[i] -= c * q[k * n + i];
        }
        const double norm = sqrt(dot(v, v, n));
        for (int64_t i = 0; i < n; ++i)
            v[i] /= norm;
        const double c = dot(v, b, n);
        for (int64_t i = 0; i < n; ++i)
            b[i] -= c * v[i];
        removed = hypot(removed, c);
    }
    free(q);
    return removed;
}

static struct lcl_dense ones(int64_t n)
{
    struct lcl_dense X = {n, 1, test_vector(n)};
    for (int64_t i = 0; i < n; ++i)
        X.val[i] = 1;
    return X;
}

// Compares a report, and x from the start x0, with what the host finds for
// A x = b; `left` and `right` are spans of null vectors.
static void expect_solution(const struct lcl_csr *A, const double *b,
                            const double *x0, const double *x,
                            const struct lcl_report *report,
                            const struct lcl_dense *left,
                            const struct lcl_dense *right)
{
    const int64_t n = A->rows;
    double *reached = test_vector(n), *moved = test_vector(n);
    memcpy(reached, b, (size_t)n * sizeof *b);
    const double removed = take(reached, left);
    const double scale = sqrt(dot(b, b, n));
    assert_true(fabs(report->norm_removed - removed) <= 1e-12 * scale);
    assert_true(fabs(report->norm_b - sqrt(dot(reached, reached, n))) <=
                1e-12 * scale);
    assert_true(report->true_residual <= rtol);
    assert_true(test_residual(A, reached, x) <= rtol * (1 + 1e-3));
    for (int64_t i = 0; i < n; ++i)
        moved[i] = x[i] - x0[i];
    const double size = sqrt(dot(moved, moved, n));
    assert_true(take(moved, right) <= 1e-12 * (size + sqrt(dot(x0, x0, n))));
    free(reached);
    free(moved);
}

struct problem {
    struct lcl_csr A;
    struct lcl_dense right, left; // cols 0: the same
    bool ones;                    // the library makes them
};

static void problem_finish(struct problem *p)
{
    test_csr_finish(&p->A);
    free(p->right.val);
    free(p->left.val);
}

static const struct lcl_dense *left_of(const struct problem *p)
{
    return p->left.cols > 0 ? &p->left : &p->right;
}

static lcl_operator *operator_of(lcl_context *ctx, const struct problem *p)
{
    const struct lcl_nullspace N = {.right = p->ones ? NULL : &p->right,
                                    .left = p->left.cols ? &p->left : NULL};
    lcl_operator *op;
    assert_int_equal(lcl_operator_create(&op, ctx, &p->A, NULL), LCL_OK);
    assert_int_equal(lcl_operator_set_nullspace(op, &N), LCL_OK);
    return op;
}

// A random b, inconsistent and then consistent, from a random start.
static void expect_solved(lcl_context *ctx, const struct problem *p,
                          const struct lcl_precond_params *precond,
                          enum lcl_solver_type type)
{
    const struct lcl_solver_params params = {.type = type, .rtol = rtol};
    const int64_t n = p->A.rows;
    const size_t bytes = (size_t)n * sizeof(double);
    double *b = test_random_vector(n, 5), *x0 = test_random_vector(n, 6);
    double *x = test_vector(n);
    struct lcl_report report = LCL_REPORT_INIT;
    lcl_operator *op = operator_of(ctx, p);
    lcl_precond *M = NULL;
    lcl_solver *S;
    print_message("%s, %s\n", lcl_solver_name(type),
                  lcl_precond_name(precond->type));
    assert_true(lcl_precond_create(&M, op, precond) >= 0);
    assert_int_equal(lcl_solver_create(&S, op, M, &params), LCL_OK);
    for (int consistent = 0; consistent < 2; ++consistent) {
        memcpy(x, x0, bytes);
        assert_int_equal(lcl_solver_solve(S, b, x, &report), LCL_OK);
        expect_solution(&p->A, b, x0, x, &report, left_of(p), &p->right);
        take(b, left_of(p));
        take(b, left_of(p));
    }
    lcl_solver_destroy(&S);
    lcl_precond_destroy(&M);
    lcl_operator_destroy(&op);
    free(b);
    free(x0);
    free(x);
}

static const struct lcl_precond_params preconds[] = {
    {.type = LCL_PRECOND_NONE},
    {.type = LCL_PRECOND_JACOBI},
    {.type = LCL_PRECOND_IC0, TEST_PARTS},
    {.type = LCL_PRECOND_IC0, .coarse = LCL_COARSE_MULT, TEST_PARTS},
    {.type = LCL_PRECOND_AMG},
};
static const struct lcl_precond_params ildu0 = {.type = LCL_PRECOND_ILDU0,
                                                TEST_PARTS};
enum { PRECONDS = sizeof preconds / sizeof *preconds };

static struct problem with_ones(struct lcl_csr A)
{
    return (struct problem){.A = A, .right = ones(A.rows), .ones = true};
}

static void test_nullspace__symmetric_methods_solve(void **state)
{
    static const enum lcl_solver_type types[] = {
        LCL_SOLVER_CG, LCL_SOLVER_CG_PIPELINED, LCL_SOLVER_MINRES};
    struct problem p = with_ones(neumann(12, 9, 7));
    for (size_t k = 0; k < sizeof types / sizeof *types; ++k)
        for (int m = 0; m < PRECONDS; ++m)
            expect_solved(*state, &p, &preconds[m], types[k]);
    if (test_solver_works(*state, LCL_SOLVER_CG_PUBLISHED))
        expect_solved(*state, &p, &preconds[0], LCL_SOLVER_CG_PUBLISHED);
    problem_finish(&p);
}

static void test_nullspace__other_methods_solve(void **state)
{
    static const enum lcl_solver_type types[] = {
        LCL_SOLVER_BICGSTAB, LCL_SOLVER_IDR, LCL_SOLVER_GMRES,
        LCL_SOLVER_FGMRES};
    struct problem p = with_ones(neumann(30, 25, 1));
    for (size_t k = 0; k < sizeof types / sizeof *types; ++k) {
        expect_solved(*state, &p, &preconds[0], types[k]);
        expect_solved(*state, &p, &ildu0, types[k]);
    }
    problem_finish(&p);
}

// Both sides differ; without the left vector the call is refused.
static void test_nullspace__unsymmetric_matrices_have_two(void **state)
{
    struct problem p = with_ones(scaled_rows(neumann(12, 9, 7)));
    lcl_operator *op;
    assert_int_equal(lcl_operator_create(&op, *state, &p.A, NULL), LCL_OK);
    assert_int_equal(lcl_operator_set_nullspace(op, &constants), LCL_EINVAL);
    lcl_operator_destroy(&op);
    p.left = reciprocals(p.A.rows);
    expect_solved(*state, &p, &preconds[0], LCL_SOLVER_BICGSTAB);
    expect_solved(*state, &p, &ildu0, LCL_SOLVER_GMRES);
    problem_finish(&p);
}

// Both components have a null vector.
static void test_nullspace__two_components_have_two_vectors(void **state)
{
    struct lcl_csr one = neumann(30, 5, 1), other = neumann(12, 9, 7);
    const int64_t split = one.rows;
    struct problem p = {.A = test_joined(one, other)};
    p.right = two_vectors(p.A.rows, split);
    for (int m = 0; m < PRECONDS; ++m)
        expect_solved(*state, &p, &preconds[m], LCL_SOLVER_CG);
    expect_solved(*state, &p, &preconds[4], LCL_SOLVER_MINRES);
    expect_solved(*state, &p, &ildu0, LCL_SOLVER_BICGSTAB);
    problem_finish(&p);
}

static void test_nullspace__blocks_have_a_vector_for_each_unknown(void **state)
{
    struct lcl_csr A = neumann(9, 8, 7);
    struct problem p = {.A = doubled(&A)};
    p.right = by_unknowns(p.A.rows);
    expect_solved(*state, &p, &ildu0, LCL_SOLVER_BICGSTAB);
    expect_solved(*state, &p, &preconds[4], LCL_SOLVER_CG);
    test_csr_finish(&A);
    problem_finish(&p);
}

// One subdomain is the whole matrix: its last pivot is 0 in exact arithmetic.
static void test_nullspace__complete_factors_are_repaired(void **state)
{
    struct problem p = with_ones(neumann(100, 1, 1));
    const struct lcl_precond_params ic0 = preconds[2];
    expect_solved(*state, &p, &ic0, LCL_SOLVER_CG);
    expect_solved(*state, &p, &ildu0, LCL_SOLVER_BICGSTAB);
    problem_finish(&p);
}

// A right-hand side in the null space: nothing is left to solve.
static void test_nullspace__constant_right_hand_side_is_removed(void **state)
{
    struct problem p = with_ones(neumann(12, 9, 7));
    lcl_operator *op = operator_of(*state, &p);
    struct lcl_report report = LCL_REPORT_INIT;
    const int64_t n = p.A.rows;
    double *b = test_vector(n), *x = test_vector(n);
    lcl_solver *S;
    for (int64_t i = 0; i < n; ++i)
        b[i] = 0.1, x[i] = (double)(i % 3);
    assert_int_equal(lcl_solver_create(&S, op, NULL, NULL), LCL_OK);
    assert_int_equal(lcl_solver_solve(S, b, x, &report), LCL_OK);
    assert_int_equal(report.stop, LCL_STOP_ZERO_RHS);
    assert_true(fabs(report.norm_removed - 0.1 * sqrt((double)n)) < 1e-12);
    for (int64_t i = 0; i < n; ++i)
        assert_true(fabs(x[i] - 1) < 1e-12);
    lcl_solver_destroy(&S);
    lcl_operator_destroy(&op);
    free(b);
    free(x);
    problem_finish(&p);
}

// ------------------------------------------------------------------ others

static enum lcl_status second_difference(void *user, const double *x, double *y)
{
    const int64_t n = *(const int64_t *)user;
    for (int64_t i = 0; i < n; ++i)
        y[i] =
            (i > 0 ? x[i] - x[i - 1] : 0) + (i + 1 < n ? x[i] - x[i + 1] : 0);
    return LCL_OK;
}

static void test_nullspace__callbacks_are_solved(void **state)
{
    static const struct lcl_solver_params params = {.type = LCL_SOLVER_CG,
                                                    .rtol = 1e-9};
    struct problem p = with_ones(neumann(90, 1, 1));
    struct lcl_report report = LCL_REPORT_INIT;
    double *b = test_random_vector(90, 5), *x = test_vector(90);
    double *x0 = test_vector(90);
    lcl_operator *op;
    lcl_solver *S;
    assert_int_equal(lcl_operator_create_callback(&op, *state, 90, 90,
                                                  second_difference, &p.A.rows),
                     LCL_OK);
    assert_int_equal(lcl_operator_set_nullspace(op, &constants), LCL_OK);
    assert_int_equal(lcl_solver_create(&S, op, NULL, &params), LCL_OK);
    assert_int_equal(lcl_solver_solve(S, b, x, &report), LCL_OK);
    expect_solution(&p.A, b, x0, x, &report, &p.right, &p.right);
    lcl_solver_destroy(&S);
    lcl_operator_destroy(&op);
    free(b);
    free(x);
    free(x0);
    problem_finish(&p);
}

// With A = 1 and B = 1 the system is M + tau L.
static void test_nullspace__kronecker_systems_are_solved(void **state)
{
    static const struct lcl_solver_params params = {.rtol = 1e-9};
    struct problem p = with_ones(neumann(9, 8, 7));
    struct lcl_csr L = neumann(9, 8, 7);
    struct lcl_bsr M_blocks, L_blocks;
    const double one = 1;
    const int64_t n = p.A.rows;
    double *b = test_random_vector(n, 5), *x = test_vector(n);
    double *x0 = test_vector(n);
    struct lcl_report report = LCL_REPORT_INIT;
    lcl_operator *op;
    lcl_solver *S;
    for (int64_t k = 0; k < p.A.nnz; ++k)
        p.A.val[k] *= 3; // 1 of M and tau = 2 of L
    assert_int_equal(lcl_bsr_from_csr(&M_blocks, &L, 1, NULL), LCL_OK);
    assert_int_equal(lcl_bsr_from_csr(&L_blocks, &L, 1, NULL), LCL_OK);
    const struct lcl_kron K = {.stages = 1,
                               .tau = 2,
                               .A = &one,
                               .B = &one,
                               .M = &M_blocks,
                               .L = &L_blocks};
    assert_int_equal(lcl_operator_create_kron(&op, *state, &K, NULL), LCL_OK);
    assert_int_equal(lcl_operator_set_nullspace(op, &constants), LCL_OK);
    assert_int_equal(lcl_solver_create(&S, op, NULL, &params), LCL_OK);
    assert_int_equal(lcl_solver_solve(S, b, x, &report), LCL_OK);
    expect_solution(&p.A, b, x0, x, &report, &p.right, &p.right);
    lcl_solver_destroy(&S);
    lcl_operator_destroy(&op);
    lcl_bsr_finish(&M_blocks);
    lcl_bsr_finish(&L_blocks);
    free(b);
    free(x);
    free(x0);
    test_csr_finish(&L);
    problem_finish(&p);
}

enum { RANKS = 3 };

// Vectors in the order of the caller, which is not that of the ranks.
static void test_nullspace__several_devices_solve(void **state)
{
    static const struct lcl_precond_params amg = {.type = LCL_PRECOND_AMG};
    static const struct lcl_solver_params types[] = {
        {.type = LCL_SOLVER_CG, .rtol = 1e-9},
        {.type = LCL_SOLVER_CG_PIPELINED, .rtol = 1e-9},
        {.type = LCL_SOLVER_GMRES, .rtol = 1e-9}};
    struct problem p = {.A = test_joined(neumann(30, 5, 1), neumann(9, 8, 7))};
    const int64_t n = p.A.rows;
    p.right = two_vectors(n, 150);
    const struct lcl_nullspace N = {.right = &p.right};
    double *b = test_random_vector(n, 5), *x0 = test_random_vector(n, 6);
    double *x = test_vector(n);
    lcl_context *ctx[RANKS];
    lcl_operator *op;
    (void)state;
    for (int r = 0; r < RANKS; ++r)
        ctx[r] = test_context(r);
    assert_int_equal(
        lcl_operator_create_distributed(&op, ctx, RANKS, &p.A, NULL), LCL_OK);
    assert_int_equal(lcl_operator_set_nullspace(op, &N), LCL_OK);
    for (int k = 0; k < 3; ++k) {
        struct lcl_report report = LCL_REPORT_INIT;
        lcl_precond *M;
        lcl_solver *S;
        memcpy(x, x0, (size_t)n * sizeof *x);
        assert_int_equal(lcl_precond_create(&M, op, &amg), LCL_OK);
        assert_int_equal(lcl_solver_create(&S, op, M, &types[k]), LCL_OK);
        assert_int_equal(lcl_solver_solve(S, b, x, &report), LCL_OK);
        expect_solution(&p.A, b, x0, x, &report, &p.right, &p.right);
        lcl_solver_destroy(&S);
        lcl_precond_destroy(&M);
    }
    lcl_operator_destroy(&op);
    free(b);
    free(x);
    free(x0);
    problem_finish(&p);
}

// ------------------------------------------------------------------ refusals

static void test_nullspace__bad_vectors_are_refused(void **state)
{
    struct lcl_csr A = neumann(9, 1, 1), wide = test_stretched_csr(4, 9, 1);
    double *v = test_vector(27);
    for (int k = 0; k < 18; ++k)
        v[k] = k < 9 ? 1 : k;
    v[18] = NAN;
    const struct lcl_dense good = {9, 1, v}, shorter = {8, 1, v},
                           none = {9, 0, v}, many = {9, 9, v},
                           missing = {9, 1, NULL}, other = {9, 1, v + 9},
                           nan = {9, 1, v + 18}, zero = {9, 1, v + 18},
                           twice = {9, 2, v};
    const struct lcl_nullspace bad[] = {
        {.right = &shorter},
        {.right = &none},
        {.right = &many},
        {.right = &missing},
        {.right = &other},
        {.right = &nan},
        {.right = &good, .left = &twice},
        {.left = &other},
    };
    lcl_operator *op, *rectangular;
    assert_int_equal(lcl_operator_create(&op, *state, &A, NULL), LCL_OK);
    assert_int_equal(lcl_operator_create(&rectangular, *state, &wide, NULL),
                     LCL_OK);
    assert_int_equal(lcl_operator_set_nullspace(op, &constants), LCL_OK);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        assert_int_equal(lcl_operator_set_nullspace(op, &bad[k]), LCL_EINVAL);
        assert_int_equal(op->null.count, 1);
    }
    v[18] = 0;
    memcpy(v + 9, v, 9 * sizeof *v);
    assert_int_equal(
        lcl_operator_set_nullspace(op, &(struct lcl_nullspace){.right = &zero}),
        LCL_EINVAL);
    assert_int_equal(lcl_operator_set_nullspace(
                         op, &(struct lcl_nullspace){.right = &twice}),
                     LCL_EINVAL);
    assert_int_equal(lcl_operator_set_nullspace(rectangular, &constants),
                     LCL_EINVAL);
    assert_misuse(lcl_operator_set_nullspace(NULL, &constants));
    assert_int_equal(lcl_operator_set_nullspace(op, NULL), LCL_OK);
    assert_int_equal(op->null.count, 0);
    lcl_operator_destroy(&op);
    lcl_operator_destroy(&rectangular);
    free(v);
    test_csr_finish(&A);
    test_csr_finish(&wide);
}

// A regular matrix has no null vector, but takes one that is not checked.
static void test_nullspace__regular_matrices_are_refused(void **state)
{
    struct lcl_csr A = test_laplacian(9, 8, 7);
    lcl_operator *op;
    assert_int_equal(lcl_operator_create(&op, *state, &A, NULL), LCL_OK);
    assert_int_equal(lcl_operator_set_nullspace(op, &constants), LCL_EINVAL);
    assert_int_equal(lcl_operator_set_nullspace(
                         op, &(struct lcl_nullspace){.unchecked = true}),
                     LCL_OK);
    lcl_operator_destroy(&op);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nullspace__symmetric_methods_solve),
        cmocka_unit_test(test_nullspace__other_methods_solve),
        cmocka_unit_test(test_nullspace__unsymmetric_matrices_have_two),
        cmocka_unit_test(test_nullspace__two_components_have_two_vectors),
        cmocka_unit_test(test_nullspace__blocks_have_a_vector_for_each_unknown),
        cmocka_unit_test(test_nullspace__complete_factors_are_repaired),
        cmocka_unit_test(test_nullspace__constant_right_hand_side_is_removed),
        cmocka_unit_test(test_nullspace__callbacks_are_solved),
        cmocka_unit_test(test_nullspace__kronecker_systems_are_solved),
        cmocka_unit_test(test_nullspace__several_devices_solve),
        cmocka_unit_test(test_nullspace__bad_vectors_are_refused),
        cmocka_unit_test(test_nullspace__regular_matrices_are_refused),
    };
    return test_device_run(tests);
}
