// SPDX-License-Identifier: BSD-3-Clause
// clsolve tune: runs configurations and ranks them.
#pragma once

#include "tools/clsolve/timing.h"

#include <cjson/cJSON.h>

enum { TRIALS = 80, TRIAL_BYTES = 160 };

// How a trial ended, best first.
enum trial_end {
    TRIAL_CONVERGED = 0,
    TRIAL_LATE,   // stopped: it has taken too long
    TRIAL_FAILED, // not converged
    TRIAL_REFUSED,
    TRIAL_SKIPPED, // less fill has taken far too long to set up
};

struct trial {
    char words[TRIAL_BYTES]; // the options tried; "": none
    char cut[TRIAL_BYTES];   // the same, to which `cli` points
    struct cli cli;
    enum trial_end end;
    bool hopeless;            // its first set-up has taken far too long
    char why[MESSAGE_BYTES];  // if refused
    char method[TRIAL_BYTES]; // solver and preconditioner in use; "": none
    struct timing time;
    double total; // by the goal; NaN: not measured
};

struct tuning {
    // Tries many configurations, each as long as 3 times the best total so far,
    // and takes the shortest of 3 solves; else few, as long as the best total.
    bool grid;
    int count;
    struct trial trial[TRIALS];
    struct trial *rank[TRIALS]; // the best one first
    struct lcl_options chosen;  // by the library, in the trial without words
    bool chose;                 // they are known, and converge
    bool scalar;                // the operator has blocks of one row
};

// The configurations that fit the matrix and the command line of the job; then
// their times, until an interrupt. Returns LCL_OK or an error that is not a
// matter of the configuration.
void tune_plan(struct tuning *tuning, const struct job *job);
enum lcl_status tune_run(struct tuning *tuning, struct job *job);

// Measures set-up and solve of a trial that has converged once more and keeps
// the shorter times. Returns as lcl_chain_solve().
enum lcl_status tune_again(struct trial *trial, struct job *job);

// The table of trials; the members of one trial.
void text_trials(const struct tuning *tuning);
void json_put_trial(cJSON *object, const struct trial *trial);

void text_tuning(const struct tuning *tuning, const struct job *job);
// False if memory or the standard output failed.
bool json_tuning(const struct tuning *tuning, const struct job *job,
                 int exit_code);
