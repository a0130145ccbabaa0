// SPDX-License-Identifier: BSD-3-Clause
// Right-hand sides that are solved one after the other with one set-up.
#include "tools/clsolve/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A column that was not solved, after an interrupt.
static void skip(struct column *column)
{
    column->outcome = LCL_ITERATION_LIMIT;
    column->report.residual = NAN;
    column->report.true_residual = NAN;
}

enum lcl_status column_take(struct column *column, const lcl_chain *chain,
                            int k, const struct lcl_report *report)
{
    const size_t bytes =
        (size_t)report->history_count * sizeof *column->history;
    const struct lcl_attempt *a;
    column_clear(column);
    if (report->stop == LCL_STOP_NONE) {
        skip(column);
        return LCL_OK;
    }
    column->outcome = lcl_stop_status(report->stop);
    column->report = *report;
    column->history = malloc(bytes ? bytes : 1);
    if (!column->history)
        return LCL_ENOMEM;
    if (bytes > 0)
        memcpy(column->history, report->history, bytes);
    column->report.history = column->history;
    while ((a = lcl_chain_column_attempt(chain, k, column->attempts)))
        column->attempt[column->attempts++] = *a;
    return LCL_OK;
}

void column_clear(struct column *column)
{
    free(column->history);
    *column = (struct column){.outcome = LCL_OK};
}

static bool is_worse(const struct column *a, const struct column *b)
{
    const bool failed = a->outcome != LCL_OK;
    if (failed != (b->outcome != LCL_OK))
        return failed;
    if (!a->report.stop || !b->report.stop)
        return !b->report.stop && a->report.stop;
    return a->report.true_residual > b->report.true_residual ||
           (isnan(a->report.true_residual) && !isnan(b->report.true_residual));
}

int columns_worst(const struct column *column, int count)
{
    int worst = 0;
    for (int k = 1; k < count; ++k)
        if (is_worse(&column[k], &column[worst]))
            worst = k;
    return worst;
}

struct column_sums columns_sum(const struct column *column, int count)
{
    struct column_sums sums = {.failed = 0};
    for (int k = 0; k < count; ++k) {
        sums.iterations += column[k].report.iterations;
        sums.seconds += column[k].report.seconds;
        sums.failed += column[k].outcome != LCL_OK;
    }
    return sums;
}
