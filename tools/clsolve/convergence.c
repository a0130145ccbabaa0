// SPDX-License-Identifier: BSD-3-Clause
// How fast a residual falls.
#include "tools/clsolve/convergence.h"

#include <math.h>

static const struct convergence_sample *newest(const struct convergence *C)
{
    return &C->sample[(C->count - 1) % CONVERGENCE_SAMPLES];
}

static const struct convergence_sample *oldest(const struct convergence *C)
{
    return &C->sample[C->count < CONVERGENCE_SAMPLES
                          ? 0
                          : C->count % CONVERGENCE_SAMPLES];
}

void convergence_note(struct convergence *C, int iteration, double residual,
                      double seconds)
{
    if (C->count > 0 && iteration < newest(C)->iteration)
        C->count = 0;
    C->sample[C->count++ % CONVERGENCE_SAMPLES] =
        (struct convergence_sample){iteration, residual, seconds};
}

double convergence_rate(const struct convergence *C)
{
    if (C->count < 2)
        return NAN;
    const struct convergence_sample *a = oldest(C), *b = newest(C);
    return b->iteration > a->iteration && a->residual > 0
               ? pow(b->residual / a->residual,
                     1.0 / (b->iteration - a->iteration))
               : NAN;
}

// log(tolerance / r) / log(rate) iterations, each as long as those before
double convergence_seconds_left(const struct convergence *C, double tolerance)
{
    const double rate = convergence_rate(C);
    if (isnan(rate))
        return NAN;
    const struct convergence_sample *a = oldest(C), *b = newest(C);
    if (b->residual <= tolerance)
        return 0;
    if (rate >= 1 || !(tolerance > 0))
        return INFINITY;
    return log(tolerance / b->residual) / log(rate) *
           (b->seconds - a->seconds) / (b->iteration - a->iteration);
}
