// SPDX-License-Identifier: BSD-3-Clause
// The live progress line, and Ctrl-C while a system is solved.
#pragma once

#include <levelcl/solver.h>

#include <signal.h>

struct progress {
    bool live;   // there is a terminal to show it on
    bool shown;  // there is a line to wipe
    double next; // seconds into the solve when it is shown again
    struct sigaction before;
};

// Between the two calls Ctrl-C asks the solve to stop; a second one kills.
// `wanted`: show progress if stderr is a terminal.
void progress_begin(struct progress *progress, bool wanted);
void progress_end(struct progress *progress);

// The monitor of lcl_solver_params; `user` is the struct progress.
bool progress_monitor(void *user, const struct lcl_progress_info *info);

// Whether the progress line is seen, so that no table need be printed.
bool progress_is_visible(void);
