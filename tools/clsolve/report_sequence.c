// SPDX-License-Identifier: BSD-3-Clause
// The text report of a sequence of systems.
#include "tools/clsolve/report.h"
#include "tools/clsolve/sequence.h"

#include <inttypes.h>
#include <stdio.h>

void text_sequence_begin(const struct job *job, const struct sequence *S)
{
    printf("%-12s%d systems, one after the other\n", "sequence", S->count);
    text_matrix(job);
    for (int k = 0; k < job->devices.count; ++k)
        text_device(lcl_context_caps(job->devices.ctx[k]));
    text_choice(job);
    puts("\n      step  set-up            ms  iterations    residual    solve "
         "ms");
    fflush(stdout);
}

void text_sequence_pattern(const struct job *job, int k)
{
    printf("step %d: %s has another pattern, of %" PRId64 " rows and %" PRId64
           " nonzeros: a full set-up\n",
           k + 1, terminal_text(job_title(job)).text, job->A.rows, job->A.nnz);
}

// Another method than the step before ended with.
static void method(const struct sequence *S, int k)
{
    const struct step *step = &S->step[k], *before = step - 1;
    if (k == 0 ||
        (step->solver == before->solver && step->precond == before->precond))
        return;
    printf("%10s  by another method: %s, %s\n", "",
           lcl_solver_name(step->solver), lcl_precond_name(step->precond));
}

void text_sequence_step(const struct sequence *S, int k)
{
    const struct step *step = &S->step[k];
    printf("%10d  %-8s  %10.2f  %10" PRId64 "   %9.3e  %10.2f  ", k + 1,
           step_set_up_name(step->set_up), 1e3 * step->set_up_seconds,
           step->iterations, step->report.true_residual,
           1e3 * step->solve_seconds);
    if (step->outcome == LCL_OK)
        puts("converged");
    else
        printf("not converged: %s\n", lcl_stop_name(step->report.stop));
    method(S, k);
    fflush(stdout);
}

static void verdict(const struct sequence *S)
{
    const int failed = sequence_failed(S);
    char text[256];
    if (failed > 0)
        snprintf(text, sizeof text, "%d of %d systems; step %d: %s", failed,
                 S->count, S->tried + 1,
                 lcl_stop_str(S->step[S->tried].report.stop));
    else if (S->solved < S->count)
        snprintf(text, sizeof text, "the sequence ended after %d of %d systems",
                 S->solved, S->count);
    else
        snprintf(text, sizeof text, "all %d systems", S->count);
    text_verdict(failed == 0 && S->solved == S->count, text);
    if (S->advises)
        text_hint(&S->hint);
}

// Sums, and the steps whose operator was made anew.
static void sums(const struct sequence *S)
{
    int64_t iterations = 0;
    double set_up = 0, solve = 0;
    int full = 0;
    for (int k = 0; k < S->solved; ++k) {
        const struct step *step = &S->step[k];
        iterations += step->iterations;
        set_up += step->set_up_seconds;
        solve += step->solve_seconds;
        full += step->set_up == STEP_FULL;
    }
    printf("%-12s%" PRId64 " in total\n", "iterations", iterations);
    printf("%-12s%d full; %.3f s for all set-ups, %.3f s for all solves\n",
           "set-ups", full, set_up, solve);
    if (S->output)
        printf("%-12s%s, one file for each step\n", "written",
               terminal_text(S->output).text);
}

void text_sequence_end(const struct job *job, const struct sequence *S)
{
    verdict(S);
    sums(S);
    if (job->op)
        text_precond(job);
    text_times(job);
}
