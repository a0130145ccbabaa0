// SPDX-License-Identifier: BSD-3-Clause
// Medians and their confidence intervals.
#include "tools/clsolve/stats.h"

#include "host/order.h"

#include <math.h>
#include <stdlib.h>

double stats_median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, lcl_order_double);
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
