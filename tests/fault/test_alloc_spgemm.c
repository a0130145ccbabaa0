// SPDX-License-Identifier: BSD-3-Clause
// A sparse product and a transposition while the n-th host allocation fails,
// for every n: out of memory is reported, and nothing is left behind.
#include "tests/support/cache_folder.h"
#include "tests/support/capture.h"
#include "tests/support/device.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/fake_cl.h"
#include "tests/support/job.h"
#include "tests/support/matrices.h"
#include "tests/support/test.h"

#include "host/runtime.h"
#include "lib/storage/spgemm.h"
#include "lib/storage/transpose.h"

static enum lcl_status multiply(lcl_context *ctx,
                                const struct lcl_device_matrix *A)
{
    struct lcl_spgemm S;
    struct lcl_device_matrix C;
    enum lcl_status st = lcl_spgemm_init(&S, &C, ctx, A, A);
    if (st == LCL_OK)
        st = lcl_spgemm_update(&S, &C, A, A);
    lcl_spgemm_finish(&S);
    lcl_device_matrix_finish(&C);
    return st;
}

static enum lcl_status transpose(lcl_context *ctx,
                                 const struct lcl_device_matrix *A)
{
    struct lcl_device_matrix T;
    lcl_buffer *map;
    const enum lcl_status st = lcl_transpose_init(&T, &map, ctx, A);
    lcl_buffer_destroy(&map);
    lcl_device_matrix_finish(&T);
    return st;
}

typedef enum lcl_status step_fn(lcl_context *ctx,
                                const struct lcl_device_matrix *A);

// Whether the n-th allocation of the step failed.
static bool fail_alloc(step_fn *step, lcl_context *ctx,
                       const struct lcl_device_matrix *A, long n)
{
    const long objects = fake_cl.objects;
    lcl_test_fail_alloc_at(n);
    const enum lcl_status st = step(ctx, A);
    const bool failed = lcl_test_alloc_failed();
    lcl_test_fail_alloc_at(0);
    assert_int_equal(st, failed ? LCL_ENOMEM : LCL_OK);
    if (n > 0)
        assert_int_equal(fake_cl.objects, objects);
    return failed;
}

static void expect_each_failure(step_fn *step)
{
    struct test_capture capture;
    struct lcl_csr A = test_random_csr(60, 3, 2);
    struct lcl_device_matrix D;
    lcl_context *ctx;
    long n = 0;
    test_capture_init(&capture, LCL_LOG_ERROR);
    const struct lcl_context_params params = {
        .log = capture.log, .cache_dir = test_cache.path, .no_pool = true};
    fake_cl = (struct fake_cl){0};
    assert_int_equal(lcl_runtime_create(&ctx, &params, &fake_cl_api), LCL_OK);
    test_upload_csr(&D, ctx, &A);
    assert_false(fail_alloc(step, ctx, &D, 0)); // builds the kernels
    while (fail_alloc(step, ctx, &D, ++n))
        continue;
    assert_true(n > 5);
    lcl_device_matrix_finish(&D);
    lcl_context_destroy(&ctx);
    test_csr_finish(&A);
}

static void test_alloc_spgemm__any_allocation_of_a_product_may_fail(
    void **state)
{
    (void)state;
    expect_each_failure(multiply);
}

static void test_alloc_spgemm__any_allocation_of_a_transpose_may_fail(
    void **state)
{
    (void)state;
    expect_each_failure(transpose);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            test_alloc_spgemm__any_allocation_of_a_product_may_fail),
        cmocka_unit_test(
            test_alloc_spgemm__any_allocation_of_a_transpose_may_fail),
    };
    return cmocka_run_group_tests(tests, test_cache_create, test_cache_remove);
}
