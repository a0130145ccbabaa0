// SPDX-License-Identifier: BSD-3-Clause
// Medians and their confidence intervals.
#include "tools/stats.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

double stats_median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, compare);
    return 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

struct interval stats_interval(int n)
{
    double term = ldexp(1, -n); // P(k values are below the median)
    double tail = term;         // P(at most k)
    struct interval best = {1, 1 - 2 * tail};
    for (int k = 1; k < n / 2; ++k) {
        term *= (double)(n - k + 1) / k;
        tail += term;
        if (1 - 2 * tail < 0.95)
            break;
        best = (struct interval){k + 1, 1 - 2 * tail};
    }
    return best;
}
