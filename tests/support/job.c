// SPDX-License-Identifier: BSD-3-Clause
// A whole job on a small system.
#include "tests/support/job.h"

#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void test_need_device(void)
{
    int count;
    if (lcl_device_count(&count, NULL) < 0 || count == 0)
        exit(77);
}

static double solution(int row)
{
    return 1 + row % 7;
}

static void fill_matrix(struct test_system *s)
{
    enum { N = TEST_JOB_ROWS };
    int64_t nnz = 0;
    s->row_ptr[0] = 0;
    for (int i = 0; i < N; ++i) {
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < N; ++j) {
            s->col_ind[nnz] = j;
            s->val[nnz++] = i == j ? 3 : -1;
        }
        s->row_ptr[i + 1] = nnz;
    }
    s->A = (struct lcl_csr){N, N, nnz, s->row_ptr, s->col_ind, s->val};
}

void test_system_init(struct test_system *system)
{
    double x[TEST_JOB_ROWS];
    for (int i = 0; i < TEST_JOB_ROWS; ++i)
        x[i] = solution(i);
    fill_matrix(system);
    lcl_csr_multiply(&system->A, x, system->b);
}

static enum lcl_status solve(struct test_job *job, lcl_context *ctx)
{
    const struct lcl_solver_params few = {.max_iters = 12};
    struct test_system system;
    lcl_precond *M = NULL;
    lcl_solver *S = NULL;
    enum lcl_status st;
    test_system_init(&system);
    memset(job->x, 0, sizeof job->x);
    if ((st = lcl_precond_create(&M, ctx, &system.A, &job->precond)) ==
            LCL_OK &&
        (st = lcl_solver_create(&S, M, &few)) == LCL_OK)
        st = lcl_solver_solve(S, system.b, job->x, NULL);
    lcl_solver_destroy(&S);
    lcl_precond_destroy(&M);
    return st;
}

enum lcl_status test_job_run(struct test_job *job)
{
    const struct lcl_cl_api *api = job->api ? job->api : &lcl_cl_loader;
    lcl_context *ctx;
    enum lcl_status st = lcl_runtime_create(&ctx, &job->context, api);
    if (st < 0)
        return st;
    if (job->precond.partition.rows == 0)
        job->precond.partition.rows = TEST_JOB_ROWS / 4;
    st = solve(job, ctx);
    job->builds = lcl_context_builds(ctx);
    lcl_context_destroy(&ctx);
    return st;
}

void test_job_expect_solved(const double x[TEST_JOB_ROWS])
{
    for (int i = 0; i < TEST_JOB_ROWS; ++i)
        if (!(fabs(x[i] - solution(i)) < 1e-6))
            fail_msg("x[%d] is %.17g, expected %g within 1e-6", i, x[i],
                     solution(i));
}
