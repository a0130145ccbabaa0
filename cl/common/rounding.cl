// SPDX-License-Identifier: BSD-3-Clause
// How a device rounds.
#include "rounding.cl.h"
#include "wave.cl.h"

// Replaces each (a, b, c) by (a b + c, a as a float, c), rounded once.
WORK_GROUP
kernel void rounding(global double *x, long n)
{
    for (RANGE(i, n)) {
        const double a = x[3 * i];
        x[3 * i] = fused(a, x[3 * i + 1], x[3 * i + 2]);
        x[3 * i + 1] = narrowed(a);
    }
}
