// SPDX-License-Identifier: BSD-3-Clause
// The live lines: of compilation, and of a solve, with the handling of Ctrl-C.
#pragma once

#include <levelcl/context.h>
#include <levelcl/solver.h>

#include <signal.h>

struct progress {
    bool live;    // stderr is a terminal and progress is wanted
    bool shown;   // a line was printed and must be cleared
    double next;  // time of the next update, in seconds since the solve began
    double limit; // seconds after which the solve is stopped; 0: none
    struct sigaction before;
};

// Between the two calls the first Ctrl-C stops the solve, the second terminates
// the process. `wanted`: show progress if stderr is a terminal.
void progress_begin(struct progress *progress, bool wanted);
void progress_end(struct progress *progress);

// Whether an interrupt has stopped a solve.
bool progress_interrupted(void);

// The monitor of lcl_solver_params; `user` is the struct progress.
bool progress_monitor(void *user, const struct lcl_progress_info *info);

// The line of what is being compiled, once that has taken a second.
// All zero: not wanted.
struct compile_line {
    bool live; // stderr is a terminal and the line is wanted
    bool shown;
};

void compile_line_begin(struct compile_line *line, bool wanted);
// `compiling` of lcl_context_params; `user` is the struct compile_line.
void compile_line_show(void *user, const struct lcl_compile_info *info);
// Erases the line, before other output.
void compile_line_clear(struct compile_line *line);

// Whether the user sees the progress line, so that the report needs no table.
bool progress_is_visible(void);
