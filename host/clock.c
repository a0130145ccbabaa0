// SPDX-License-Identifier: BSD-3-Clause
// Wall time by task.
#include "host/clock.h"

#include <assert.h>
#include <time.h>

double lcl_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static const enum lcl_phase phase_of[LCL_TASK_COUNT] = {
    [LCL_TASK_READ] = LCL_PHASE_READ,
    [LCL_TASK_UPLOAD] = LCL_PHASE_UPLOAD,
    [LCL_TASK_BLOCKS] = LCL_PHASE_SYMBOLIC,
    [LCL_TASK_PARTITION] = LCL_PHASE_PARTITION,
    [LCL_TASK_MATCHING] = LCL_PHASE_PARTITION,
    [LCL_TASK_CONTRACTION] = LCL_PHASE_PARTITION,
    [LCL_TASK_REFINEMENT] = LCL_PHASE_PARTITION,
    [LCL_TASK_PATTERN] = LCL_PHASE_SYMBOLIC,
    [LCL_TASK_SCHEDULE] = LCL_PHASE_SYMBOLIC,
    [LCL_TASK_COARSE_PATTERN] = LCL_PHASE_SYMBOLIC,
    [LCL_TASK_AGGREGATION] = LCL_PHASE_SYMBOLIC,
    [LCL_TASK_PROLONGATION] = LCL_PHASE_SYMBOLIC,
    [LCL_TASK_GALERKIN] = LCL_PHASE_SYMBOLIC,
    [LCL_TASK_GHOSTS] = LCL_PHASE_SYMBOLIC,
    [LCL_TASK_GATHERING] = LCL_PHASE_SYMBOLIC,
    [LCL_TASK_NUMERIC] = LCL_PHASE_NUMERIC,
    [LCL_TASK_COARSE] = LCL_PHASE_NUMERIC,
    [LCL_TASK_PRODUCT] = LCL_PHASE_NUMERIC,
    [LCL_TASK_COMPILE] = LCL_PHASE_COMPILE,
    [LCL_TASK_SOLVE] = LCL_PHASE_SOLVE,
};

// The innermost open task, or NULL.
static struct lcl_task_info *innermost(struct lcl_clock *clock)
{
    return clock->depth > 0 ? &clock->task[clock->open[clock->depth - 1]]
                            : NULL;
}

static void charge(struct lcl_clock *clock)
{
    const double now = lcl_now();
    struct lcl_task_info *task = innermost(clock);
    if (task)
        task->seconds += now - clock->since;
    clock->since = now;
}

void lcl_clock_enter(struct lcl_clock *clock, enum lcl_task task)
{
    assert(clock->depth < LCL_CLOCK_DEPTH);
    charge(clock);
    clock->open[clock->depth++] = task;
}

void lcl_clock_leave(struct lcl_clock *clock)
{
    assert(clock->depth > 0);
    charge(clock);
    --clock->depth;
}

void lcl_clock_next(struct lcl_clock *clock, enum lcl_task task)
{
    charge(clock);
    if (clock->depth > 0)
        clock->open[clock->depth - 1] = task;
}

void lcl_clock_count(struct lcl_clock *clock, uint64_t bytes, int64_t launches)
{
    struct lcl_task_info *task = innermost(clock);
    if (!task)
        return;
    task->bytes += bytes;
    task->launches += launches;
}

double lcl_clock_seconds(const struct lcl_clock *clock, enum lcl_phase phase)
{
    double seconds = 0;
    for (int t = 0; t < LCL_TASK_COUNT; ++t)
        if (phase_of[t] == phase)
            seconds += clock->task[t].seconds;
    return seconds;
}
