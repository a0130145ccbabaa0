// SPDX-License-Identifier: BSD-3-Clause
// The text report of several right-hand sides.
#include "tools/clsolve/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

// Whether a column took much longer than all solves without compilation.
static bool solves_compiled(const struct job *job)
{
    double longest = 0;
    for (int k = 0; k < job->columns; ++k)
        longest = fmax(longest, job->column[k].report.seconds);
    return longest > 1.5 * job_times(job).phase[LCL_PHASE_SOLVE];
}

void text_columns(const struct job *job)
{
    puts("\n    column  iterations    residual     seconds");
    for (int k = 0; k < job->columns; ++k) {
        const struct column *column = &job->column[k];
        const struct lcl_report *report = &column->report;
        if (!report->stop) {
            printf("%10d  not solved\n", k + 1);
            continue;
        }
        printf("%10d  %10d   %9.3e  %10.3f  ", k + 1, report->iterations,
               report->true_residual, report->seconds);
        if (column->outcome == LCL_OK)
            puts("converged");
        else
            printf("not converged: %s\n", lcl_stop_name(report->stop));
    }
    if (solves_compiled(job))
        puts("            the seconds include the compilation of kernels");
}

void text_columns_outcome(const struct job *job)
{
    const int failed = columns_sum(job->column, job->columns).failed;
    char text[256];
    if (failed == 0)
        snprintf(text, sizeof text, "all %d right-hand sides", job->columns);
    else
        snprintf(text, sizeof text, "%d of %d right-hand sides; column %d: %s",
                 failed, job->columns, job->worst + 1,
                 lcl_stop_str(job->report.stop));
    text_verdict(failed == 0, text);
}

// Of the factors of the last column that was solved.
static void age(const struct job *job)
{
    int last = job->columns - 1;
    while (last > 0 && !job->column[last].report.stop)
        --last;
    const int solves = job->column[last].report.precond_solves;
    const struct lcl_precond_info *info = lcl_precond_info(job->M);
    if (solves > 0 && info && info->type != LCL_PRECOND_NONE)
        printf("%-12s%d solve%s with the last factors\n", "age", solves,
               solves == 1 ? "" : "s");
}

void text_columns_sums(const struct job *job)
{
    const struct column_sums sums = columns_sum(job->column, job->columns);
    printf("%-12s%" PRId64 " in total\n", "iterations", sums.iterations);
    printf("%-12s%.3e true, the largest, of column %d\n", "residual",
           job->report.true_residual, job->worst + 1);
    age(job);
}
