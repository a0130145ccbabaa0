// SPDX-License-Identifier: BSD-3-Clause
// The live line of a run, and the handling of signals that end it.
#include "tools/clsolve/progress.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { LINE_BYTES = 160 };

static const double every = 0.1; // seconds
static const double patience = 1;

static const int ends[PROGRESS_SIGNALS] = {SIGINT, SIGTERM};

// The only mutable globals of the tool: a signal handler has no other state.
static atomic_bool interrupted;
static _Atomic(lcl_chain *) running; // NULL: no solve

// The next signal ends the process.
static void on_signal(int number)
{
    struct sigaction usual = {.sa_handler = SIG_DFL};
    (void)number;
    sigemptyset(&usual.sa_mask);
    for (int k = 0; k < PROGRESS_SIGNALS; ++k)
        sigaction(ends[k], &usual, NULL);
    atomic_store(&interrupted, true);
    lcl_chain_cancel(atomic_load(&running));
}

static void catch_signals(struct sigaction before[PROGRESS_SIGNALS])
{
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&action.sa_mask);
    for (int k = 0; k < PROGRESS_SIGNALS; ++k)
        sigaddset(&action.sa_mask, ends[k]);
    for (int k = 0; k < PROGRESS_SIGNALS; ++k)
        sigaction(ends[k], &action, &before[k]);
}

// A signal of before, in a set-up, counts for this solve.
void progress_begin(struct progress *progress, struct live_line *line,
                    lcl_chain *chain)
{
    progress->line = line;
    progress->solved = 0;
    progress->next = 0;
    progress->convergence.count = 0;
    atomic_store(&running, chain);
    if (atomic_load(&interrupted))
        lcl_chain_cancel(chain);
    else
        catch_signals(progress->before);
}

static void next_column(struct progress *progress, int column)
{
    progress->solved = column;
    progress->next = 0;
    progress->convergence.count = 0;
}

// "12 s", "3 min", "-" if it is not known
static void print_duration(char text[32], double seconds)
{
    if (!(seconds < 100 * 3600))
        snprintf(text, 32, "-");
    else if (seconds < 100)
        snprintf(text, 32, "%.0f s", seconds);
    else if (seconds < 6000)
        snprintf(text, 32, "%.0f min", seconds / 60);
    else
        snprintf(text, 32, "%.0f h", seconds / 3600);
}

// With words if they fit, else the numbers alone.
static void print_line(char text[LINE_BYTES], const struct progress *progress,
                       const struct lcl_progress_info *info)
{
    const struct convergence *C = &progress->convergence;
    const double rate = convergence_rate(C);
    char phase[32] = "solve", shown[32] = "-", left[32];
    print_duration(left, convergence_seconds_left(C, progress->tolerance));
    if (progress->columns > 1)
        snprintf(phase, sizeof phase, "%d of %d solved", progress->solved,
                 progress->columns);
    if (isfinite(rate))
        snprintf(shown, sizeof shown, "%.3f", rate);
    const int length = snprintf(
        text, LINE_BYTES,
        "%s  iteration %d  residual %.2e  rate %s  %.1f s, %s left", phase,
        info->iteration, info->residual, shown, info->seconds, left);
    if (length < terminal_width(STDERR_FILENO))
        return;
    snprintf(text, LINE_BYTES, "%s %d %.0e %s %s", phase, info->iteration,
             info->residual, shown, left);
}

bool progress_monitor(void *user, const struct lcl_progress_info *info)
{
    struct progress *progress = user;
    char text[LINE_BYTES];
    if (info->column != progress->solved)
        next_column(progress, info->column);
    if (progress->line && info->seconds >= progress->next) {
        convergence_note(&progress->convergence, info->iteration,
                         info->residual, info->seconds);
        print_line(text, progress, info);
        live_line_show(progress->line, text);
        progress->next = info->seconds + every;
    }
    return !(progress->limit > 0 && info->seconds > progress->limit);
}

bool progress_interrupted(void)
{
    return atomic_load(&interrupted);
}

void progress_end(struct progress *progress)
{
    atomic_store(&running, NULL);
    for (int k = 0; k < PROGRESS_SIGNALS && !atomic_load(&interrupted); ++k)
        sigaction(ends[k], &progress->before[k], NULL);
    if (progress->line)
        live_line_clear(progress->line);
}

void progress_compiling(void *user, const struct lcl_compile_info *info)
{
    char text[LINE_BYTES], all[32] = "";
    if (info->seconds < patience)
        return;
    if (info->expected > 0)
        snprintf(all, sizeof all, " of about %d", info->expected);
    snprintf(text, sizeof text,
             "compiling kernel %d%s for this device%s: %.0f s so far",
             info->number, all, info->kept ? ", once" : "", info->seconds);
    live_line_show(user, text);
}
