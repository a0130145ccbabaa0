// SPDX-License-Identifier: BSD-3-Clause
// A whole job while the n-th host allocation fails, for every n: the library
// reports out of memory or works without the allocation; a sanitizer finds no
// leak.
#include "tests/support/cache_folder.h"
#include "tests/support/capture.h"
#include "tests/support/fail_alloc.h"
#include "tests/support/fake_cl.h"
#include "tests/support/job.h"
#include "tests/support/kept_programs.h"
#include "tests/support/test.h"

#include <levelcl/published.h>

// Whether the n-th allocation of the job failed.
static bool fail_alloc(struct test_job *job, long n)
{
    struct test_capture capture;
    test_capture_init(&capture, LCL_LOG_ERROR);
    job->context.log = capture.log;
    fake_cl = (struct fake_cl){0};
    lcl_test_fail_alloc_at(n);
    const enum lcl_status st = test_job_run(job);
    const bool failed = lcl_test_alloc_failed();
    lcl_test_fail_alloc_at(0);
    assert_int_equal(fake_cl.objects, 0);
    if (st == LCL_OK)
        test_job_expect_solved(job->x);
    else if (st != LCL_ENOMEM || !failed)
        fail_msg("allocation %ld: %s, \"%s\"", n, lcl_status_name(st),
                 capture.last);
    else
        test_capture_expect(&capture, "out of memory");
    return failed;
}

static void fail_each_job(struct test_job *job, int width)
{
    long n = 0;
    job->context.cache_dir = test_cache.path;
    job->context.width = width;
    job->api = &fake_cl_api;
    assert_false(fail_alloc(job, 0)); // fills the cache
    while (fail_alloc(job, ++n))
        continue;
    assert_true(n > 50);
}

static void fail_each_of(const struct lcl_precond_params *precond,
                         enum lcl_solver_type solver, int width)
{
    struct test_job job = {.precond = *precond, .solver = solver};
    fail_each_job(&job, width);
}

static void fail_each(const struct lcl_precond_params *precond, int width)
{
    fail_each_of(precond, LCL_SOLVER_DEFAULT, width);
}

static void test_alloc_solve__defaults(void **state)
{
    (void)state;
    fail_each(&(struct lcl_precond_params){0}, 1);
}

static void test_alloc_solve__published_kernels_on_many_lanes(void **state)
{
    static const enum lcl_trisolve methods[] = {
        LCL_TRISOLVE_DAG_VC_ILDU0_FUSED, LCL_TRISOLVE_DAG_EC_LDS_UD,
        LCL_TRISOLVE_SPIN_LOOP_LDS, LCL_TRISOLVE_HEC_LEVEL};
    (void)state;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i)
        fail_each(&(struct lcl_precond_params){.trisolve = methods[i]}, 4);
}

static void test_alloc_solve__coarse_correction(void **state)
{
    (void)state;
    fail_each(&(struct lcl_precond_params){.coarse = LCL_COARSE_MULT,
                                           .partition.rows = 20},
              1);
}

static void test_alloc_solve__multigrid(void **state)
{
    (void)state;
    fail_each_of(
        &(struct lcl_precond_params){.type = LCL_PRECOND_AMG,
                                     .amg = {.coarse_rows = 30, .levels = 2}},
        LCL_SOLVER_CG, 1);
}

static void test_alloc_solve__multigrid_of_nodes(void **state)
{
    struct test_job job = {.op = {.block_size = 2},
                           .precond = {.type = LCL_PRECOND_AMG,
                                       .amg = {.coarse_rows = 30, .levels = 2}},
                           .solver = LCL_SOLVER_CG};
    (void)state;
    fail_each_job(&job, 1);
    job.precond.amg.smoother = LCL_AMG_ILDU0;
    job.precond.amg.storage = LCL_FACTOR_STORAGE_BF16;
    fail_each_job(&job, 1);
    job.precond = (struct lcl_precond_params){
        .type = LCL_PRECOND_CPR, .amg = {.coarse_rows = 15, .levels = 2}};
    job.solver = LCL_SOLVER_DEFAULT;
    fail_each_job(&job, 1);
}

static void test_alloc_solve__chain(void **state)
{
    struct test_job job = {.chain = true};
    (void)state;
    fail_each_job(&job, 1);
}

static void test_alloc_solve__transversal(void **state)
{
    (void)state;
    fail_each(&(struct lcl_precond_params){.transversal = true}, 1);
    fail_each(&(struct lcl_precond_params){.transversal = true,
                                           .order = LCL_ORDER_RCM},
              1);
}

static void test_alloc_solve__jacobi(void **state)
{
    (void)state;
    fail_each(&(struct lcl_precond_params){.type = LCL_PRECOND_JACOBI}, 1);
}

static void test_alloc_solve__products(void **state)
{
    static const enum lcl_spmv_type types[] = {LCL_SPMV_BINNED,
                                               LCL_SPMV_ADAPTIVE, LCL_SPMV_HEC};
    (void)state;
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
        struct test_job job = {.op = {.block_size = 1, .spmv = types[i]},
                               .precond = {.type = LCL_PRECOND_JACOBI}};
        fail_each_job(&job, 1);
    }
}

static void test_alloc_solve__blocks_of_entries(void **state)
{
    (void)state;
    struct test_job job = {.op = {.block_size = 2},
                           .precond = {.type = LCL_PRECOND_JACOBI}};
    fail_each_job(&job, 4);
}

static void test_alloc_solve__conjugate_gradients(void **state)
{
    const struct lcl_precond_params none = {.type = LCL_PRECOND_NONE};
    const struct lcl_precond_params ic0 = {.type = LCL_PRECOND_IC0,
                                           .coarse = LCL_COARSE_MULT,
                                           .partition.rows = 20};
    (void)state;
    fail_each_of(&ic0, LCL_SOLVER_CG, 1);
    fail_each_of(&none, LCL_SOLVER_CG_PUBLISHED, 1);
    fail_each_of(&ic0, LCL_SOLVER_CG_PIPELINED, 1);
}

static void test_alloc_solve__columns_together(void **state)
{
    struct test_job job = {.precond = {.type = LCL_PRECOND_IC0,
                                       .coarse = LCL_COARSE_MULT,
                                       .partition.rows = 20},
                           .solver = LCL_SOLVER_CG,
                           .columns = 3};
    (void)state;
    fail_each_job(&job, 1);
    job.precond = (struct lcl_precond_params){.type = LCL_PRECOND_JACOBI};
    fail_each_job(&job, 1);
}

static void test_alloc_solve__minimal_residuals(void **state)
{
    const struct lcl_precond_params jacobi = {.type = LCL_PRECOND_JACOBI};
    (void)state;
    fail_each_of(&jacobi, LCL_SOLVER_MINRES, 1);
}

static void test_alloc_solve__bases(void **state)
{
    const struct lcl_precond_params jacobi = {.type = LCL_PRECOND_JACOBI};
    (void)state;
    fail_each_of(&jacobi, LCL_SOLVER_GMRES, 1);
    fail_each_of(&jacobi, LCL_SOLVER_FGMRES, 1);
}

static void test_alloc_solve__diagonal_blocks(void **state)
{
    static const struct lcl_precond_params params[] = {
        {.type = LCL_PRECOND_BLOCK_JACOBI,
         .storage = LCL_FACTOR_STORAGE_ADAPTIVE},
        {.type = LCL_PRECOND_BLOCK_JACOBI,
         .block_jacobi.apply = LCL_BLOCK_APPLY_SPMV},
    };
    (void)state;
    for (size_t i = 0; i < sizeof params / sizeof *params; ++i)
        fail_each(&params[i], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alloc_solve__defaults),
        cmocka_unit_test(test_alloc_solve__published_kernels_on_many_lanes),
        cmocka_unit_test(test_alloc_solve__coarse_correction),
        cmocka_unit_test(test_alloc_solve__multigrid),
        cmocka_unit_test(test_alloc_solve__multigrid_of_nodes),
        cmocka_unit_test(test_alloc_solve__chain),
        cmocka_unit_test(test_alloc_solve__transversal),
        cmocka_unit_test(test_alloc_solve__jacobi),
        cmocka_unit_test(test_alloc_solve__products),
        cmocka_unit_test(test_alloc_solve__blocks_of_entries),
        cmocka_unit_test(test_alloc_solve__conjugate_gradients),
        cmocka_unit_test(test_alloc_solve__columns_together),
        cmocka_unit_test(test_alloc_solve__minimal_residuals),
        cmocka_unit_test(test_alloc_solve__bases),
        cmocka_unit_test(test_alloc_solve__diagonal_blocks),
    };
    kept_programs_start();
    return cmocka_run_group_tests(tests, test_cache_create, test_cache_remove);
}
