// SPDX-License-Identifier: BSD-3-Clause
// LCL_COMMUNICATION_REPRODUCIBLE: the same bits on any number of devices. The
// contexts share the default device.
#include "tests/support/device.h"
#include "tests/support/krons.h"
#include "tests/support/matrices.h"
#include "tests/support/solving.h"

#include <levelcl/published.h>

#include <stdlib.h>
#include <string.h>

enum { DEVICES = 4, SIDE = 16, HISTORY = 200 };

static const struct lcl_operator_params same_bits = {
    .communication = LCL_COMMUNICATION_REPRODUCIBLE};

// A matrix, or a Kronecker system with its explicit matrix.
struct system {
    const struct lcl_csr *A;
    const struct lcl_kron *K;
    struct lcl_operator_params params;
    bool singular; // for vectors of equal entries
    bool tiny;     // has rows with tiny entries
};

struct team {
    lcl_operator *op;
};

static void open_team(struct team *t, const struct system *s, int count)
{
    lcl_context *contexts[DEVICES];
    for (int k = 0; k < count; ++k)
        contexts[k] = test_context(k);
    assert_int_equal(s->K ? lcl_operator_create_kron_distributed(
                                &t->op, contexts, count, s->K, &s->params)
                          : lcl_operator_create_distributed(
                                &t->op, contexts, count, s->A, &s->params),
                     LCL_OK);
    if (s->singular)
        assert_int_equal(lcl_operator_set_nullspace(t->op, NULL), LCL_OK);
}

static void close_team(struct team *t)
{
    lcl_operator_destroy(&t->op);
}

struct method {
    struct lcl_solver_params solver;
    struct lcl_precond_params precond;
};

struct result {
    double *x;
    int iterations;
    double residual, history[HISTORY];
};

static void solve(struct result *r, const struct system *s, const double *b,
                  int count, const struct method *m)
{
    struct team t;
    lcl_precond *M;
    lcl_solver *S;
    struct lcl_report report = LCL_REPORT_INIT;
    open_team(&t, s, count);
    assert_int_equal(lcl_operator_info(t.op)->communication,
                     LCL_COMMUNICATION_REPRODUCIBLE);
    assert_true(lcl_precond_create(&M, t.op, &m->precond) >= LCL_OK);
    assert_int_equal(lcl_solver_create(&S, t.op, M, &m->solver), LCL_OK);
    assert_int_equal(lcl_solver_solve(S, b, r->x, &report), LCL_OK);
    assert_true(test_residual(s->A, b, r->x) <= 1e-8 * (1 + 1e-6));
    assert_in_range(report.iterations, 3, HISTORY - 1);
    r->iterations = report.iterations;
    r->residual = report.true_residual;
    memcpy(r->history, report.history,
           ((size_t)report.iterations + 1) * sizeof *r->history);
    lcl_solver_destroy(&S);
    lcl_precond_destroy(&M);
    close_team(&t);
}

static double *right_side(const struct system *s)
{
    double *x = test_random_vector(s->A->rows, 7), *b;
    if (!s->singular && !s->tiny)
        return x;
    b = test_vector(s->A->rows);
    lcl_csr_multiply(s->A, x, b);
    free(x);
    return b;
}

// With 1, 1 + step, ... devices.
static void expect_same_bits_of(const struct system *s, const struct method *m,
                                int step)
{
    const struct lcl_csr *A = s->A;
    double *b = right_side(s);
    struct result one = {.x = test_vector(A->rows)};
    struct result many = {.x = test_vector(A->rows)};
    solve(&one, s, b, 1, m);
    for (int count = 1 + step; count <= DEVICES; count += step) {
        memset(many.x, 0, (size_t)A->rows * sizeof *b);
        solve(&many, s, b, count, m);
        assert_int_equal(many.iterations, one.iterations);
        assert_true(many.residual == one.residual);
        test_expect_same("history", many.history, one.history,
                         one.iterations + 1);
        test_expect_same("x", many.x, one.x, A->rows);
    }
    free(many.x);
    free(one.x);
    free(b);
}

static void expect_same_bits(const struct lcl_csr *A, const struct method *m,
                             int step)
{
    const struct system s = {A, NULL, same_bits, .tiny = false};
    expect_same_bits_of(&s, m, step);
}

static void test_reproducible__symmetric_solves(void **state)
{
    const struct method methods[] = {
        {{.type = LCL_SOLVER_CG}, {.type = LCL_PRECOND_JACOBI}},
        {{.type = LCL_SOLVER_CG}, {.type = LCL_PRECOND_NONE}},
        {{.type = LCL_SOLVER_MINRES, .norm = LCL_NORM_MAX},
         {.type = LCL_PRECOND_JACOBI}},
    };
    struct lcl_csr A = test_laplacian(SIDE, SIDE, SIDE);
    (void)state;
    for (size_t k = 0; k < sizeof methods / sizeof *methods; ++k)
        expect_same_bits(&A, &methods[k], k == 0 ? 1 : 3);
    test_csr_finish(&A);
}

// Rows add up to 0, and so does b.
static void test_reproducible__constant_null_vectors(void **state)
{
    const struct method cg = {{.type = LCL_SOLVER_CG},
                              {.type = LCL_PRECOND_JACOBI}};
    struct lcl_csr A = test_laplacian(SIDE, SIDE, SIDE);
    const struct system s = {&A, NULL, same_bits, .singular = true};
    (void)state;
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            if (A.col_ind[k] == i)
                A.val[k] = (double)(A.row_ptr[i + 1] - A.row_ptr[i] - 1);
    expect_same_bits_of(&s, &cg, 3);
    test_csr_finish(&A);
}

static void test_reproducible__unsymmetric_solves(void **state)
{
    const struct method methods[] = {
        {{.type = LCL_SOLVER_BICGSTAB}, {.type = LCL_PRECOND_JACOBI}},
        {{.type = LCL_SOLVER_GMRES, .restart = 7},
         {.type = LCL_PRECOND_JACOBI}},
        {{.type = LCL_SOLVER_FGMRES}, {.type = LCL_PRECOND_JACOBI}},
        {{.type = LCL_SOLVER_IDR}, {.type = LCL_PRECOND_JACOBI}},
    };
    struct lcl_csr A = test_random_csr(4000, 7, 3);
    (void)state;
    for (size_t k = 0; k < sizeof methods / sizeof *methods; ++k)
        expect_same_bits(&A, &methods[k], k == 0 ? 1 : 3);
    test_csr_finish(&A);
}

// The borders of 4 devices cut no subdomain.
static void test_reproducible__factors_are_the_same(void **state)
{
    static const struct lcl_partition_params slices = {
        .type = LCL_PARTITION_NATURAL, .rows = 64};
    static const struct lcl_partition_params boxes = {
        .type = LCL_PARTITION_GEOMETRIC, .box = {8, 8, 2}};
    const struct method methods[] = {
        {{.type = LCL_SOLVER_CG},
         {.type = LCL_PRECOND_IC0, .partition = slices}},
        {{.type = LCL_SOLVER_BICGSTAB},
         {.type = LCL_PRECOND_ILDU0, .partition = slices}},
        {{.type = LCL_SOLVER_IDR, .idr_s = 8},
         {.type = LCL_PRECOND_ILDU0, .partition = boxes}},
        {{.type = LCL_SOLVER_CG},
         {.type = LCL_PRECOND_IC0, .partition = boxes}},
        {{.type = LCL_SOLVER_GMRES},
         {.type = LCL_PRECOND_ILUT, .partition = boxes}},
        {{.type = LCL_SOLVER_BICGSTAB},
         {.type = LCL_PRECOND_BLOCK_JACOBI, .block_jacobi = {.max_rows = 4}}},
    };
    struct lcl_csr A = test_laplacian(SIDE, SIDE, SIDE);
    (void)state;
    for (size_t k = 0; k < sizeof methods / sizeof *methods; ++k)
        expect_same_bits(&A, &methods[k], 3);
    test_csr_finish(&A);
}

// Row i has its diagonal entry only, whose inverse is out of the range of fp32.
static void isolate(struct lcl_csr *A, int64_t i)
{
    for (int64_t row = 0; row < A->rows; ++row)
        for (int64_t k = A->row_ptr[row]; k < A->row_ptr[row + 1]; ++k)
            if ((row == i) != (A->col_ind[k] == i))
                A->val[k] = 0;
            else if (row == i)
                A->val[k] = 1e-40;
}

// In one subdomain, of any device.
static void test_reproducible__factors_out_of_range_on_one_device(void **state)
{
    static const struct lcl_partition_params slices = {
        .type = LCL_PARTITION_NATURAL, .rows = 64};
    const struct method methods[] = {
        {{.type = LCL_SOLVER_CG},
         {.type = LCL_PRECOND_IC0, .partition = slices}},
        {{.type = LCL_SOLVER_BICGSTAB},
         {.type = LCL_PRECOND_ILDU0, .partition = slices}},
    };
    (void)state;
    for (size_t k = 0; k < sizeof methods / sizeof *methods; ++k) {
        struct lcl_csr A = test_laplacian(SIDE, SIDE, SIDE);
        const struct system s = {&A, NULL, same_bits, .tiny = true};
        isolate(&A, k == 0 ? A.rows - 7 : 100);
        expect_same_bits_of(&s, &methods[k], 3);
        test_csr_finish(&A);
    }
}

static void expect_same_bits_of_stages(const struct lcl_kron *K,
                                       enum lcl_kron_type type,
                                       const struct method *m, int step)
{
    struct lcl_csr A = test_kron_whole(K);
    struct system s = {&A, K, same_bits, .tiny = false};
    s.params.kron = type;
    expect_same_bits_of(&s, m, step);
    lcl_csr_finish(&A);
}

static void test_reproducible__kronecker_systems(void **state)
{
    static const struct lcl_partition_params slices = {
        .type = LCL_PARTITION_NATURAL, .rows = 32};
    const struct method methods[] = {
        {{.type = LCL_SOLVER_GMRES}, {.type = LCL_PRECOND_BLOCK_JACOBI}},
        {{.type = LCL_SOLVER_BICGSTAB},
         {.type = LCL_PRECOND_ILDU0, .partition = slices}},
        {{.type = LCL_SOLVER_IDR}, {.type = LCL_PRECOND_NONE}},
    };
    struct lcl_csr p = test_laplacian(8, 8, 8), q = test_laplacian(64, 8, 1);
    struct test_kron T;
    (void)state;
    test_kron_of(&T, 3, 2, &p, &q);
    for (size_t k = 0; k < sizeof methods / sizeof *methods; ++k)
        expect_same_bits_of_stages(&T.K, LCL_KRON_ONE_PASS, &methods[k],
                                   k == 0 ? 1 : 3);
    test_kron_finish(&T);
    test_csr_finish(&q);
    test_csr_finish(&p);
}

static void test_reproducible__coarse_corrections(void **state)
{
    static const struct lcl_partition_params boxes = {
        .type = LCL_PARTITION_GEOMETRIC, .box = {8, 8, 2}};
    static const struct lcl_partition_params slices = {
        .type = LCL_PARTITION_NATURAL, .rows = 16};
    const struct method methods[] = {
        {{.type = LCL_SOLVER_CG},
         {.type = LCL_PRECOND_IC0,
          .partition = slices,
          .coarse = LCL_COARSE_MULT}},
        {{.type = LCL_SOLVER_BICGSTAB},
         {.type = LCL_PRECOND_ILDU0,
          .partition = boxes,
          .coarse = LCL_COARSE_MULT}},
    };
    struct lcl_csr A = test_laplacian(SIDE, SIDE, SIDE);
    (void)state;
    for (size_t k = 0; k < sizeof methods / sizeof *methods; ++k)
        expect_same_bits(&A, &methods[k], 3);
    test_csr_finish(&A);
}

// Few rows: some segments are empty.
static void test_reproducible__small_systems_and_new_values(void **state)
{
    static const int64_t sizes[] = {4, 5, 37, 1023, 1025};
    static const struct lcl_operator_params scalar = {
        .block_size = 1, .communication = LCL_COMMUNICATION_REPRODUCIBLE};
    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; ++k)
        for (int count = 1; count <= DEVICES; count += 3) {
            struct lcl_csr A = test_random_csr(sizes[k], 3, 5);
            double *x = test_random_vector(A.rows, 2);
            double *y = test_vector(A.rows), *expected = test_vector(A.rows);
            const struct system s = {&A, NULL, scalar, .tiny = false};
            struct team t;
            open_team(&t, &s, count);
            for (int64_t i = 0; i < A.nnz; ++i)
                A.val[i] *= 3;
            assert_int_equal(lcl_operator_update(t.op, A.val), LCL_OK);
            lcl_csr_multiply(&A, x, expected);
            assert_int_equal(lcl_operator_apply(t.op, x, y), LCL_OK);
            test_expect_near("A x", y, expected, A.rows, 1e-13);
            close_team(&t);
            free(expected);
            free(y);
            free(x);
            test_csr_finish(&A);
        }
}

static void expect_no_solver(lcl_operator *op,
                             const struct lcl_solver_params *params)
{
    lcl_solver *S;
    assert_int_equal(lcl_solver_create(&S, op, NULL, params), LCL_EUNSUPPORTED);
    assert_null(S);
}

static void expect_no_precond(lcl_operator *op,
                              const struct lcl_precond_params *params)
{
    lcl_precond *M;
    assert_int_equal(lcl_precond_create(&M, op, params), LCL_EUNSUPPORTED);
    assert_null(M);
}

static void test_reproducible__refuses_what_depends_on_devices(void **state)
{
    static const struct lcl_solver_params solvers[] = {
        {.type = LCL_SOLVER_CG_PIPELINED},
        {.type = LCL_SOLVER_CG_PUBLISHED},
        {.type = LCL_SOLVER_GMRES, .basis = LCL_BASIS_FP32},
        {.type = LCL_SOLVER_GMRES,
         .orthogonalisation = LCL_ORTHOGONALISATION_MGS},
        {.type = LCL_SOLVER_IDR, .side = LCL_SIDE_LEFT},
        {.type = LCL_SOLVER_CG, .norm = LCL_NORM_1},
    };
    static const struct lcl_precond_params preconds[] = {
        {.type = LCL_PRECOND_AMG},
        {.type = LCL_PRECOND_RAS},
    };
    struct lcl_csr A = test_laplacian(8, 8, 8);
    const struct system s = {&A, NULL, same_bits, .tiny = false};
    struct team t;
    (void)state;
    open_team(&t, &s, 2);
    for (size_t k = 0; k < sizeof solvers / sizeof *solvers; ++k)
        expect_no_solver(t.op, &solvers[k]);
    for (size_t k = 0; k < sizeof preconds / sizeof *preconds; ++k)
        expect_no_precond(t.op, &preconds[k]);
    close_team(&t);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reproducible__symmetric_solves),
        cmocka_unit_test(test_reproducible__constant_null_vectors),
        cmocka_unit_test(test_reproducible__unsymmetric_solves),
        cmocka_unit_test(test_reproducible__factors_are_the_same),
        cmocka_unit_test(test_reproducible__factors_out_of_range_on_one_device),
        cmocka_unit_test(test_reproducible__kronecker_systems),
        cmocka_unit_test(test_reproducible__coarse_corrections),
        cmocka_unit_test(test_reproducible__small_systems_and_new_values),
        cmocka_unit_test(test_reproducible__refuses_what_depends_on_devices),
    };
    return test_device_run(tests);
}
