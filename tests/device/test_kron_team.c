// SPDX-License-Identifier: BSD-3-Clause
// Kronecker systems on several devices of one process, through the public
// interface. The contexts share the default device.
#include "lib/distributed/team_operator.h"
#include "tests/support/device.h"
#include "tests/support/krons.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"
#include "tests/support/solving.h"

#include <levelcl/chain.h>
#include <levelcl/published.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES = 4 };

struct team {
    lcl_context *ctx[DEVICES];
    lcl_operator *op;
    struct lcl_csr A; // the explicit matrix
    double *b, *x;
};

static void open_contexts(struct team *t)
{
    *t = (struct team){.op = NULL};
    for (int k = 0; k < DEVICES; ++k)
        t->ctx[k] = test_context(k);
}

static void make_operator(struct team *t, const struct lcl_kron *K, int count,
                          const struct lcl_operator_params *params)
{
    assert_int_equal(
        lcl_operator_create_kron_distributed(&t->op, t->ctx, count, K, params),
        LCL_OK);
    t->A = test_kron_whole(K);
    t->b = test_random_vector(t->A.rows, 5);
    t->x = test_vector(t->A.rows);
    const struct lcl_operator_info *info = lcl_operator_info(t->op);
    assert_int_equal(info->devices, count);
    assert_int_equal(info->stages, K->stages);
    assert_int_equal(info->rows, t->A.rows);
    assert_int_equal(info->block_size, K->M->block_size);
    assert_int_equal(info->nnz, (K->M->nnz + K->L->nnz) * K->M->block_size *
                                    K->M->block_size);
}

static void drop_operator(struct team *t)
{
    lcl_operator_destroy(&t->op);
    lcl_csr_finish(&t->A);
    free(t->b);
    free(t->x);
}

// ------------------------------------------------------------------- products

static void expect_product(struct team *t, const struct lcl_kron *K)
{
    double *expected = test_vector(t->A.rows), *y = test_vector(t->A.rows);
    assert_int_equal(lcl_kron_multiply(K, t->b, expected), LCL_OK);
    for (int repeat = 0; repeat < 2; ++repeat) {
        assert_int_equal(lcl_operator_apply(t->op, t->b, y), LCL_OK);
        test_expect_near("y", y, expected, t->A.rows, 1e-12);
    }
    free(y);
    free(expected);
}

// Also with new values.
static void expect_type(struct team *t, struct test_kron *T, int count,
                        const struct lcl_operator_params *params)
{
    make_operator(t, &T->K, count, params);
    assert_int_equal(lcl_operator_info(t->op)->kron, params->kron);
    expect_product(t, &T->K);
    test_kron_change(T);
    assert_int_equal(lcl_operator_update_kron(t->op, &T->K), LCL_OK);
    expect_product(t, &T->K);
    drop_operator(t);
}

// On all numbers of devices, by both exchanges.
static void expect_products(struct team *t, struct test_kron *T,
                            enum lcl_kron_type type)
{
    for (int count = 1; count <= DEVICES; ++count)
        for (int exchange = LCL_KRON_EXCHANGE_DEFAULT;
             exchange < LCL_KRON_EXCHANGE_COUNT; ++exchange) {
            const struct lcl_operator_params params = {
                .kron = type,
                .kron_exchange = (enum lcl_kron_exchange_type)exchange};
            if (type != LCL_KRON_CU || exchange != LCL_KRON_EXCHANGE_BATCHED)
                expect_type(t, T, count, &params);
        }
}

static void test_kron_team__products_are_the_host_s(void **state)
{
    struct team t;
    (void)state;
    open_contexts(&t);
    for (int s = 1; s <= 5; ++s) {
        struct test_kron T;
        test_kron_init(&T, s, 2, 30, s % 2 ? TEST_KRON_NEAR : TEST_KRON_CHAIN);
        expect_products(&t, &T, LCL_KRON_ONE_PASS);
        test_kron_finish(&T);
    }
}

static void test_kron_team__all_types_and_patterns(void **state)
{
    struct team t;
    (void)state;
    open_contexts(&t);
    for (int p = 0; p < TEST_KRON_PATTERNS; ++p)
        for (int type = 0; type < TEST_KRON_TYPES; ++type) {
            struct test_kron T;
            test_kron_init(&T, 3, 2, 40, (enum test_kron_patterns)p);
            expect_products(&t, &T, test_kron_types[type]);
            test_kron_finish(&T);
        }
}

// Rows and columns of the pattern in a random order: METIS finds a better one.
static void shuffled_init(struct test_kron *T)
{
    struct lcl_csr p = test_laplacian(6, 5, 4);
    int32_t *perm = test_random_permutation(p.rows, 3);
    double *dense = test_vector(p.rows * p.rows);
    for (int64_t i = 0; i < p.rows; ++i)
        for (int64_t k = p.row_ptr[i]; k < p.row_ptr[i + 1]; ++k)
            dense[perm[i] * p.rows + perm[p.col_ind[k]]] = p.val[k];
    struct lcl_csr q = test_csr_from_dense(p.rows, dense);
    test_kron_of(T, 3, 2, &q, &q);
    test_csr_finish(&q);
    free(dense);
    free(perm);
    test_csr_finish(&p);
}

static void test_kron_team__block_rows_may_get_another_order(void **state)
{
    struct test_kron T;
    struct team t;
    (void)state;
    open_contexts(&t);
    shuffled_init(&T);
    make_operator(&t, &T.K, DEVICES, NULL);
    assert_non_null(t.op->team->distribution.perm);
    expect_product(&t, &T.K);
    test_kron_change(&T);
    assert_int_equal(lcl_operator_update_kron(t.op, &T.K), LCL_OK);
    expect_product(&t, &T.K);
    drop_operator(&t);
    test_kron_finish(&T);
}

// ------------------------------------------------------------------- solves

static void expect_solved(struct team *t, lcl_precond *M,
                          enum lcl_solver_type type)
{
    const struct lcl_solver_params params = {.type = type, .idr_s = 4};
    struct lcl_report report = LCL_REPORT_INIT;
    lcl_solver *S;
    assert_int_equal(lcl_solver_create(&S, t->op, M, &params), LCL_OK);
    memset(t->x, 0, (size_t)t->A.rows * sizeof *t->x);
    assert_int_equal(lcl_solver_solve(S, t->b, t->x, &report), LCL_OK);
    const double residual = test_residual(&t->A, t->b, t->x);
    assert_true(residual <= 1e-8 * (1 + 1e-6));
    assert_true(fabs(residual - report.true_residual) <= 1e-12);
    lcl_solver_destroy(&S);
}

static void expect_solves(struct team *t, lcl_precond *M)
{
    expect_solved(t, M, LCL_SOLVER_BICGSTAB);
    expect_solved(t, M, LCL_SOLVER_IDR);
    expect_solved(t, M, LCL_SOLVER_GMRES);
    expect_solved(t, M, LCL_SOLVER_FGMRES);
}

static void test_kron_team__solvers_solve_with_every_method(void **state)
{
    struct team t;
    (void)state;
    open_contexts(&t);
    for (int m = 0; m < TEST_KRON_METHODS; ++m) {
        const struct lcl_operator_params params = {
            .kron = test_kron_types[m % TEST_KRON_TYPES]};
        struct test_kron T;
        lcl_precond *M;
        test_kron_init(&T, 3, 2, 80, TEST_KRON_NEAR);
        make_operator(&t, &T.K, DEVICES, &params);
        assert_int_equal(lcl_precond_create(&M, t.op, &test_kron_methods[m]),
                         LCL_OK);
        assert_int_equal(lcl_precond_info(M)->rows, t.A.rows);
        expect_solves(&t, M);
        test_kron_change(&T);
        assert_int_equal(lcl_operator_update_kron(t.op, &T.K), LCL_OK);
        assert_int_equal(lcl_precond_update(M), LCL_OK);
        lcl_csr_finish(&t.A);
        t.A = test_kron_whole(&T.K);
        expect_solved(&t, M, LCL_SOLVER_BICGSTAB);
        lcl_precond_destroy(&M);
        drop_operator(&t);
        test_kron_finish(&T);
    }
}

// Without preconditioner the devices change nothing but the order of sums.
static void test_kron_team__iterations_are_those_of_one_device(void **state)
{
    const struct lcl_solver_params params = {.type = LCL_SOLVER_GMRES};
    struct test_kron T;
    struct team t;
    int iterations[DEVICES + 1];
    (void)state;
    open_contexts(&t);
    test_kron_init(&T, 3, 2, 80, TEST_KRON_NEAR);
    for (int count = 1; count <= DEVICES; ++count) {
        struct lcl_report report = LCL_REPORT_INIT;
        lcl_solver *S;
        make_operator(&t, &T.K, count, NULL);
        assert_int_equal(lcl_solver_create(&S, t.op, NULL, &params), LCL_OK);
        assert_int_equal(lcl_solver_solve(S, t.b, t.x, &report), LCL_OK);
        iterations[count] = report.iterations;
        assert_in_range(iterations[count] + 1, iterations[1],
                        iterations[1] + 2);
        lcl_solver_destroy(&S);
        drop_operator(&t);
    }
    test_kron_finish(&T);
}

static void test_kron_team__chains_solve(void **state)
{
    struct lcl_report report = LCL_REPORT_INIT;
    struct test_kron T;
    struct team t;
    lcl_chain *C;
    (void)state;
    open_contexts(&t);
    test_kron_init(&T, 3, 2, 80, TEST_KRON_NEAR);
    make_operator(&t, &T.K, DEVICES, NULL);
    assert_true(lcl_chain_create(&C, t.op, NULL, NULL) >= LCL_OK);
    assert_int_equal(lcl_chain_solve(C, t.b, t.x, &report), LCL_OK);
    assert_true(test_residual(&t.A, t.b, t.x) <= 1e-8 * (1 + 1e-6));
    lcl_chain_destroy(&C);
    drop_operator(&t);
    test_kron_finish(&T);
}

// ------------------------------------------------------------------- refusals

static void test_kron_team__failed_updates_change_nothing(void **state)
{
    struct test_kron T, other;
    struct team t;
    (void)state;
    open_contexts(&t);
    test_kron_init(&T, 3, 2, 30, TEST_KRON_NEAR);
    test_kron_init(&other, 3, 2, 30, TEST_KRON_FAR);
    make_operator(&t, &T.K, DEVICES, NULL);
    assert_int_equal(lcl_operator_update_kron(t.op, &other.K), LCL_EFORMAT);
    double *last = &T.L.val[T.L.nnz * 4 - 1];
    const double before = *last;
    *last = INFINITY;
    assert_int_equal(lcl_operator_update_kron(t.op, &T.K), LCL_EFORMAT);
    *last = before;
    assert_misuse(lcl_operator_update_kron(t.op, NULL));
    assert_misuse(lcl_operator_update(t.op, T.M.val));
    assert_misuse(lcl_operator_update_kron_rows(t.op, NULL));
    expect_product(&t, &T.K);
    drop_operator(&t);
    test_kron_finish(&other);
    test_kron_finish(&T);
}

static void expect_refused(lcl_context *const *ctx, int count,
                           const struct lcl_kron *K, enum lcl_status status)
{
    lcl_operator *op;
    assert_int_equal(
        lcl_operator_create_kron_distributed(&op, ctx, count, K, NULL), status);
    assert_null(op);
}

static void test_kron_team__what_is_not_published_is_refused(void **state)
{
    const struct lcl_operator_params params[] = {
        {.kron = LCL_KRON_CU, .kron_exchange = LCL_KRON_EXCHANGE_BATCHED},
        {.kron = LCL_KRON_CU, .communication = LCL_COMMUNICATION_REPRODUCIBLE},
        {.kron = LCL_KRON_OKP, .communication = LCL_COMMUNICATION_REPRODUCIBLE},
    };
    struct test_kron T;
    struct team t;
    (void)state;
    open_contexts(&t);
    test_kron_init(&T, 3, 2, 30, TEST_KRON_NEAR);
    for (size_t k = 0; k < sizeof params / sizeof *params; ++k) {
        assert_int_equal(lcl_operator_create_kron_distributed(&t.op, t.ctx, 2,
                                                              &T.K, &params[k]),
                         LCL_EUNSUPPORTED);
        assert_null(t.op);
    }
    test_kron_finish(&T);
}

static void test_kron_team__bad_input_is_refused(void **state)
{
    struct test_kron T, small, other;
    struct team t;
    (void)state;
    open_contexts(&t);
    test_kron_init(&T, 3, 2, 30, TEST_KRON_NEAR);
    test_kron_init(&small, 3, 2, 2, TEST_KRON_CHAIN);
    test_kron_init(&other, 3, 2, 8, TEST_KRON_CHAIN);
    lcl_context *const twice[] = {t.ctx[0], t.ctx[0]};
    lcl_context *const missing[] = {t.ctx[0], NULL};
    expect_refused(twice, 2, &T.K, LCL_EINVAL);
    assert_misuse(
        lcl_operator_create_kron_distributed(&t.op, missing, 2, &T.K, NULL));
    assert_misuse(
        lcl_operator_create_kron_distributed(&t.op, t.ctx, 0, &T.K, NULL));
    expect_refused(t.ctx, DEVICES, &small.K, LCL_EINVAL);
    struct lcl_kron K = T.K;
    K.L = &other.L;
    expect_refused(t.ctx, DEVICES, &K, LCL_EFORMAT);
    K = T.K;
    K.stages = 0;
    expect_refused(t.ctx, DEVICES, &K, LCL_EFORMAT);
    T.M.val[5] = NAN;
    expect_refused(t.ctx, DEVICES, &T.K, LCL_EFORMAT);
    test_kron_finish(&other);
    test_kron_finish(&small);
    test_kron_finish(&T);
}

static void test_kron_team__what_needs_a_matrix_is_refused(void **state)
{
    const struct lcl_precond_params amg = {.type = LCL_PRECOND_AMG};
    const struct lcl_solver_params cg = {.type = LCL_SOLVER_CG};
    struct test_kron T;
    struct team t;
    lcl_precond *M;
    lcl_solver *S;
    (void)state;
    open_contexts(&t);
    test_kron_init(&T, 3, 2, 30, TEST_KRON_NEAR);
    make_operator(&t, &T.K, DEVICES, NULL);
    const struct lcl_dense ones = {t.A.rows, 1, t.b};
    assert_int_equal(lcl_precond_create(&M, t.op, &amg), LCL_EUNSUPPORTED);
    assert_int_equal(lcl_operator_set_near_nullspace(t.op, &ones), LCL_EINVAL);
    enum lcl_status st = lcl_solver_create(&S, t.op, NULL, &cg);
    if (st == LCL_OK)
        st = lcl_solver_solve(S, t.b, t.x, NULL);
    assert_int_equal(st, LCL_EUNSUPPORTED);
    lcl_solver_destroy(&S);
    drop_operator(&t);
    test_kron_finish(&T);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kron_team__products_are_the_host_s),
        cmocka_unit_test(test_kron_team__all_types_and_patterns),
        cmocka_unit_test(test_kron_team__block_rows_may_get_another_order),
        cmocka_unit_test(test_kron_team__solvers_solve_with_every_method),
        cmocka_unit_test(test_kron_team__iterations_are_those_of_one_device),
        cmocka_unit_test(test_kron_team__chains_solve),
        cmocka_unit_test(test_kron_team__failed_updates_change_nothing),
        cmocka_unit_test(test_kron_team__bad_input_is_refused),
        cmocka_unit_test(test_kron_team__what_is_not_published_is_refused),
        cmocka_unit_test(test_kron_team__what_needs_a_matrix_is_refused),
    };
    return test_device_run(tests);
}
