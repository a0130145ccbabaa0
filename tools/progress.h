// SPDX-License-Identifier: BSD-3-Clause
// The live progress line and the handling of Ctrl-C during a solve.
#pragma once

#include <levelcl/solver.h>

#include <signal.h>

struct progress {
    bool live;   // stderr is a terminal and progress is wanted
    bool shown;  // a line was printed and must be cleared
    double next; // time of the next update, in seconds since the solve began
    struct sigaction before;
};

// Between the two calls the first Ctrl-C stops the solve, the second terminates
// the process. `wanted`: show progress if stderr is a terminal.
void progress_begin(struct progress *progress, bool wanted);
void progress_end(struct progress *progress);

// The monitor of lcl_solver_params; `user` is the struct progress.
bool progress_monitor(void *user, const struct lcl_progress_info *info);

// Whether the user sees the progress line, so that the report needs no table.
bool progress_is_visible(void);
