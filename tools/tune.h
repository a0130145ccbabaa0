// SPDX-License-Identifier: BSD-3-Clause
// clsolve tune: runs configurations and ranks them.
#pragma once

#include "tools/timing.h"

enum { TRIALS = 24, TRIAL_BYTES = 128 };

// How a trial ended, best first.
enum trial_end {
    TRIAL_CONVERGED = 0,
    TRIAL_LATE,   // stopped: slower than the best one so far
    TRIAL_FAILED, // not converged
    TRIAL_REFUSED,
};

struct trial {
    char words[TRIAL_BYTES]; // the options tried; "": none
    char cut[TRIAL_BYTES];   // the same, to which `cli` points
    struct cli cli;
    enum trial_end end;
    char why[MESSAGE_BYTES]; // if refused
    struct timing time;
    double total; // by the goal; NaN: not measured
};

struct tuning {
    int count;
    struct trial trial[TRIALS];
    struct trial *rank[TRIALS]; // the best one first
};

// The configurations that fit the matrix and the command line of the job; then
// their times, until an interrupt. Returns LCL_OK or an error that is not a
// matter of the configuration.
void tune_plan(struct tuning *tuning, const struct job *job);
enum lcl_status tune_run(struct tuning *tuning, struct job *job);

void text_tuning(const struct tuning *tuning, const struct job *job);
// False if memory or the standard output failed.
bool json_tuning(const struct tuning *tuning, const struct job *job,
                 int exit_code);
