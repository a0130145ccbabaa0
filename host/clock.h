// SPDX-License-Identifier: BSD-3-Clause
// Wall time by phase; time in a nested phase counts only for that phase.
#pragma once

#include <levelcl/context.h>

enum { LCL_CLOCK_DEPTH = 8 };

struct lcl_clock {
    double seconds[LCL_PHASE_COUNT];
    double since; // when the innermost phase last resumed
    enum lcl_phase open[LCL_CLOCK_DEPTH];
    int depth;
};

// Monotonic clock in seconds.
double lcl_now(void);

void lcl_clock_enter(struct lcl_clock *clock, enum lcl_phase phase);
void lcl_clock_leave(struct lcl_clock *clock);
