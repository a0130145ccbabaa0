// SPDX-License-Identifier: BSD-3-Clause
// The live line of a run: phase, compilation, solve; the handling of Ctrl-C.
#pragma once

#include "tools/convergence.h"
#include "tools/terminal.h"

#include <levelcl/context.h>
#include <levelcl/solver.h>

#include <signal.h>

struct progress {
    struct live_line *line; // NULL: none
    int solved, columns;    // right-hand sides
    double tolerance;       // of the residual
    double next;  // time of the next update, in seconds since the solve began
    double limit; // seconds after which the solve is stopped; 0: none
    struct convergence convergence;
    struct sigaction before;
};

// Between the two calls the first Ctrl-C stops the solve, the second terminates
// the process. Begins with the first column.
void progress_begin(struct progress *progress, struct live_line *line);
void progress_end(struct progress *progress);

// Before the solve of each further column.
void progress_next_column(struct progress *progress);

// Whether an interrupt has stopped a solve.
bool progress_interrupted(void);

// The monitor of lcl_solver_params; `user` is the struct progress.
bool progress_monitor(void *user, const struct lcl_progress_info *info);

// `compiling` of lcl_context_params, which shows what is being compiled once
// that has taken a second; `user` is the struct live_line.
void progress_compiling(void *user, const struct lcl_compile_info *info);
