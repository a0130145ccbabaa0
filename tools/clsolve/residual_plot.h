// SPDX-License-Identifier: BSD-3-Clause
// The plot of residuals by iteration, with one curve for each attempt.
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct residuals {
    const double *history; // may hold 0, NaN and Inf
    int count;             // above 0
    const int *end;        // the last iteration of each attempt, ascending; the
    int attempts;          // last attempt ends with the history
    double tolerance;      // above 0
    int x_iteration;
    double true_residual; // of x; NaN: unknown
};

struct residual_remarks {
    bool gaps; // some residuals are not finite
    bool zero; // one is 0 and is drawn at the lower end
};

struct residual_remarks residual_plot(FILE *out, const struct residuals *R);
