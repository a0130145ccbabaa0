// SPDX-License-Identifier: BSD-3-Clause
// Wall time by phase: what a driver compiles, when and however late it does so,
// counts as compilation.
#include "host/clock.h"
#include "tests/support/folder.h"
#include "tests/support/job.h"
#include "tests/support/preconds.h"
#include "tests/support/test.h"

#include <stdlib.h>

static int setup(void **state)
{
    (void)state;
    lcl_test_folder_create(&test_folder);
    // before anything of OpenCL is called: drivers find nothing compiled
    setenv("POCL_CACHE_DIR", test_folder.path, 1);
    setenv("MESA_SHADER_CACHE_DIR", test_folder.path, 1);
    setenv("CUDA_CACHE_PATH", test_folder.path, 1);
    test_need_device();
    return 0;
}

// Preconditioner and solve.
static void run(lcl_context *ctx)
{
    static struct test_line line;
    const struct lcl_precond_params parts = {
        .partition = {LCL_PARTITION_NATURAL, .rows = TEST_JOB_ROWS / 4}};
    double x[TEST_JOB_ROWS] = {0};
    lcl_precond *M;
    lcl_solver *S;
    test_line_init(&line);
    assert_int_equal(test_precond_create(&M, ctx, &line.A, &parts), LCL_OK);
    assert_int_equal(test_solver_create(&S, M, NULL), LCL_OK);
    assert_int_equal(lcl_solver_solve(S, line.b, x, NULL), LCL_OK);
    test_job_expect_solved(x);
    lcl_solver_destroy(&S);
    test_precond_destroy(&M);
}

static double seconds_of_all(const lcl_context *ctx)
{
    double sum = 0;
    for (int p = 0; p < LCL_PHASE_COUNT; ++p)
        sum += lcl_context_seconds(ctx, (enum lcl_phase)p);
    return sum;
}

// A system this small takes next to no time but to compile for.
static void test_phases__a_cold_start_is_compilation(void **state)
{
    (void)state;
    const struct lcl_context_params params = {.no_cache = true};
    lcl_context *ctx;
    const double start = lcl_now();
    assert_int_equal(lcl_runtime_create(&ctx, &params, &lcl_cl_loader), LCL_OK);
    run(ctx);
    const double wall = lcl_now() - start;
    const double compile = lcl_context_seconds(ctx, LCL_PHASE_COMPILE);
    const double all = seconds_of_all(ctx);
    if (!(all - compile < 0.1 * compile && all <= wall))
        fail_msg("%.3f s of compilation, %.3f s of all phases, %.3f s in all",
                 compile, all, wall);
    lcl_context_destroy(&ctx);
}

static void test_phases__a_second_solve_compiles_nothing(void **state)
{
    (void)state;
    const struct lcl_context_params params = {.no_cache = true};
    lcl_context *ctx;
    assert_int_equal(lcl_runtime_create(&ctx, &params, &lcl_cl_loader), LCL_OK);
    run(ctx);
    const double compile = lcl_context_seconds(ctx, LCL_PHASE_COMPILE);
    run(ctx);
    assert_true(lcl_context_seconds(ctx, LCL_PHASE_COMPILE) == compile);
    lcl_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_phases__a_cold_start_is_compilation),
        cmocka_unit_test(test_phases__a_second_solve_compiles_nothing),
    };
    return cmocka_run_group_tests(tests, setup, test_folder_teardown);
}
