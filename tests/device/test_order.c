// SPDX-License-Identifier: BSD-3-Clause
// Factors after the rows were ordered.
#include "tests/support/chains.h"
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/preconds.h"
#include "tests/support/solving.h"

#include <levelcl/published.h>

#include "lib/factor/direct.h"

#include <stdlib.h>

static const enum lcl_order orders[] = {LCL_ORDER_RCM, LCL_ORDER_ND};

// A with its rows and columns in a random order.
static struct lcl_csr shuffled(struct lcl_csr A, unsigned seed)
{
    const size_t n = (size_t)A.rows;
    int32_t *perm = test_random_permutation(A.rows, seed);
    double *dense = calloc(n * n, sizeof *dense);
    assert_non_null(dense);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            dense[(size_t)perm[i] * n + (size_t)perm[A.col_ind[k]]] = A.val[k];
    free(perm);
    test_csr_finish(&A);
    A = test_csr_from_dense((int64_t)n, dense);
    free(dense);
    return A;
}

static void test_order__complete_factors_are_the_inverse(void **state)
{
    for (int k = 0; k < 4; ++k) {
        const struct lcl_precond_params complete = {
            .type = LCL_PRECOND_ILUT,
            .order = orders[k / 2],
            .transversal = k % 2 == 1,
            .trisolve = LCL_TRISOLVE_HEC_LEVEL,
            .storage = LCL_FACTOR_STORAGE_FP64,
            .partition = {.type = LCL_PARTITION_NATURAL, .rows = 1000},
            .ilut_p = 1000,
            .ilut_tol = 1e-16};
        struct lcl_csr A = test_random_csr(70, 4, 1);
        lcl_precond *M;
        assert_int_equal(test_precond_create(&M, *state, &A, &complete),
                         LCL_OK);
        assert_int_equal(lcl_precond_info(M)->factors.order, orders[k / 2]);
        assert_int_equal(lcl_precond_info(M)->factors.transversal, k % 2);
        test_expect_inverse(M, &A);
        for (int64_t e = 0; e < A.nnz; ++e)
            A.val[e] *= 1 + 0.1 * (double)(e % 5);
        assert_true(test_precond_update(M, A.val) >= LCL_OK);
        test_expect_inverse(M, &A);
        test_precond_destroy(&M);
        test_csr_finish(&A);
    }
}

// Also IC0 and AS, which stay symmetric.
static void test_order__subdomains_are_factored(void **state)
{
    static const enum lcl_precond_type types[] = {
        LCL_PRECOND_ILU0, LCL_PRECOND_ILDU0, LCL_PRECOND_IC0, LCL_PRECOND_ILUK,
        LCL_PRECOND_ILUT, LCL_PRECOND_RAS,   LCL_PRECOND_AS};
    struct lcl_csr A = shuffled(test_laplacian(20, 12, 1), 3);
    double *b = test_random_vector(A.rows, 3);
    for (size_t t = 0; t < sizeof types / sizeof *types; ++t) {
        const struct lcl_precond_params params = {.type = types[t],
                                                  .order = orders[t % 2],
                                                  .partition = {.rows = 60}};
        const bool cg =
            types[t] == LCL_PRECOND_IC0 || types[t] == LCL_PRECOND_AS;
        const struct lcl_solver_params solver = {
            .type = cg ? LCL_SOLVER_CG : LCL_SOLVER_BICGSTAB};
        struct test_solve s;
        test_solve_open(&s, *state, &A, &params, &solver);
        assert_int_equal(test_solve_run(&s, b), LCL_OK);
        assert_true(s.report.iterations < 100);
        test_solve_close(&s);
    }
    free(b);
    test_csr_finish(&A);
}

// The first row of a triangle of A, which the order eliminates elsewhere, has a
// pivot of 0.
static void test_order__rows_are_those_of_the_caller(void **state)
{
    enum { N = 40, ZERO = 17 };
    const struct lcl_precond_params params = {
        .type = LCL_PRECOND_ILDU0,
        .order = LCL_ORDER_RCM,
        .partition = {.type = LCL_PARTITION_NATURAL, .rows = 10}};
    int32_t part[N], level[N];
    struct lcl_csr A = shuffled(test_laplacian(N, 1, 1), 8);
    lcl_precond *M;
    assert_int_equal(test_precond_create(&M, *state, &A, &params), LCL_OK);
    assert_int_equal(lcl_precond_locate(M, part, level), LCL_OK);
    // of a path, each subdomain is one: all but 3 couplings are inside
    int cut = 0;
    for (int64_t i = 0; i < N; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            cut += part[i] != part[A.col_ind[k]];
    assert_int_equal(cut, 6);
    test_precond_destroy(&M);
    test_csr_finish(&A);

    A = test_identity(N);
    A.val[ZERO] = 0;
    assert_int_equal(test_precond_create(&M, *state, &A, &params),
                     LCL_PIVOTS_REPAIRED);
    assert_int_equal(lcl_precond_info(M)->repaired_rows[0], ZERO);
    test_precond_destroy(&M);
    test_csr_finish(&A);
}

// A band of random values from `least` to 1 around a diagonal of 1, shuffled:
// complete factors have few entries in the order of the band, in any other far
// more than ILUT keeps.
static struct lcl_csr shuffled_band(int n, int band, double least)
{
    uint64_t seed = 1;
    double *dense = calloc((size_t)n * (size_t)n, sizeof *dense);
    assert_non_null(dense);
    for (int i = 0; i < n; ++i)
        for (int j = i > band ? i - band : 0; j < n && j <= i + band; ++j)
            dense[i * n + j] =
                i == j ? 1 : least + (1 - least) * test_random(&seed);
    struct lcl_csr A = test_csr_from_dense(n, dense);
    free(dense);
    return shuffled(A, 7);
}

static const struct lcl_precond_info *info_of(const struct test_run *r)
{
    return lcl_precond_info(lcl_chain_precond(r->C));
}

// Most couplings are negative.
static void test_order__chains_begin_with_an_order_on_a_cpu(void **state)
{
    struct test_run r;
    if (test_width(*state) > 1)
        skip();
    test_run_open(&r, *state, shuffled_band(600, 8, -9), NULL, NULL);
    assert_int_equal(info_of(&r)->type, LCL_PRECOND_ILUT);
    assert_int_equal(info_of(&r)->factors.order, LCL_ORDER_RCM);
    assert_true(info_of(&r)->factors.transversal);
    assert_int_equal(test_run_solve(&r, LCL_OK), 1);
    test_run_close(&r);
}

static void expect_failure_without_order(lcl_context *ctx)
{
    const struct lcl_precond_params params = {.type = LCL_PRECOND_ILUT,
                                              .ilut_p = 20,
                                              .ilut_tol = 1e-4,
                                              .transversal = true};
    const struct lcl_solver_params solver = {.type = LCL_SOLVER_IDR,
                                             .idr_s = 8};
    struct lcl_csr A = shuffled_band(600, 8, -1);
    double *b = test_random_vector(A.rows, 3);
    struct test_solve s;
    test_solve_open(&s, ctx, &A, &params, &solver);
    assert_int_equal(lcl_precond_info(s.M)->factors.order, LCL_ORDER_NONE);
    assert_true(test_solve_run(&s, b) > LCL_OK);
    test_solve_close(&s);
    free(b);
    test_csr_finish(&A);
}

// Couplings of both signs: the second method is LU or, in builds without it,
// one that orders and fails if it does not.
static void test_order__chains_order_after_a_failure_on_a_cpu(void **state)
{
    struct test_run r;
    if (test_width(*state) > 1)
        skip();
    test_run_open(&r, *state, shuffled_band(600, 8, -1), NULL, NULL);
    assert_int_equal(info_of(&r)->factors.order, LCL_ORDER_NONE);
    assert_int_equal(test_run_solve(&r, LCL_OK), 2);
    if (lcl_direct_there()) {
        assert_int_equal(test_run_precond(&r), LCL_PRECOND_LU);
    } else {
        assert_int_equal(info_of(&r)->factors.order, LCL_ORDER_RCM);
        assert_int_equal(lcl_chain_attempt(r.C, 1)->solver, LCL_SOLVER_IDR);
    }
    assert_true(lcl_chain_attempt(r.C, 1)->iterations < 10);
    test_run_close(&r);
    expect_failure_without_order(*state);
}

static void expect_refused(lcl_context *ctx, const struct lcl_csr *A,
                           const struct lcl_operator_params *op,
                           struct lcl_precond_params params,
                           enum lcl_status expected)
{
    lcl_precond *M;
    params.order = LCL_ORDER_RCM;
    assert_int_equal(test_precond_create_from(&M, ctx, A, op, &params),
                     expected);
    assert_null(M);
}

static void test_order__unfit_matrices_and_types_are_refused(void **state)
{
    const struct lcl_operator_params blocks = {.block_size = 2};
    struct lcl_csr A = test_laplacian(4, 4, 4);
    expect_refused(*state, &A, &blocks,
                   (struct lcl_precond_params){.type = LCL_PRECOND_ILDU0},
                   LCL_EUNSUPPORTED);
    expect_refused(*state, &A, NULL,
                   (struct lcl_precond_params){.type = LCL_PRECOND_JACOBI},
                   LCL_EINVAL);
    expect_refused(*state, &A, NULL,
                   (struct lcl_precond_params){.type = LCL_PRECOND_AMG},
                   LCL_EINVAL);
    expect_refused(*state, &A, NULL,
                   (struct lcl_precond_params){.type = LCL_PRECOND_IC0,
                                               .coarse = LCL_COARSE_MULT},
                   LCL_EUNSUPPORTED);
    expect_refused(*state, &A, NULL,
                   (struct lcl_precond_params){
                       .type = LCL_PRECOND_ILDU0,
                       .partition = {.type = LCL_PARTITION_GEOMETRIC}},
                   LCL_EUNSUPPORTED);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order__complete_factors_are_the_inverse),
        cmocka_unit_test(test_order__subdomains_are_factored),
        cmocka_unit_test(test_order__rows_are_those_of_the_caller),
        cmocka_unit_test(test_order__chains_begin_with_an_order_on_a_cpu),
        cmocka_unit_test(test_order__chains_order_after_a_failure_on_a_cpu),
        cmocka_unit_test(test_order__unfit_matrices_and_types_are_refused),
    };
    return test_device_run(tests);
}
