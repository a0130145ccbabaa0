// SPDX-License-Identifier: BSD-3-Clause
// Times of one method on the system of a job.
#include "tools/clsolve/timing.h"

#include <float.h>
#include <math.h>

static double now(const struct job *job)
{
    return job_clock() - lcl_context_seconds(job->ctx, LCL_PHASE_COMPILE);
}

enum lcl_status timing_set_up(struct timing *timing, struct job *job)
{
    const double start = now(job);
    const enum lcl_status st = job_set_up(job);
    *timing = (struct timing){
        .setup = now(job) - start, .refresh = NAN, .solve = NAN};
    return st;
}

enum lcl_status timing_solve(struct timing *timing, struct job *job,
                             double limit)
{
    job_restart(job);
    job->progress.limit = limit;
    const double start = now(job);
    const enum lcl_status st = job_solve(job);
    timing->solve = now(job) - start;
    timing->iterations = job->report.iterations;
    timing->stop = job->report.stop;
    return st;
}

void timing_change(const struct lcl_csr *A)
{
    double *last = A->val + A->nnz - 1;
    *last = nextafter(*last, -*last);
}

enum lcl_status timing_refresh(struct timing *timing, struct job *job)
{
    if (job->A.nnz > 0)
        timing_change(&job->A);
    const double start = now(job);
    enum lcl_status st = cli_is_kron(&job->cli)
                             ? lcl_operator_update_kron(job->op, &job->kron.K)
                             : lcl_operator_update(job->op, job->A.val);
    if (st >= 0)
        st = lcl_chain_update(job->chain);
    timing->refresh = now(job) - start;
    return st;
}

enum lcl_status timing_warm_up(struct timing *timing, struct job *job)
{
    struct timing unused;
    enum lcl_status st = timing_set_up(timing, job);
    if (st >= 0)
        st = timing_solve(&unused, job, DBL_MIN);
    job_drop_method(job);
    return st < 0 ? st : LCL_OK;
}
