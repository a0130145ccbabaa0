// SPDX-License-Identifier: BSD-3-Clause
// A whole job in which the n-th OpenCL call fails, for every n: the library
// reports the error or works without the call; nothing leaks or crashes.
#include "host/context.h"
#include "host/timer.h"
#include "lib/spmv/autotune.h"
#include "tests/support/cache_folder.h"
#include "tests/support/capture.h"
#include "tests/support/device.h"
#include "tests/support/fake_cl.h"
#include "tests/support/job.h"
#include "tests/support/kept_programs.h"
#include "tests/support/matrices.h"
#include "tests/support/preconds.h"
#include "tests/support/products.h"
#include "tests/support/test.h"

#include <levelcl/published.h>

#include <stdlib.h>
#include <string.h>

static struct test_job warm_job(const struct lcl_log *log)
{
    return (struct test_job){
        .context = {.cache_dir = test_cache.path, .log = *log},
        .api = &fake_cl_api,
    };
}

// First runs without a failure, so that the cache holds kernels and probe
// results.
static int setup(void **state)
{
    test_cache_create(state);
    kept_programs_start();
    struct test_job job = warm_job(&(struct lcl_log){0});
    assert_int_equal(test_job_run(&job), LCL_OK);
    return 0;
}

static void fail_call(enum fake_cl_function function, long n, cl_int code)
{
    fake_cl =
        (struct fake_cl){.function = function, .fail_at = n, .code = code};
}

// Every error has a message, which names the code if the failed call returned
// it.
static void expect_explained(enum lcl_status st, long n,
                             const struct test_capture *capture)
{
    if (fake_cl.objects != 0)
        fail_msg("call %ld: %ld objects leak", n, fake_cl.objects);
    if (st > 0)
        fail_msg("call %ld: status %s", n, lcl_status_name(st));
    if (st < 0 && capture->messages == 0)
        fail_msg("call %ld: %s without a word", n, lcl_status_name(st));
    if (st == LCL_OK && capture->messages > 0)
        fail_msg("call %ld: success, but \"%s\"", n, capture->last);
}

// Returns the number of calls of `function` that the job makes.
static long fail_each(const struct lcl_precond_params *precond,
                      enum fake_cl_function function, cl_int code,
                      enum lcl_status expected)
{
    for (long n = 1;; ++n) {
        struct test_capture capture;
        test_capture_init(&capture, LCL_LOG_ERROR);
        struct test_job job = warm_job(&capture.log);
        job.precond = *precond;
        fail_call(function, n, code);
        const enum lcl_status st = test_job_run(&job);
        expect_explained(st, n, &capture);
        if (st == LCL_OK)
            test_job_expect_solved(job.x);
        else if (expected != LCL_OK)
            assert_int_equal(st, expected);
        if (!fake_cl.failed)
            return n - 1;
    }
}

static const struct lcl_precond_params defaults = {0};

static void test_cl_calls__any_call_may_run_out_of_resources(void **state)
{
    (void)state;
    assert_true(fail_each(&defaults, FAKE_CL_ANY, CL_OUT_OF_RESOURCES, LCL_OK) >
                100);
}

static void test_cl_calls__full_device_memory_has_its_status(void **state)
{
    (void)state;
    static const struct lcl_precond_params preconds[] = {
        {.type = LCL_PRECOND_ILDU0},
        {.trisolve = LCL_TRISOLVE_DAG_VC_ILDU0_FUSED},
        {.trisolve = LCL_TRISOLVE_HEC_LEVEL},
        {.type = LCL_PRECOND_JACOBI},
        {.type = LCL_PRECOND_BLOCK_JACOBI},
        {.coarse = LCL_COARSE_MULT, .partition.rows = 50},
        {.type = LCL_PRECOND_AMG, .amg = {.coarse_rows = 30, .levels = 2}},
        {.type = LCL_PRECOND_AMG,
         .amg = {.smoother = LCL_AMG_ILDU0, .coarse_rows = 30, .levels = 2}},
    };
    const cl_int full = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    for (size_t i = 0; i < sizeof preconds / sizeof *preconds; ++i)
        assert_true(fail_each(&preconds[i], FAKE_clCreateBuffer, full,
                              LCL_EDEVMEM) > 10);
    assert_true(fail_each(&defaults, FAKE_clEnqueueNDRangeKernel, full,
                          LCL_EDEVMEM) > 10);
}

static void test_cl_calls__full_host_memory_has_its_status(void **state)
{
    (void)state;
    assert_true(fail_each(&defaults, FAKE_clCreateKernel, CL_OUT_OF_HOST_MEMORY,
                          LCL_ENOMEM) > 5);
}

// A kernel's fault shows in a later call and in all that follow: the library
// must not report a build failure or delete a cache file.
static void test_cl_calls__a_kernel_that_faults_is_named(void **state)
{
    (void)state;
    for (long n = 1;; ++n) {
        struct test_capture capture;
        test_capture_init(&capture, LCL_LOG_ERROR);
        struct test_job job = warm_job(&capture.log);
        fail_call(FAKE_clEnqueueNDRangeKernel, n, -9999);
        fake_cl.lost = true;
        const enum lcl_status st = test_job_run(&job);
        if (!fake_cl.failed)
            break;
        assert_int_equal(st, LCL_EDEVICE);
        test_capture_expect(&capture, "the device failed: NVIDIA: illegal "
                                      "memory access (-9999) from ");
        test_capture_expect(&capture, "enqueued since the last check: ");
    }
    struct test_job job = warm_job(&(struct lcl_log){0});
    fake_cl = (struct fake_cl){0};
    assert_int_equal(test_job_run(&job), LCL_OK);
    assert_int_equal(job.builds.compiled, 0);
}

// The number of queries whether a kernel has started differs from run to run.
static void test_cl_calls__the_first_launch_may_fail_to_start(void **state)
{
    (void)state;
    for (long n = 1; n <= 3; ++n) {
        struct test_capture capture;
        test_capture_init(&capture, LCL_LOG_ERROR);
        struct test_job job = warm_job(&capture.log);
        fail_call(FAKE_clGetEventInfo, n, CL_OUT_OF_RESOURCES);
        const enum lcl_status st = test_job_run(&job);
        expect_explained(st, n, &capture);
        assert_int_equal(st, fake_cl.failed ? LCL_EDEVICE : LCL_OK);
    }
}

// Covers the probe and every compilation, with an empty cache.
static void test_cl_calls__any_call_of_a_cold_start_may_fail(void **state)
{
    (void)state;
    for (long n = 1;; ++n) {
        struct test_capture capture;
        test_capture_init(&capture, LCL_LOG_ERROR);
        lcl_context *ctx;
        fail_call(FAKE_CL_ANY, n, CL_OUT_OF_RESOURCES);
        const enum lcl_status st = lcl_runtime_create(
            &ctx,
            &(struct lcl_context_params){.no_cache = true, .log = capture.log},
            &fake_cl_api);
        assert_true((st == LCL_OK) == (ctx != NULL));
        lcl_context_destroy(&ctx);
        expect_explained(st, n, &capture);
        if (!fake_cl.failed)
            break;
    }
}

// Trials of the probe may fail to build; without any other program there is no
// job.
static void test_cl_calls__a_kernel_that_does_not_build_is_named(void **state)
{
    (void)state;
    int named = 0;
    for (long n = 1;; ++n) {
        struct test_capture capture;
        test_capture_init(&capture, LCL_LOG_ERROR);
        struct test_job job = warm_job(&capture.log);
        job.context.no_cache = true;
        job.precond.type = LCL_PRECOND_JACOBI;
        fail_call(FAKE_clBuildProgram, n, CL_BUILD_PROGRAM_FAILURE);
        const enum lcl_status st = test_job_run(&job);
        expect_explained(st, n, &capture);
        if (!fake_cl.failed)
            break;
        if (st == LCL_OK)
            continue;
        ++named;
        assert_int_equal(st, LCL_EBUILD);
        test_capture_expect(&capture, ".cl does not compile on ");
        test_capture_expect(&capture, "CL_BUILD_PROGRAM_FAILURE (-11)");
    }
    assert_true(named > 0);
}

// A solver survives a failed call: its next solve succeeds.
static void fail_each_and_solve_again(lcl_solver *S, const double *b)
{
    for (long n = 1;; ++n) {
        double x[TEST_JOB_ROWS] = {0};
        const long objects = fake_cl.objects;
        fail_call(FAKE_CL_ANY, n, CL_OUT_OF_RESOURCES);
        fake_cl.objects = objects;
        const enum lcl_status st = lcl_solver_solve(S, b, x, NULL);
        if (!fake_cl.failed)
            return;
        assert_int_equal(st, LCL_EDEVICE);
        memset(x, 0, sizeof x);
        assert_int_equal(lcl_solver_solve(S, b, x, NULL), LCL_OK);
        test_job_expect_solved(x);
    }
}

static void test_cl_calls__a_solver_survives_any_failing_call(void **state)
{
    (void)state;
    const struct lcl_context_params params = {.cache_dir = test_cache.path};
    static struct test_line line;
    lcl_context *ctx;
    lcl_precond *M;
    lcl_solver *S;
    fake_cl = (struct fake_cl){0};
    test_line_init(&line);
    assert_int_equal(lcl_runtime_create(&ctx, &params, &fake_cl_api), LCL_OK);
    assert_int_equal(test_precond_create(&M, ctx, &line.A, NULL), LCL_OK);
    assert_int_equal(test_solver_create(&S, M, NULL), LCL_OK);
    fail_each_and_solve_again(S, line.b);
    lcl_solver_destroy(&S);
    test_precond_destroy(&M);
    lcl_context_destroy(&ctx);
    assert_int_equal(fake_cl.objects, 0);
}

static void test_cl_calls__an_update_survives_any_failing_call(void **state)
{
    (void)state;
    const struct lcl_context_params params = {.cache_dir = test_cache.path};
    const struct lcl_precond_params parts = {.coarse = LCL_COARSE_MULT,
                                             .partition.rows = 50};
    static struct test_line line;
    double x[TEST_JOB_ROWS], expected[TEST_JOB_ROWS];
    lcl_context *ctx;
    lcl_precond *M;
    test_line_init(&line);
    assert_int_equal(lcl_runtime_create(&ctx, &params, &fake_cl_api), LCL_OK);
    assert_int_equal(test_precond_create(&M, ctx, &line.A, &parts), LCL_OK);
    assert_int_equal(lcl_precond_apply(M, line.b, expected), LCL_OK);
    for (long n = 1;; ++n) {
        fail_call(FAKE_CL_ANY, n, CL_MEM_OBJECT_ALLOCATION_FAILURE);
        const enum lcl_status st = test_precond_update(M, line.val);
        if (!fake_cl.failed)
            break;
        assert_int_equal(st, LCL_EDEVMEM);
        assert_int_equal(test_precond_update(M, line.val), LCL_OK);
        assert_int_equal(lcl_precond_apply(M, line.b, x), LCL_OK);
        assert_memory_equal(x, expected, sizeof x);
    }
    test_precond_destroy(&M);
    lcl_context_destroy(&ctx);
}

static const enum lcl_spmv_type types[] = {LCL_SPMV_BINNED, LCL_SPMV_ADAPTIVE,
                                           LCL_SPMV_HEC};
enum { TYPES = sizeof types / sizeof *types };

// Rows of both bins, and one row that is split into parts.
static struct lcl_bsr matrix_of_all_lengths(void)
{
    static const int64_t length[] = {3, 20, 5, 9000, 40, 0};
    struct lcl_csr pattern = test_rows_of_lengths(6, 9000, length);
    struct lcl_bsr A = test_random_blocks(&pattern, 1, 5);
    test_csr_finish(&pattern);
    return A;
}

// A product whose kernels are built; it uses two queues even if the device
// would not overlap them.
static void open_product(struct test_product *p, lcl_context **ctx,
                         const struct lcl_bsr *A, enum lcl_spmv_type type)
{
    const struct lcl_context_params params = {.cache_dir = test_cache.path};
    fake_cl = (struct fake_cl){0};
    assert_int_equal(lcl_runtime_create(ctx, &params, &fake_cl_api), LCL_OK);
    (*ctx)->caps.queues_overlap = true;
    test_product_init(p, *ctx, A);
    test_product_upload(p, false);
    assert_int_equal(lcl_spmv_init(&p->S, type, *ctx, &p->D), LCL_OK);
}

static void close_product(struct test_product *p, lcl_context **ctx)
{
    test_product_finish(p);
    lcl_context_destroy(ctx);
    assert_int_equal(fake_cl.objects, 0);
}

static void test_cl_calls__making_a_product_may_fail_anywhere(void **state)
{
    (void)state;
    struct lcl_bsr A = matrix_of_all_lengths();
    for (int t = 0; t < TYPES; ++t) {
        struct test_product p;
        lcl_context *ctx;
        open_product(&p, &ctx, &A, types[t]);
        for (long n = 1; n == 1 || fake_cl.failed; ++n) {
            lcl_spmv_finish(&p.S);
            const long objects = fake_cl.objects;
            fail_call(FAKE_CL_ANY, n, CL_OUT_OF_RESOURCES);
            fake_cl.objects = objects;
            const enum lcl_status st = lcl_spmv_init(&p.S, types[t], ctx, &p.D);
            assert_int_equal(st, fake_cl.failed ? LCL_EDEVICE : LCL_OK);
        }
        close_product(&p, &ctx);
    }
    test_bsr_finish(&A);
}

// The product after a failed one succeeds: no kernel of the failed one is still
// running.
static void fail_each_and_multiply_again(const struct test_product *p)
{
    for (long n = 1; n == 1 || fake_cl.failed; ++n) {
        lcl_buffer *stop = test_stop_flag(p->ctx, 0);
        lcl_buffer *y = test_poisoned(p->ctx, p->n, sizeof(double));
        const struct lcl_operands v = {p->device_x, NULL, y, NULL, stop, 0};
        const long objects = fake_cl.objects;
        double got[8];
        fail_call(FAKE_CL_ANY, n, CL_OUT_OF_RESOURCES);
        fake_cl.objects = objects;
        const enum lcl_status st = lcl_multiply(&p->S, LCL_APPLY, &v);
        assert_int_equal(st, fake_cl.failed ? LCL_EDEVICE : LCL_OK);
        fake_cl.fail_at = 0;
        assert_int_equal(lcl_multiply(&p->S, LCL_APPLY, &v), LCL_OK);
        test_download(y, got, p->n, sizeof *got);
        test_expect_near("y", got, p->ax, p->n, 1e-12);
        lcl_buffer_destroy(&y);
        lcl_buffer_destroy(&stop);
    }
}

static void test_cl_calls__a_product_survives_any_failing_call(void **state)
{
    (void)state;
    struct lcl_bsr A = matrix_of_all_lengths();
    for (int t = 0; t < TYPES; ++t) {
        struct test_product p;
        lcl_context *ctx;
        open_product(&p, &ctx, &A, types[t]);
        fail_each_and_multiply_again(&p);
        const long queues = fake_cl.calls[FAKE_clCreateCommandQueue];
        test_product_expect_all(&p);
        // the context keeps its second queue
        assert_int_equal(fake_cl.calls[FAKE_clCreateCommandQueue], queues);
        assert_true((ctx->aux != NULL) == (types[t] == LCL_SPMV_BINNED));
        close_product(&p, &ctx);
    }
    test_bsr_finish(&A);
}

static void test_cl_calls__a_timer_ends_whatever_fails(void **state)
{
    (void)state;
    const struct lcl_context_params params = {.cache_dir = test_cache.path};
    lcl_context *ctx;
    fake_cl = (struct fake_cl){0};
    assert_int_equal(lcl_runtime_create(&ctx, &params, &fake_cl_api), LCL_OK);
    const long objects = fake_cl.objects;
    for (long n = 1; n == 1 || fake_cl.failed; ++n) {
        lcl_timer *timer;
        double seconds;
        fail_call(FAKE_CL_ANY, n, CL_OUT_OF_RESOURCES);
        enum lcl_status st = lcl_timer_start(&timer, ctx);
        if (st == LCL_OK)
            st = lcl_timer_stop(&timer, &seconds);
        assert_null(timer);
        assert_int_equal(st, fake_cl.failed ? LCL_EDEVICE : LCL_OK);
        assert_int_equal(fake_cl.objects, 0);
    }
    fake_cl.objects = objects;
    lcl_context_destroy(&ctx);
    assert_int_equal(fake_cl.objects, 0);
}

// Usage: test_cl_calls [PATTERN]   some cases only: all take long on a GPU
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cl_calls__any_call_may_run_out_of_resources),
        cmocka_unit_test(test_cl_calls__full_device_memory_has_its_status),
        cmocka_unit_test(test_cl_calls__full_host_memory_has_its_status),
        cmocka_unit_test(test_cl_calls__a_kernel_that_faults_is_named),
        cmocka_unit_test(test_cl_calls__the_first_launch_may_fail_to_start),
        cmocka_unit_test(test_cl_calls__any_call_of_a_cold_start_may_fail),
        cmocka_unit_test(test_cl_calls__a_solver_survives_any_failing_call),
        cmocka_unit_test(test_cl_calls__an_update_survives_any_failing_call),
        cmocka_unit_test(test_cl_calls__making_a_product_may_fail_anywhere),
        cmocka_unit_test(test_cl_calls__a_product_survives_any_failing_call),
        cmocka_unit_test(test_cl_calls__a_timer_ends_whatever_fails),
        cmocka_unit_test(test_cl_calls__a_kernel_that_does_not_build_is_named),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    setenv("LEVELCL_POOL", "0", 1); // each object counts, on GPUs too
    return cmocka_run_group_tests(tests, setup, test_cache_remove);
}
