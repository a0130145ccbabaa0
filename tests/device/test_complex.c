// SPDX-License-Identifier: BSD-3-Clause
// Complex systems: solutions beside those of a dense complex LU.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/systems.h"

#include <levelcl/chain.h>
#include <levelcl/layout.h>

#include <complex.h>
#include <math.h>
#include <stdlib.h>

typedef double _Complex number;

enum { N = 60 };

enum kind { GENERAL, SYMMETRIC, HERMITIAN, KINDS };

// Entries by rows, of a symmetric or Hermitian matrix those of the lower
// triangle.
struct system {
    enum kind kind;
    int64_t row_ptr[N + 1];
    int32_t col[N * N];
    number val[N * N], dense[N][N], b[N], x[N];
    struct lcl_layout L;
};

static number draw(uint64_t *state)
{
    const double re = 2 * test_random(state) - 1;
    return re + I * (2 * test_random(state) - 1);
}

// A diagonal that exceeds the sum of the row, real and positive if Hermitian.
static number entry(enum kind kind, int i, int j, uint64_t *state)
{
    const number v = draw(state);
    if (i != j)
        return v;
    return kind == HERMITIAN ? 9 + creal(v) : 9 + 3 * I + v;
}

static number mirrored(enum kind kind, number v)
{
    return kind == HERMITIAN ? conj(v) : v;
}

// New values of the same pattern.
static void fill(struct system *S, uint64_t seed)
{
    uint64_t state = seed;
    for (int i = 0; i < N; ++i)
        for (int64_t k = S->row_ptr[i]; k < S->row_ptr[i + 1]; ++k) {
            const int j = S->col[k];
            S->dense[i][j] = S->val[k] = entry(S->kind, i, j, &state);
            if (S->kind != GENERAL)
                S->dense[j][i] = mirrored(S->kind, S->val[k]);
        }
    for (int i = 0; i < N; ++i)
        S->b[i] = draw(&state);
}

// Five entries a row, of which three are on or below the diagonal.
static struct system *create(enum kind kind)
{
    static const int offset[] = {-17, -1, 0, 1, 17};
    struct system *S = calloc(1, sizeof *S);
    assert_non_null(S);
    S->kind = kind;
    int64_t k = 0;
    for (int i = 0; i < N; ++i) {
        for (int o = 0; o < (kind == GENERAL ? 5 : 3); ++o)
            if (i + offset[o] >= 0 && i + offset[o] < N)
                S->col[k++] = (int32_t)(i + offset[o]);
        S->row_ptr[i + 1] = k;
    }
    S->L = (struct lcl_layout){
        .triangle = kind == GENERAL ? LCL_TRIANGLE_BOTH : LCL_TRIANGLE_LOWER,
        .rows = N,
        .nnz = k,
        .row_ptr = S->row_ptr,
        .col = S->col,
        .val = (const double *)S->val,
        .is_complex = true,
        .hermitian = kind == HERMITIAN,
    };
    fill(S, (uint64_t)kind + 1);
    return S;
}

// x = A^-1 b by LU factors without pivots: the diagonal dominates.
static void solve_dense(const struct system *S, number *x)
{
    number A[N][N];
    for (int i = 0; i < N; ++i) {
        x[i] = S->b[i];
        for (int j = 0; j < N; ++j)
            A[i][j] = S->dense[i][j];
    }
    for (int k = 0; k < N; ++k)
        for (int i = k + 1; i < N; ++i) {
            const number f = A[i][k] / A[k][k];
            for (int j = k; j < N; ++j)
                A[i][j] -= f * A[k][j];
            x[i] -= f * x[k];
        }
    for (int i = N - 1; i >= 0; --i) {
        for (int j = i + 1; j < N; ++j)
            x[i] -= A[i][j] * x[j];
        x[i] /= A[i][i];
    }
}

static void expect_solution(const struct system *S)
{
    number expected[N];
    solve_dense(S, expected);
    test_expect_near("x", (const double *)S->x, (const double *)expected, 2 * N,
                     1e-9);
}

static void expect_chain(lcl_chain *C, struct system *S)
{
    struct lcl_report report = LCL_REPORT_INIT;
    for (int i = 0; i < N; ++i)
        S->x[i] = 0;
    assert_int_equal(
        lcl_chain_solve(C, (const double *)S->b, (double *)S->x, &report),
        LCL_OK);
    assert_true(report.true_residual <= 1e-12);
    expect_solution(S);
}

// ------------------------------------------------------------------- chains

static void test_complex__chains_solve_all_kinds(void **state)
{
    struct lcl_solver_params params = {.rtol = 1e-12};
    for (int kind = 0; kind < KINDS; ++kind) {
        struct system *S = create((enum kind)kind);
        lcl_operator *op;
        lcl_chain *C;
        assert_int_equal(lcl_operator_create_layout(&op, *state, &S->L, NULL),
                         LCL_OK);
        assert_true(lcl_operator_info(op)->is_complex);
        assert_int_equal(lcl_operator_info(op)->rows, 2 * N);
        assert_int_equal(lcl_operator_info(op)->block_size, 2);
        assert_int_equal(lcl_chain_create(&C, op, NULL, &params), LCL_OK);
        expect_chain(C, S);
        fill(S, (uint64_t)kind + 50);
        assert_int_equal(lcl_operator_update(op, (const double *)S->val),
                         LCL_OK);
        assert_int_equal(lcl_chain_update(C), LCL_OK);
        expect_chain(C, S);
        lcl_chain_destroy(&C);
        lcl_operator_destroy(&op);
        free(S);
    }
}

// A Hermitian matrix is symmetric in real form, and definite.
static void test_complex__conjugate_gradients_take_hermitian_matrices(
    void **state)
{
    struct system *S = create(HERMITIAN);
    struct lcl_precond_params precond = LCL_PRECOND_PARAMS_INIT;
    struct lcl_solver_params solver = LCL_SOLVER_PARAMS_INIT;
    lcl_operator *op;
    assert_int_equal(lcl_operator_create_layout(&op, *state, &S->L, NULL),
                     LCL_OK);
    assert_int_equal(lcl_choose_method(op, &precond, &solver), LCL_OK);
    assert_int_equal(solver.type, LCL_SOLVER_CG);
    lcl_operator_destroy(&op);
    free(S);
}

// ------------------------------------------------------------------- methods

static void expect_method(lcl_operator *op, struct system *S,
                          enum lcl_precond_type type,
                          enum lcl_solver_type solver)
{
    const struct lcl_precond_params how = {.type = type, .partition.rows = 16};
    const struct lcl_solver_params params = {.type = solver, .rtol = 1e-12};
    struct lcl_report report = LCL_REPORT_INIT;
    lcl_precond *M;
    lcl_solver *K;
    assert_int_equal(lcl_precond_create(&M, op, &how), LCL_OK);
    assert_int_equal(lcl_solver_create(&K, op, M, &params), LCL_OK);
    for (int i = 0; i < N; ++i)
        S->x[i] = 0;
    assert_int_equal(
        lcl_solver_solve(K, (const double *)S->b, (double *)S->x, &report),
        LCL_OK);
    expect_solution(S);
    lcl_solver_destroy(&K);
    lcl_precond_destroy(&M);
}

static void test_complex__methods_solve_general_systems(void **state)
{
    static const enum lcl_solver_type solvers[] = {
        LCL_SOLVER_GMRES, LCL_SOLVER_BICGSTAB, LCL_SOLVER_IDR};
    static const enum lcl_precond_type preconds[] = {
        LCL_PRECOND_NONE, LCL_PRECOND_JACOBI, LCL_PRECOND_ILDU0};
    struct system *S = create(GENERAL);
    lcl_operator *op;
    assert_int_equal(lcl_operator_create_layout(&op, *state, &S->L, NULL),
                     LCL_OK);
    for (int s = 0; s < 3; ++s)
        for (int p = 0; p < 3; ++p)
            expect_method(op, S, preconds[p], solvers[s]);
    lcl_operator_destroy(&op);
    free(S);
}

// Iterations of BiCGSTAB for A, which is in real form.
static int iterations(lcl_context *ctx, const struct lcl_csr *A, bool declared)
{
    const struct lcl_operator_params params = {.is_complex = declared};
    const struct lcl_precond_params how = {.type = LCL_PRECOND_ILDU0};
    const struct lcl_solver_params bicgstab = {.type = LCL_SOLVER_BICGSTAB};
    struct lcl_report report = LCL_REPORT_INIT;
    double *b = test_random_vector(A->rows, 3), *x = test_vector(A->rows);
    lcl_operator *op;
    lcl_precond *M;
    lcl_solver *K;
    assert_int_equal(lcl_operator_create(&op, ctx, A, &params), LCL_OK);
    assert_int_equal(lcl_operator_info(op)->is_complex, declared);
    assert_int_equal(lcl_precond_create(&M, op, &how), LCL_OK);
    assert_int_equal(lcl_solver_create(&K, op, M, &bicgstab), LCL_OK);
    assert_int_equal(lcl_solver_solve(K, b, x, &report), LCL_OK);
    lcl_solver_destroy(&K);
    lcl_precond_destroy(&M);
    lcl_operator_destroy(&op);
    free(b);
    free(x);
    return report.iterations;
}

static void test_complex__inner_products_of_bicgstab_are_complex(void **state)
{
    struct lcl_csr A = test_problem("helmholtz:10,4");
    const int complex_ones = iterations(*state, &A, true);
    const int real_ones = iterations(*state, &A, false);
    assert_in_range(complex_ones, 5, 40);
    assert_true(3 * complex_ones < 2 * real_ones);
    test_csr_finish(&A);
}

static void test_complex__other_matrices_cannot_be_declared(void **state)
{
    const struct lcl_operator_params params = {.is_complex = true};
    struct lcl_csr real = test_laplacian(4, 4, 1), odd = test_identity(3);
    lcl_operator *op;
    assert_int_equal(lcl_operator_create(&op, *state, &real, &params),
                     LCL_EFORMAT);
    assert_int_equal(lcl_operator_create(&op, *state, &odd, &params),
                     LCL_EFORMAT);
    test_csr_finish(&real);
    test_csr_finish(&odd);
}

// Block ILDU(0) of a matrix without fill is a direct solver.
static void test_complex__factors_are_complex(void **state)
{
    struct system *S = create(GENERAL);
    const struct lcl_precond_params how = {.type = LCL_PRECOND_ILDU0,
                                           .partition.rows = 2 * N,
                                           .coarse = LCL_COARSE_NONE};
    lcl_operator *op;
    lcl_precond *M;
    for (int i = 0; i < N; ++i)
        for (int j = 0; j < N; ++j)
            if (abs(i - j) > 1)
                S->dense[i][j] = 0;
    for (int i = 0; i < N; ++i)
        for (int64_t k = S->row_ptr[i]; k < S->row_ptr[i + 1]; ++k)
            S->val[k] = S->dense[i][S->col[k]];
    assert_int_equal(lcl_operator_create_layout(&op, *state, &S->L, NULL),
                     LCL_OK);
    assert_int_equal(lcl_precond_create(&M, op, &how), LCL_OK);
    assert_int_equal(lcl_precond_apply(M, (const double *)S->b, (double *)S->x),
                     LCL_OK);
    assert_int_equal(lcl_precond_info(M)->factors.parts, 1);
    number expected[N];
    solve_dense(S, expected);
    test_expect_near("x", (const double *)S->x, (const double *)expected, 2 * N,
                     1e-5);
    lcl_precond_destroy(&M);
    lcl_operator_destroy(&op);
    free(S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_complex__chains_solve_all_kinds),
        cmocka_unit_test(
            test_complex__conjugate_gradients_take_hermitian_matrices),
        cmocka_unit_test(test_complex__methods_solve_general_systems),
        cmocka_unit_test(test_complex__inner_products_of_bicgstab_are_complex),
        cmocka_unit_test(test_complex__other_matrices_cannot_be_declared),
        cmocka_unit_test(test_complex__factors_are_complex),
    };
    return test_device_run(tests);
}
