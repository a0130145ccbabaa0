// SPDX-License-Identifier: BSD-3-Clause
// Advice after a failed solve.
#pragma once

#include "tools/clsolve/job.h"

struct hint {
    char text[512];
    bool has_command;
    struct cli cli;  // the command line that follows the advice
    char number[32]; // to which it may point
};

// What was not tried and may help; false after a solve that converged or was
// interrupted.
bool hint_find(struct hint *hint, const struct job *job);
