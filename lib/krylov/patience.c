// SPDX-License-Identifier: BSD-3-Clause
// Progress by the energy norm or by the trend of the residual. The residual of
// CG oscillates, and grows while the error falls: for bcsstk24 it has no new
// minimum for 826 of 2,103 iterations.
#include "lib/krylov/patience.h"

#include <math.h>

void lcl_patience_begin(struct lcl_patience *P, int iteration)
{
    *P = (struct lcl_patience){.judged = P->judged, .at = iteration};
}

// The error before steps that take s1, s2, ... in turn is their sum: if these
// fall by halves, so does it.
void lcl_patience_note(struct lcl_patience *P, int iteration, double sum,
                       int stagnation)
{
    if (iteration - P->at < stagnation / 2)
        return;
    const double taken = sum - P->sum;
    P->halves = P->taken == 0 || taken <= P->taken / 2;
    P->at = iteration;
    P->sum = sum;
    P->taken = taken;
}

// Of log ||r||^2 over the `count` iterations before `end`.
static double mean(const double *end, int count)
{
    double sum = 0;
    for (const double *h = end - count; h < end; ++h)
        sum += 2 * log(*h);
    return sum / count;
}

static bool residual_falls(const double *history, int count, int stagnation)
{
    const int half = stagnation / 2;
    const double *end = history + count;
    return half > 0 && count >= 2 * half &&
           mean(end, half) <= mean(end - half, half) - log(2);
}

bool lcl_patience_is_over(struct lcl_patience *P, int waited, int stagnation,
                          const double *history, int count)
{
    P->judged |= waited > stagnation;
    return P->judged && !P->halves &&
           !residual_falls(history, count, stagnation);
}
