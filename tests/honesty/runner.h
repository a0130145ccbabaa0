// SPDX-License-Identifier: BSD-3-Clause
// Solves a trial with the library and judges what it says.
#pragma once

#include "tests/honesty/trial.h"

enum fault {
    FAULT_NONE,
    FAULT_LIE,     // success above the tolerance
    FAULT_NAN,     // NaN or Inf in x
    FAULT_CLAIM,   // a reported norm differs from the judge's
    FAULT_STOP,    // status and stop reason contradict each other or the facts
    FAULT_WORSE,   // after a failure x is worse than at the start
    FAULT_CHANGED, // an error changed x
    FAULT_ERROR,   // an error that no documented reason explains
    FAULT_COUNT,
};

extern const char *const fault_names[FAULT_COUNT];

enum { TRIAL_DEVICES = 2 };

struct runner {
    lcl_context *ctx[TRIAL_DEVICES];
    char message[256]; // the last error of the library
};

// Returns LCL_OK, LCL_ENODEVICE or another error.
enum lcl_status runner_start(struct runner *R);
void runner_finish(struct runner *R);

struct outcome {
    enum fault fault; // the first one
    char text[320];
    int step, column;            // where
    double *x;                   // its start; freed with free(); NULL: no fault
    int solved, failed, refused; // columns
};

struct outcome runner_try(struct runner *R, const struct trial *T);

// Removes rows, columns and steps as long as the fault remains; T is replaced
// by what is left.
void runner_shrink(struct runner *R, struct trial *T, enum fault fault);
