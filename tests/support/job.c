// SPDX-License-Identifier: BSD-3-Clause
// A complete job on a small system.
#include "tests/support/job.h"
#include "tests/support/preconds.h"

#include "tests/support/test.h"

#include <levelcl/chain.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

void test_need_device(void)
{
    int count;
    if (lcl_device_count(&count, NULL) < 0 || count == 0)
        exit(77);
}

int test_device_setup(void **state)
{
    (void)state;
    test_need_device();
    return 0;
}

static double solution(int row)
{
    return 1 + row % 7;
}

static void fill_matrix(struct test_line *c)
{
    enum { N = TEST_JOB_ROWS };
    int64_t nnz = 0;
    c->row_ptr[0] = 0;
    for (int i = 0; i < N; ++i) {
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < N; ++j) {
            c->col_ind[nnz] = j;
            c->val[nnz++] = i == j ? 3 : -1;
        }
        c->row_ptr[i + 1] = nnz;
    }
    c->A = (struct lcl_csr){N, N, nnz, c->row_ptr, c->col_ind, c->val};
}

void test_line_init(struct test_line *line)
{
    double x[TEST_JOB_ROWS];
    for (int i = 0; i < TEST_JOB_ROWS; ++i)
        x[i] = solution(i);
    fill_matrix(line);
    lcl_csr_multiply(&line->A, x, line->b);
}

// The last of several equal columns.
static enum lcl_status solve_columns(struct test_job *job, lcl_solver *S,
                                     const double *b)
{
    enum { N = TEST_JOB_ROWS };
    double B[TEST_JOB_COLUMNS * N], X[TEST_JOB_COLUMNS * N] = {0};
    assert_true(job->columns <= TEST_JOB_COLUMNS);
    for (int j = 0; j < job->columns; ++j)
        memcpy(B + j * N, b, N * sizeof *b);
    const enum lcl_status st =
        lcl_solver_solve_many(S, B, N, X, N, job->columns, NULL);
    memcpy(job->x, X + (job->columns - 1) * N, N * sizeof *X);
    return st;
}

static enum lcl_status solve(struct test_job *job, lcl_context *ctx,
                             const struct test_line *line)
{
    // the fewest iterations that suffice, since the tests try all calls of each
    const struct lcl_solver_params few = {
        .type = job->solver,
        .max_iters = job->solver                               ? 24
                     : job->precond.type == LCL_PRECOND_JACOBI ? 12
                                                               : 6};
    lcl_precond *M = NULL;
    lcl_solver *S = NULL;
    enum lcl_status st;
    if ((st = test_precond_create_from(&M, ctx, &line->A, &job->op,
                                       &job->precond)) == LCL_OK &&
        (st = test_solver_create(&S, M, &few)) == LCL_OK)
        st = job->columns > 0 ? solve_columns(job, S, line->b)
                              : lcl_solver_solve(S, line->b, job->x, NULL);
    lcl_solver_destroy(&S);
    test_precond_destroy(&M);
    return st;
}

// The same by a chain.
static enum lcl_status solve_chain(struct test_job *job, lcl_context *ctx,
                                   const struct test_line *line)
{
    const struct lcl_solver_params solver = {.type = job->solver};
    lcl_operator *op = NULL;
    lcl_chain *C = NULL;
    enum lcl_status st;
    if ((st = lcl_operator_create(&op, ctx, &line->A, &job->op)) == LCL_OK &&
        (st = lcl_chain_create(&C, op, &job->precond, &solver)) == LCL_OK)
        st = lcl_chain_solve(C, line->b, job->x, NULL);
    lcl_chain_destroy(&C);
    lcl_operator_destroy(&op);
    return st;
}

enum lcl_status test_job_run(struct test_job *job)
{
    const struct lcl_cl_api *api = job->api ? job->api : &lcl_cl_loader;
    struct test_line line;
    lcl_context *ctx;
    enum lcl_status st = lcl_runtime_create(&ctx, &job->context, api);
    if (st < 0)
        return st;
    if (job->precond.partition.rows == 0)
        job->precond.partition.rows = TEST_JOB_ROWS / 4;
    test_line_init(&line);
    memset(job->x, 0, sizeof job->x);
    st = job->chain ? solve_chain(job, ctx, &line) : solve(job, ctx, &line);
    job->builds = lcl_context_builds(ctx);
    job->caps = *lcl_context_caps(ctx);
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
