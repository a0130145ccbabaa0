// SPDX-License-Identifier: BSD-3-Clause
// A whole job with the n-th OpenCL call failing, for every n: the error is
// reported, or the call was not needed; nothing leaks and nothing crashes.
#include "tests/support/capture.h"
#include "tests/support/fake_cl.h"
#include "tests/support/folder.h"
#include "tests/support/job.h"
#include "tests/support/test.h"

#include <string.h>

static struct lcl_test_folder cache;

static struct test_job warm_job(const struct lcl_log *log)
{
    return (struct test_job){
        .context = {.cache_dir = cache.path, .log = *log},
        .api = &test_cl_api,
    };
}

// Once without a failure, so that kernels and probe are found in the cache.
static int setup(void **state)
{
    (void)state;
    test_need_device();
    lcl_test_folder_create(&cache);
    struct test_job job = warm_job(&(struct lcl_log){0});
    assert_int_equal(test_job_run(&job), LCL_OK);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lcl_test_folder_remove(&cache);
    return 0;
}

static void fail_call(enum test_cl_function function, long n, cl_int code)
{
    test_cl =
        (struct test_cl){.function = function, .fail_at = n, .code = code};
}

// An error is explained, and names the call's code where it comes from it.
static void expect_explained(enum lcl_status st, long n,
                             const struct test_capture *capture)
{
    if (test_cl.objects != 0)
        fail_msg("call %ld: %ld objects leak", n, test_cl.objects);
    if (st > 0)
        fail_msg("call %ld: status %s", n, lcl_status_name(st));
    if (st < 0 && capture->messages == 0)
        fail_msg("call %ld: %s without a word", n, lcl_status_name(st));
    if (st == LCL_OK && capture->messages > 0)
        fail_msg("call %ld: success, but \"%s\"", n, capture->last);
}

// Returns how many calls of `function` the job makes.
static long fail_each(enum test_cl_function function, cl_int code,
                      enum lcl_status expected)
{
    for (long n = 1;; ++n) {
        struct test_capture capture;
        test_capture_init(&capture, LCL_LOG_ERROR);
        struct test_job job = warm_job(&capture.log);
        fail_call(function, n, code);
        const enum lcl_status st = test_job_run(&job);
        expect_explained(st, n, &capture);
        if (st == LCL_OK)
            test_job_expect_solved(job.x);
        else if (expected != LCL_OK)
            assert_int_equal(st, expected);
        if (!test_cl.failed)
            return n - 1;
    }
}

static void test_cl_calls__any_call_may_run_out_of_resources(void **state)
{
    (void)state;
    assert_true(fail_each(TEST_CL_ANY, CL_OUT_OF_RESOURCES, LCL_OK) > 100);
}

static void test_cl_calls__full_device_memory_has_its_status(void **state)
{
    (void)state;
    assert_true(fail_each(TEST_clCreateBuffer, CL_MEM_OBJECT_ALLOCATION_FAILURE,
                          LCL_EDEVMEM) > 10);
    assert_true(fail_each(TEST_clEnqueueNDRangeKernel,
                          CL_MEM_OBJECT_ALLOCATION_FAILURE, LCL_EDEVMEM) > 10);
}

static void test_cl_calls__full_host_memory_has_its_status(void **state)
{
    (void)state;
    assert_true(
        fail_each(TEST_clCreateKernel, CL_OUT_OF_HOST_MEMORY, LCL_ENOMEM) > 5);
}

// The probe and every compilation, with nothing to recall.
static void test_cl_calls__any_call_of_a_cold_start_may_fail(void **state)
{
    (void)state;
    for (long n = 1;; ++n) {
        struct test_capture capture;
        test_capture_init(&capture, LCL_LOG_ERROR);
        lcl_context *ctx;
        fail_call(TEST_CL_ANY, n, CL_OUT_OF_RESOURCES);
        const enum lcl_status st = lcl_runtime_create(
            &ctx,
            &(struct lcl_context_params){.no_cache = true, .log = capture.log},
            &test_cl_api);
        assert_true((st == LCL_OK) == (ctx != NULL));
        lcl_context_destroy(&ctx);
        expect_explained(st, n, &capture);
        if (!test_cl.failed)
            break;
    }
}

static void test_cl_calls__a_kernel_that_does_not_build_is_named(void **state)
{
    (void)state;
    struct test_capture capture;
    test_capture_init(&capture, LCL_LOG_ERROR);
    struct test_job job = warm_job(&capture.log);
    job.context.no_cache = true;
    job.precond.type = LCL_PRECOND_JACOBI;
    fail_call(TEST_clBuildProgram, 4, CL_BUILD_PROGRAM_FAILURE);
    assert_int_equal(test_job_run(&job), LCL_EBUILD);
    test_capture_expect(&capture, ".cl does not compile on ");
    test_capture_expect(&capture, "CL_BUILD_PROGRAM_FAILURE (-11)");
    assert_int_equal(test_cl.objects, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cl_calls__any_call_may_run_out_of_resources),
        cmocka_unit_test(test_cl_calls__full_device_memory_has_its_status),
        cmocka_unit_test(test_cl_calls__full_host_memory_has_its_status),
        cmocka_unit_test(test_cl_calls__any_call_of_a_cold_start_may_fail),
        cmocka_unit_test(test_cl_calls__a_kernel_that_does_not_build_is_named),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
