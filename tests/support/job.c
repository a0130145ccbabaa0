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

struct lcl_csr test_job_matrix(void)
{
    enum { N = TEST_JOB_ROWS };
    static int64_t row_ptr[N + 1];
    static int32_t col_ind[3 * N];
    static double val[3 * N];
    int64_t nnz = 0;
    for (int i = 0; i < N; ++i) {
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < N; ++j) {
            col_ind[nnz] = j;
            val[nnz++] = i == j ? 3 : -1;
        }
        row_ptr[i + 1] = nnz;
    }
    return (struct lcl_csr){N, N, nnz, row_ptr, col_ind, val};
}

static double solution(int row)
{
    return 1 + row % 7;
}

void test_job_rhs(double b[TEST_JOB_ROWS])
{
    const struct lcl_csr A = test_job_matrix();
    double x[TEST_JOB_ROWS];
    for (int i = 0; i < TEST_JOB_ROWS; ++i)
        x[i] = solution(i);
    lcl_csr_multiply(&A, x, b);
}

static enum lcl_status solve(struct test_job *job, lcl_context *ctx)
{
    const struct lcl_csr A = test_job_matrix();
    const struct lcl_solver_params few = {.max_iters = 12};
    double b[TEST_JOB_ROWS];
    lcl_precond *M = NULL;
    lcl_solver *S = NULL;
    enum lcl_status st;
    test_job_rhs(b);
    memset(job->x, 0, sizeof job->x);
    if ((st = lcl_precond_create(&M, ctx, &A, &job->precond)) == LCL_OK &&
        (st = lcl_solver_create(&S, M, &few)) == LCL_OK)
        st = lcl_solver_solve(S, b, job->x, NULL);
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
