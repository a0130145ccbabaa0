// SPDX-License-Identifier: BSD-3-Clause
// The live lines: of compilation, and of a solve, with the handling of Ctrl-C.
#include "tools/progress.h"

#include <stdio.h>
#include <unistd.h>

static const double every = 0.1; // seconds
static const double patience = 1;

// The only mutable global of the tool: a signal handler has no other state.
static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

bool progress_is_visible(void)
{
    return isatty(STDERR_FILENO) && isatty(STDOUT_FILENO);
}

void progress_begin(struct progress *progress, bool wanted)
{
    *progress = (struct progress){
        .live = wanted && isatty(STDERR_FILENO),
        .limit = progress->limit,
    };
    struct sigaction action = {.sa_handler = on_interrupt};
    action.sa_flags = (int)SA_RESETHAND; // the second Ctrl-C terminates
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &progress->before);
}

bool progress_monitor(void *user, const struct lcl_progress_info *info)
{
    struct progress *progress = user;
    if (progress->live && info->seconds >= progress->next) {
        fprintf(stderr, "\r  iteration %d   residual %.2e   %.1f s \033[K",
                info->iteration, info->residual, info->seconds);
        fflush(stderr);
        progress->shown = true;
        progress->next = info->seconds + every;
    }
    return !interrupted &&
           !(progress->limit > 0 && info->seconds > progress->limit);
}

bool progress_interrupted(void)
{
    return interrupted;
}

void progress_end(struct progress *progress)
{
    sigaction(SIGINT, &progress->before, NULL);
    if (progress->shown)
        fputs("\r\033[K", stderr);
}

void compile_line_begin(struct compile_line *line, bool wanted)
{
    *line = (struct compile_line){.live = wanted && isatty(STDERR_FILENO)};
}

void compile_line_show(void *user, const struct lcl_compile_info *info)
{
    struct compile_line *line = user;
    if (!line->live || info->seconds < patience)
        return;
    fprintf(stderr, "\r  compiling kernel %d for this device%s\033[K",
            info->number, info->kept ? " (kept for later runs)" : "");
    fflush(stderr);
    line->shown = true;
}

void compile_line_clear(struct compile_line *line)
{
    if (line->shown)
        fputs("\r\033[K", stderr);
    line->shown = false;
}
