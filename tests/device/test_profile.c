// SPDX-License-Identifier: BSD-3-Clause
// The profile of a solve: each task that ran has its time, traffic and
// launches, and no second counts twice.
#include "host/clock.h"
#include "tests/support/fake_cl.h"
#include "tests/support/job.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"
#include "tests/support/preconds.h"
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>

static lcl_context *new_context(bool profile)
{
    const struct lcl_context_params params = {.profile = profile};
    lcl_context *ctx;
    assert_int_equal(lcl_runtime_create(&ctx, &params, &lcl_cl_loader), LCL_OK);
    return ctx;
}

// A solve with all tasks of the default preconditioner on every device.
static void solve(lcl_context *ctx, const struct lcl_csr *A)
{
    const struct lcl_precond_params params = {
        .partition = {LCL_PARTITION_MATCH, .rows = 64},
        .coarse = LCL_COARSE_MULT,
    };
    const size_t n = (size_t)A->rows;
    double *b = calloc(n, sizeof *b), *x = calloc(n, sizeof *x);
    lcl_precond *M;
    lcl_solver *S;
    assert_true(b && x);
    b[0] = 1;
    assert_int_equal(test_precond_create(&M, ctx, A, &params), LCL_OK);
    assert_int_equal(test_solver_create(&S, M, NULL), LCL_OK);
    assert_int_equal(lcl_solver_solve(S, b, x, NULL), LCL_OK);
    lcl_solver_destroy(&S);
    test_precond_destroy(&M);
    free(x);
    free(b);
}

static uint64_t pattern_bytes(const struct lcl_csr *A)
{
    return (uint64_t)(4 * (A->rows + 1) + 4 * A->nnz);
}

// Least traffic that a task must have counted; each reads or writes the pattern
// of A, or of a part of it.
static void expect_task(const lcl_context *ctx, enum lcl_task task,
                        uint64_t bytes, int64_t launches)
{
    const struct lcl_task_info info = lcl_context_task(ctx, task);
    if (!(info.seconds > 0 && info.bytes >= bytes && info.launches >= launches))
        fail_msg("%s: %g s, %llu bytes, %lld launches; expected > 0, >= %llu, "
                 ">= %lld",
                 lcl_task_name(task), info.seconds,
                 (unsigned long long)info.bytes, (long long)info.launches,
                 (unsigned long long)bytes, (long long)launches);
}

static void test_profile__has_all_tasks_of_a_solve(void **state)
{
    (void)state;
    struct lcl_csr A = test_problem("lap3d:12");
    const uint64_t pattern = pattern_bytes(&A), values = 8 * (uint64_t)A.nnz;
    lcl_context *ctx = new_context(true);
    solve(ctx, &A);
    expect_task(ctx, LCL_TASK_UPLOAD, pattern + values, 0);
    expect_task(ctx, LCL_TASK_BLOCKS, 0, 0);
    expect_task(ctx, LCL_TASK_PARTITION, 16 * (uint64_t)A.rows, 1);
    expect_task(ctx, LCL_TASK_MATCHING, pattern + values, 10);
    expect_task(ctx, LCL_TASK_CONTRACTION, pattern, 5);
    expect_task(ctx, LCL_TASK_REFINEMENT, pattern, 5);
    expect_task(ctx, LCL_TASK_PATTERN, 2 * pattern + values, 3);
    expect_task(ctx, LCL_TASK_SCHEDULE, pattern, 3);
    expect_task(ctx, LCL_TASK_COARSE_PATTERN, pattern, 1);
    expect_task(ctx, LCL_TASK_NUMERIC, 2 * values, 1);
    expect_task(ctx, LCL_TASK_COARSE, values, 2);
    expect_task(ctx, LCL_TASK_PRODUCT, 0, 0);
    expect_task(ctx, LCL_TASK_COMPILE, 0, 0);
    expect_task(ctx, LCL_TASK_SOLVE, 0, 10);
    lcl_context_destroy(&ctx);
    lcl_csr_finish(&A);
}

static void test_profile__counts_the_conversion_to_blocks(void **state)
{
    (void)state;
    struct lcl_csr A = test_problem("lap3d:5,b=2");
    lcl_context *ctx = new_context(true);
    solve(ctx, &A);
    expect_task(ctx, LCL_TASK_BLOCKS, pattern_bytes(&A) + 16 * (uint64_t)A.nnz,
                3);
    lcl_context_destroy(&ctx);
    lcl_csr_finish(&A);
}

// The tasks make up the phases, and take no longer than the whole.
static void expect_sums(const lcl_context *ctx, double wall)
{
    double tasks = 0, phases = 0;
    for (int t = 0; t < LCL_TASK_COUNT; ++t)
        tasks += lcl_context_task(ctx, (enum lcl_task)t).seconds;
    for (int p = 0; p < LCL_PHASE_COUNT; ++p)
        phases += lcl_context_seconds(ctx, (enum lcl_phase)p);
    if (!(tasks > 0 && tasks <= wall && fabs(tasks - phases) <= 1e-9 * wall))
        fail_msg("%g s of tasks, %g s of phases, %g s in all", tasks, phases,
                 wall);
}

static void test_profile__adds_up_to_no_more_than_the_whole(void **state)
{
    (void)state;
    struct lcl_csr A = test_problem("lap3d:8");
    for (int profile = 0; profile < 2; ++profile) {
        const double start = lcl_now();
        lcl_context *ctx = new_context(profile);
        solve(ctx, &A);
        expect_sums(ctx, lcl_now() - start);
        lcl_context_destroy(&ctx);
    }
    lcl_csr_finish(&A);
}

// ------------------------------------------------------------------- waiting

static long waits(bool profile)
{
    struct test_job job = {.context.profile = profile, .api = &fake_cl_api};
    fake_cl = (struct fake_cl){.real_platform = true};
    assert_int_equal(test_job_run(&job), LCL_OK);
    test_job_expect_solved(job.x);
    return fake_cl.calls[FAKE_clFinish];
}

static void test_profile__waits_only_on_request(void **state)
{
    (void)state;
    waits(false); // compiles
    const long without = waits(false), with = waits(true);
    if (with < without + LCL_TASK_COUNT)
        fail_msg("%ld waits without profile, %ld with it", without, with);
}

static void test_profile__reports_a_lost_device(void **state)
{
    (void)state;
    const long all = waits(true);
    for (long at = all / 4; at <= all * 3 / 4; at += all / 8) {
        struct test_job job = {.context.profile = true, .api = &fake_cl_api};
        fake_cl = (struct fake_cl){.fail_at = at,
                                   .function = FAKE_clFinish,
                                   .code = CL_OUT_OF_RESOURCES,
                                   .lost = true,
                                   .real_platform = true};
        assert_true(test_job_run(&job) < 0);
        assert_int_equal(fake_cl.objects, 0);
    }
}

static void test_profile__copy_bandwidth_is_measured(void **state)
{
    (void)state;
    lcl_context *ctx = new_context(false);
    double rate = -1;
    assert_int_equal(lcl_context_copy_bandwidth(ctx, &rate), LCL_OK);
    assert_true(rate > 1e6 && rate < 1e15);
    assert_misuse(lcl_context_copy_bandwidth(ctx, NULL));
    lcl_context_destroy(&ctx);
}

static void test_profile__links_are_measured(void **state)
{
    (void)state;
    lcl_context *ctx[2] = {new_context(false), new_context(false)};
    for (int k = 0; k < 4; ++k) {
        struct lcl_link link = {-1, -1};
        assert_int_equal(lcl_context_link(ctx[k / 2], ctx[k % 2], &link),
                         LCL_OK);
        assert_true(link.latency > 0 && link.latency < 1);
        assert_true(link.bandwidth > 1e6 && link.bandwidth < 1e15);
    }
    assert_misuse(lcl_context_link(ctx[0], ctx[1], NULL));
    lcl_context_destroy(&ctx[0]);
    lcl_context_destroy(&ctx[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_profile__has_all_tasks_of_a_solve),
        cmocka_unit_test(test_profile__counts_the_conversion_to_blocks),
        cmocka_unit_test(test_profile__adds_up_to_no_more_than_the_whole),
        cmocka_unit_test(test_profile__waits_only_on_request),
        cmocka_unit_test(test_profile__reports_a_lost_device),
        cmocka_unit_test(test_profile__copy_bandwidth_is_measured),
        cmocka_unit_test(test_profile__links_are_measured),
    };
    return cmocka_run_group_tests(tests, test_device_setup, NULL);
}
