// SPDX-License-Identifier: BSD-3-Clause
// Wall time by task; time in a nested task counts only for that task.
#pragma once

#include <levelcl/context.h>

enum { LCL_CLOCK_DEPTH = 8 };

struct lcl_clock {
    struct lcl_task_info task[LCL_TASK_COUNT];
    double since; // when the innermost task last resumed
    enum lcl_task open[LCL_CLOCK_DEPTH];
    int depth;
};

// Monotonic clock in seconds.
double lcl_now(void);

void lcl_clock_enter(struct lcl_clock *clock, enum lcl_task task);
void lcl_clock_leave(struct lcl_clock *clock);
// Replaces the innermost open task, if any.
void lcl_clock_next(struct lcl_clock *clock, enum lcl_task task);
// Count for the innermost open task, if any.
void lcl_clock_count(struct lcl_clock *clock, uint64_t bytes, int64_t launches);

double lcl_clock_seconds(const struct lcl_clock *clock, enum lcl_phase phase);
