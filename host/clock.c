// SPDX-License-Identifier: BSD-3-Clause
// Wall time by phase.
#include "host/clock.h"

#include <assert.h>
#include <time.h>

double lcl_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void charge(struct lcl_clock *clock)
{
    const double now = lcl_now();
    if (clock->depth > 0)
        clock->seconds[clock->open[clock->depth - 1]] += now - clock->since;
    clock->since = now;
}

void lcl_clock_enter(struct lcl_clock *clock, enum lcl_phase phase)
{
    assert(clock->depth < LCL_CLOCK_DEPTH);
    charge(clock);
    clock->open[clock->depth++] = phase;
}

void lcl_clock_leave(struct lcl_clock *clock)
{
    assert(clock->depth > 0);
    charge(clock);
    --clock->depth;
}
