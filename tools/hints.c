// SPDX-License-Identifier: BSD-3-Clause
// Advice after a failed solve: what was not tried and may help.
#include "tools/job.h"

// Whether the residual is so small that rounding may limit it.
static bool is_near_rounding(const struct job *job)
{
    return job->report.true_residual < 1e-4;
}

static bool names_method(const struct job *job)
{
    const struct lcl_options *options = &job->cli.options;
    return options->solver.type || options->precond.type;
}

static const char *hint_for_method(const struct job *job)
{
    const bool solver = job->cli.options.solver.type;
    const bool precond = job->cli.options.precond.type;
    return solver && precond
               ? "no --solver and no --precond: levelcl then chooses them by "
                 "the matrix, and tries others if they fail"
           : solver
               ? "no --solver: levelcl then chooses it by the matrix, and "
                 "tries others if it fails"
               : "no --precond: levelcl then chooses it by the matrix, and "
                 "tries others if it fails";
}

const char *job_hint(const struct job *job)
{
    const enum lcl_stop stop = job->report.stop;
    if (job->outcome == LCL_OK || stop == LCL_STOP_MONITOR)
        return NULL;
    if (names_method(job))
        return hint_for_method(job);
    if (stop == LCL_STOP_MAX_ITERS)
        return "more iterations (--max-iters): each method got a share of them";
    if (is_near_rounding(job))
        return "a larger --rtol: rounding errors may limit the residual";
    return "another program: none of the methods tried solves this system; the "
           "matrix may be singular or nearly so";
}
