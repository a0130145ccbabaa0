// SPDX-License-Identifier: BSD-3-Clause
// Kronecker systems while the n-th host allocation fails, for every n: the
// library reports out of memory or works without the allocation; a sanitizer
// finds no leak.
#include "tests/support/cache_folder.h"
#include "tests/support/capture.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/fake_cl.h"
#include "tests/support/job.h"
#include "tests/support/kept_programs.h"
#include "tests/support/krons.h"
#include "tests/support/preconds.h"
#include "tests/support/test.h"

#include <levelcl/published.h>

enum { STAGES = 2, BLOCK = 2, ROWS = 20, N = STAGES * BLOCK * ROWS };

static struct test_kron small;

static int setup(void **state)
{
    test_cache_create(state);
    kept_programs_start();
    test_kron_init(&small, STAGES, BLOCK, ROWS, TEST_KRON_CHAIN);
    return 0;
}

static int teardown(void **state)
{
    test_kron_finish(&small);
    return test_cache_remove(state);
}

static const double ones[N] = {1, 1, 1};

static enum lcl_status multiply(lcl_context *ctx, enum lcl_kron_type type)
{
    const struct lcl_operator_params params = {.kron = type};
    const struct lcl_kron *K = &small.K;
    lcl_operator *P;
    double y[N];
    enum lcl_status st;
    if ((st = lcl_operator_create_kron(&P, ctx, K, &params)) == LCL_OK &&
        (st = lcl_operator_apply(P, ones, y)) == LCL_OK &&
        (st = lcl_kron_multiply(K, ones, y)) == LCL_OK &&
        (st = lcl_operator_apply_transpose(P, ones, y)) == LCL_OK &&
        (st = lcl_operator_update_kron(P, K)) == LCL_OK)
        st = lcl_operator_apply_transpose(P, ones, y);
    lcl_operator_destroy(&P);
    return st;
}

static enum lcl_status solve(lcl_context *ctx, enum lcl_kron_type type,
                             const struct lcl_precond_params *params)
{
    const struct lcl_kron *K = &small.K;
    lcl_precond *M;
    lcl_solver *S = NULL;
    double x[N] = {0};
    enum lcl_status st;
    if ((st = test_precond_create_kron(&M, ctx, K, type, params)) == LCL_OK &&
        (st = test_precond_update_kron(M, K)) == LCL_OK &&
        (st = lcl_precond_apply(M, ones, x)) == LCL_OK &&
        (st = test_solver_create(&S, M, NULL)) == LCL_OK)
        st = lcl_solver_solve(S, ones, x, NULL);
    lcl_solver_destroy(&S);
    test_precond_destroy(&M);
    return st;
}

// On two ranks, with all that the caller may do with an operator.
static enum lcl_status work_on_ranks(lcl_context *const *ctx,
                                     const struct lcl_operator_params *params)
{
    const struct lcl_precond_params jacobi = {.type = LCL_PRECOND_BLOCK_JACOBI};
    const struct lcl_kron *K = &small.K;
    lcl_operator *A;
    lcl_precond *M = NULL;
    lcl_solver *S = NULL;
    double x[N] = {0};
    enum lcl_status st;
    if ((st = lcl_operator_create_kron_distributed(&A, ctx, 2, K, params)) ==
            LCL_OK &&
        (st = lcl_operator_update_kron(A, K)) == LCL_OK &&
        (st = lcl_precond_create(&M, A, &jacobi)) == LCL_OK &&
        (st = lcl_solver_create(&S, A, M, NULL)) == LCL_OK)
        st = lcl_solver_solve(S, ones, x, NULL);
    lcl_solver_destroy(&S);
    lcl_precond_destroy(&M);
    lcl_operator_destroy(&A);
    return st;
}

// Whether the n-th allocation of all ranks together failed.
static bool fail_on_ranks(lcl_context *const *ctx,
                          const struct lcl_operator_params *params, long n)
{
    lcl_test_fail_alloc_at(n);
    const enum lcl_status st = work_on_ranks(ctx, params);
    const bool failed = lcl_test_alloc_failed();
    lcl_test_fail_alloc_at(0);
    if (st != LCL_OK && (st != LCL_ENOMEM || !failed))
        fail_msg("allocation %ld: %s", n, lcl_status_name(st));
    return failed;
}

static void expect_on_ranks(const struct lcl_operator_params *op)
{
    const struct lcl_context_params params = {.cache_dir = test_cache.path,
                                              .width = 1};
    lcl_context *ctx[2];
    long n = 0;
    for (int k = 0; k < 2; ++k)
        assert_int_equal(lcl_context_create(&ctx[k], &params), LCL_OK);
    assert_false(fail_on_ranks(ctx, op, 0)); // builds the kernels
    while (fail_on_ranks(ctx, op, ++n))
        continue;
    assert_true(n > 100);
    for (int k = 0; k < 2; ++k)
        lcl_context_destroy(&ctx[k]);
}

static void test_alloc_kron__ranks(void **state)
{
    (void)state;
    expect_on_ranks(&(struct lcl_operator_params){
        .kron_exchange = LCL_KRON_EXCHANGE_STAGED});
}

static void test_alloc_kron__ranks_with_published_products(void **state)
{
    (void)state;
    expect_on_ranks(&(struct lcl_operator_params){.kron = LCL_KRON_OKP});
    expect_on_ranks(&(struct lcl_operator_params){.kron = LCL_KRON_CU});
}

// Whether the n-th allocation of the job failed.
static bool fail_alloc(enum lcl_kron_type type,
                       const struct lcl_precond_params *params, long n)
{
    struct test_capture capture;
    lcl_context *ctx;
    test_capture_init(&capture, LCL_LOG_ERROR);
    const struct lcl_context_params context = {
        .log = capture.log, .cache_dir = test_cache.path, .width = 1};
    fake_cl = (struct fake_cl){0};
    lcl_test_fail_alloc_at(n);
    enum lcl_status st = lcl_runtime_create(&ctx, &context, &fake_cl_api);
    if (st == LCL_OK && (st = multiply(ctx, type)) == LCL_OK)
        st = solve(ctx, type, params);
    lcl_context_destroy(&ctx);
    const bool failed = lcl_test_alloc_failed();
    lcl_test_fail_alloc_at(0);
    assert_int_equal(fake_cl.objects, 0);
    // lcl_kron_multiply() has no log
    if (st != LCL_OK && (st != LCL_ENOMEM || !failed))
        fail_msg("allocation %ld: %s, \"%s\"", n, lcl_status_name(st),
                 capture.last);
    if (st != LCL_OK && capture.messages > 0)
        test_capture_expect(&capture, "out of memory");
    return failed;
}

static void fail_each(enum lcl_kron_type type,
                      const struct lcl_precond_params *params)
{
    long n = 0;
    assert_false(fail_alloc(type, params, 0)); // fills the cache
    while (fail_alloc(type, params, ++n))
        continue;
    assert_true(n > 50);
}

static void test_alloc_kron__block_jacobi(void **state)
{
    (void)state;
    fail_each(LCL_KRON_ONE_PASS,
              &(struct lcl_precond_params){.type = LCL_PRECOND_BLOCK_JACOBI});
}

static void test_alloc_kron__stages(void **state)
{
    (void)state;
    fail_each(LCL_KRON_OKP,
              &(struct lcl_precond_params){.type = LCL_PRECOND_ILDU0,
                                           .partition.rows = ROWS / 4});
}

static void test_alloc_kron__labels(void **state)
{
    int32_t labels[BLOCK * ROWS] = {0};
    (void)state;
    fail_each(LCL_KRON_CU, &(struct lcl_precond_params){
                               .type = LCL_PRECOND_ILU0,
                               .partition = {.type = LCL_PARTITION_LABELS,
                                             .labels = labels,
                                             .labels_count = BLOCK * ROWS}});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alloc_kron__block_jacobi),
        cmocka_unit_test(test_alloc_kron__stages),
        cmocka_unit_test(test_alloc_kron__labels),
        cmocka_unit_test(test_alloc_kron__ranks),
        cmocka_unit_test(test_alloc_kron__ranks_with_published_products),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
