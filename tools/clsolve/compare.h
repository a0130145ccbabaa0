// SPDX-License-Identifier: BSD-3-Clause
// clsolve compare: two methods in alternating runs.
#pragma once

#include "tools/clsolve/stats.h"
#include "tools/clsolve/timing.h"

#include <levelcl/solver.h>

struct contestant {
    const char *words; // of --a or --b, or NULL
    char *cut;         // a copy, to which `cli` points
    struct cli cli;
    double *setup, *solve, *total; // seconds of each run; sorted at the end
    double setup_median, solve_median, total_median;
    int iterations; // of the last run
    enum lcl_stop stop;
    bool converged; // in all runs
};

struct comparison {
    int runs;
    struct contestant of[2];
    double *ratio; // of the totals, second over first, of each pair of runs
    double median; // of the ratios
    double low, high;
    struct interval interval; // from low to high
};

void text_comparison(const struct comparison *comparison);
// False if memory or the standard output failed.
bool json_comparison(const struct comparison *comparison, const struct job *job,
                     int exit_code);
