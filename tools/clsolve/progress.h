// SPDX-License-Identifier: BSD-3-Clause
// The live line of a run: phase, compilation, solve; the handling of signals
// that end it.
#pragma once

#include "tools/clsolve/convergence.h"
#include "tools/clsolve/terminal.h"

#include <levelcl/chain.h>
#include <levelcl/context.h>

#include <signal.h>

enum { PROGRESS_SIGNALS = 2 };

struct progress {
    struct live_line *line; // NULL: none
    int solved, columns;    // right-hand sides: before those in work, of all
    double tolerance;       // of the residual
    double next;  // time of the next update, in seconds since the solve began
    double limit; // seconds after which the solve is stopped; 0: none
    struct convergence convergence;
    struct sigaction before[PROGRESS_SIGNALS];
};

// Between the two calls the first SIGINT or SIGTERM cancels the chain, which
// may be NULL; from then on, a second one ends the process. Begins with the
// first column. The calls may be nested.
void progress_begin(struct progress *progress, struct live_line *line,
                    lcl_chain *chain);
void progress_end(struct progress *progress);

// Whether there was a signal.
bool progress_interrupted(void);

// The monitor of lcl_solver_params; `user` is the struct progress.
bool progress_monitor(void *user, const struct lcl_progress_info *info);

// `compiling` of lcl_context_params, which shows what is being compiled once
// that has taken a second; `user` is the struct live_line.
void progress_compiling(void *user, const struct lcl_compile_info *info);
