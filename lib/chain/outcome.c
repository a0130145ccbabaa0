// SPDX-License-Identifier: BSD-3-Clause
// What came of one right-hand side.
#include "lib/chain/outcome.h"

#include "host/alloc.h"
#include "host/log.h"

#include <string.h>

void lcl_outcome_begin(struct lcl_outcome *o)
{
    o->attempts = 0;
    o->report = (struct lcl_report)LCL_REPORT_INIT;
}

void lcl_outcome_finish(struct lcl_outcome *o)
{
    lcl_free(o->history);
    o->history = NULL;
}

// Appends a history, whose first entry is the last one so far.
static enum lcl_status lengthen(struct lcl_outcome *o,
                                const struct lcl_report *r,
                                const struct lcl_log *log)
{
    const int before = o->report.history_count;
    const int from = before > 0 ? 1 : 0;
    if (r->history_count <= from)
        return LCL_OK;
    const int count = before + r->history_count - from;
    double *longer = lcl_realloc(o->history, (size_t)count, sizeof *longer);
    if (!longer)
        return lcl_fail_memory(log, "the history");
    memcpy(longer + before, r->history + from,
           (size_t)(count - before) * sizeof *longer);
    o->history = longer;
    o->report.history_count = count;
    return LCL_OK;
}

enum lcl_status lcl_outcome_add(struct lcl_outcome *o,
                                const struct lcl_report *r,
                                const struct lcl_log *log)
{
    const struct lcl_report before = o->report;
    const enum lcl_status st = lengthen(o, r, log);
    const int count = o->report.history_count;
    o->report = *r;
    o->report.iterations += before.iterations;
    o->report.restarts += before.restarts;
    o->report.x_iteration = r->x_iteration > 0 || before.iterations == 0
                                ? before.iterations + r->x_iteration
                                : before.x_iteration;
    o->report.history = o->history;
    o->report.history_count = count;
    return st;
}

bool lcl_outcome_is_indefinite(const struct lcl_outcome *o)
{
    for (int k = 0; k < o->attempts; ++k)
        if (o->attempt[k].stop == LCL_STOP_INDEFINITE_MATRIX)
            return true;
    return false;
}

bool lcl_outcome_is_factored(const struct lcl_outcome *o)
{
    for (int k = 0; k < o->attempts; ++k)
        if (o->attempt[k].precond == LCL_PRECOND_LU &&
            o->attempt[k].status != LCL_ECANCELLED)
            return true;
    return false;
}
