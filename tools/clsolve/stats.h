// SPDX-License-Identifier: BSD-3-Clause
// Medians and their confidence intervals.
#pragma once

#include <stdbool.h>

// Sorts n > 0 numbers; returns their median.
double stats_median(double *values, int n);

// The interval from the rank-th smallest to the rank-th largest of n values
// contains the median of their distribution with the probability `coverage`.
struct interval {
    int rank; // from 1
    double coverage;
};

// The shortest one of coverage >= 0.95, by order statistics: the number of
// values below the median has the binomial distribution (n, 1/2). With n < 6,
// the widest one, whose coverage is less.
struct interval stats_interval(int n);
