// SPDX-License-Identifier: BSD-3-Clause
// A batched inversion in which the n-th host allocation or OpenCL call fails,
// for every n: the library reports the error, leaks nothing and leaves the
// caller's arrays unchanged.
#include "host/runtime.h"
#include "tests/support/cache_folder.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/fake_cl.h"
#include "tests/support/job.h"
#include "tests/support/test.h"

#include <levelcl/batch.h>

#include <stdlib.h>

static lcl_context *context(void)
{
    lcl_context *ctx;
    const struct lcl_context_params params = {.cache_dir = test_cache.path};
    fake_cl = (struct fake_cl){0};
    assert_int_equal(lcl_runtime_create(&ctx, &params, &fake_cl_api), LCL_OK);
    return ctx;
}

// Blocks of 2 and 1 rows, in fp32.
static enum lcl_status invert(lcl_context *ctx, double X[5], int32_t info[2])
{
    static const double A[] = {0, 2, 4, 0, 8};
    static const int64_t block_ptr[] = {0, 2, 3};
    const struct lcl_batch_params params = {.precision =
                                                LCL_BATCH_PRECISION_FP32};
    for (int i = 0; i < 5; ++i)
        X[i] = 7;
    info[0] = info[1] = 7;
    return lcl_batch_invert(ctx, X, A, block_ptr, 2, info, &params);
}

static void expect_inverted(const double X[5], const int32_t info[2])
{
    const double expected[] = {0, 0.25, 0.5, 0, 0.125};
    for (int i = 0; i < 5; ++i)
        assert_true(X[i] == expected[i]);
    assert_true(info[0] == 0 && info[1] == 0);
}

static void expect_untouched(const double X[5], const int32_t info[2])
{
    for (int i = 0; i < 5; ++i)
        assert_true(X[i] == 7);
    assert_true(info[0] == 7 && info[1] == 7);
}

static void test_alloc_batch__any_allocation_may_fail(void **state)
{
    lcl_context *ctx = context();
    double X[5];
    int32_t info[2];
    bool failed = true;
    (void)state;
    for (long n = 1; failed; ++n) {
        const long objects = fake_cl.objects;
        lcl_test_fail_alloc_at(n);
        const enum lcl_status st = invert(ctx, X, info);
        failed = lcl_test_alloc_failed();
        lcl_test_fail_alloc_at(0);
        if (st == LCL_OK) {
            expect_inverted(X, info);
            continue;
        }
        assert_true(failed);
        assert_int_equal(st, LCL_ENOMEM);
        expect_untouched(X, info);
        assert_true(fake_cl.objects >=
                    objects); // the context keeps its kernels
    }
    lcl_context_destroy(&ctx);
    assert_int_equal(fake_cl.objects, 0);
}

static void test_alloc_batch__any_opencl_call_may_fail(void **state)
{
    lcl_context *ctx = context();
    double X[5];
    int32_t info[2];
    bool failed = true;
    (void)state;
    assert_int_equal(invert(ctx, X, info), LCL_OK);
    const long objects = fake_cl.objects;
    for (long n = 1; failed; ++n) {
        fake_cl.function = FAKE_CL_ANY;
        fake_cl.fail_at = n;
        fake_cl.code = CL_OUT_OF_RESOURCES;
        fake_cl.failed = false;
        const enum lcl_status st = invert(ctx, X, info);
        failed = fake_cl.failed;
        assert_int_equal(fake_cl.objects, objects);
        assert_int_equal(st, failed ? LCL_EDEVICE : LCL_OK);
        if (failed)
            expect_untouched(X, info);
        else
            expect_inverted(X, info);
    }
    lcl_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alloc_batch__any_allocation_may_fail),
        cmocka_unit_test(test_alloc_batch__any_opencl_call_may_fail),
    };
    setenv("LEVELCL_POOL", "0", 1); // each object counts, on GPUs too
    return cmocka_run_group_tests(tests, test_cache_create, test_cache_remove);
}
