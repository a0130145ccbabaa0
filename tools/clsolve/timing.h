// SPDX-License-Identifier: BSD-3-Clause
// Times of one method on the system of a job.
#pragma once

#include "tools/clsolve/job.h"

struct timing {
    // Seconds without compilation; NaN: not measured.
    double setup, refresh, solve;
    int iterations;
    enum lcl_stop stop;
};

// Sets up job->cli.options, solves a few iterations and drops the method, so
// that kernels are compiled and autotuned. Sets setup only. Statuses as
// job_set_up().
enum lcl_status timing_warm_up(struct timing *timing, struct job *job);

enum lcl_status timing_set_up(struct timing *timing, struct job *job);

// Changes the last bit of A's last value, so that A has new values.
void timing_change(const struct lcl_csr *A);

// Gives the operator new values, which differ by the last bit of one.
enum lcl_status timing_refresh(struct timing *timing, struct job *job);

// Solves from x = 0, no longer than `limit` seconds.
enum lcl_status timing_solve(struct timing *timing, struct job *job,
                             double limit);
