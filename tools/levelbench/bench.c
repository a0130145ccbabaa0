// SPDX-License-Identifier: BSD-3-Clause
// Times launches and prints figures as JSON lines.
#include "tools/levelbench/bench.h"

#include "host/order.h"
#include "host/timer.h"

#include <stdio.h>
#include <stdlib.h>

// Approximate duration of a batch. A launch of SLOW_SECONDS or more is timed
// once.
#define BATCH_SECONDS 0.01
#define SLOW_SECONDS  4.0
enum { MAX_LAUNCHES = 4096 };

// ------------------------------------------------------------------- timing

struct times bench_summary(double seconds[BATCHES])
{
    qsort(seconds, BATCHES, sizeof *seconds, lcl_order_double);
    return (struct times){.median = seconds[BATCHES / 2],
                          .p10 = seconds[BATCHES / 10],
                          .p90 = seconds[BATCHES - 1 - BATCHES / 10]};
}

static enum lcl_status time_batch(struct bench *B, launch_fn launch, void *arg,
                                  int launches, double *seconds)
{
    lcl_timer *timer;
    enum lcl_status st = lcl_timer_start(&timer, B->ctx);
    if (st < 0)
        return st;
    for (int i = 0; i < launches && st == LCL_OK; ++i)
        st = launch(arg);
    const enum lcl_status stopped = lcl_timer_stop(&timer, seconds);
    *seconds /= launches;
    return st < 0 ? st : stopped;
}

enum lcl_status bench_measure(struct bench *B, launch_fn launch, void *arg,
                              struct times *t)
{
    double once, seconds[BATCHES];
    enum lcl_status st;
    if ((st = time_batch(B, launch, arg, 1, &once)) < 0 ||
        (st = time_batch(B, launch, arg, once > SLOW_SECONDS ? 1 : 4, &once)) <
            0)
        return st;
    if (once > SLOW_SECONDS) {
        *t = (struct times){once, once, once};
        return LCL_OK;
    }
    const double want = once > 0 ? BATCH_SECONDS / once : MAX_LAUNCHES;
    const int launches = want < 1              ? 1
                         : want < MAX_LAUNCHES ? (int)want
                                               : MAX_LAUNCHES;
    for (int i = 0; i < BATCHES && st == LCL_OK; ++i)
        st = time_batch(B, launch, arg, launches, &seconds[i]);
    if (st < 0)
        return st;
    *t = bench_summary(seconds);
    return LCL_OK;
}

// ------------------------------------------------------------------- output

cJSON *bench_line(const struct bench *B, const char *op, const char *variant)
{
    cJSON *line = cJSON_CreateObject();
    cJSON_AddStringToObject(line, "op", op);
    cJSON_AddStringToObject(line, "variant", variant);
    if (B->problem) {
        cJSON_AddStringToObject(line, "problem", B->problem->name);
        cJSON_AddNumberToObject(line, "rows", (double)B->problem->A.rows);
        cJSON_AddNumberToObject(line, "nnz", (double)B->problem->A.nnz);
    }
    return line;
}

void bench_add_times(cJSON *line, const struct bench *B, const struct times *t,
                     double bytes)
{
    cJSON_AddNumberToObject(line, "ms", 1e3 * t->median);
    cJSON_AddNumberToObject(line, "p10", 1e3 * t->p10);
    cJSON_AddNumberToObject(line, "p90", 1e3 * t->p90);
    if (bytes > 0) {
        const double gbps = 1e-9 * bytes / t->median;
        cJSON_AddNumberToObject(line, "gbps", gbps);
        if (B->copy_gbps > 0)
            cJSON_AddNumberToObject(line, "of_copy", gbps / B->copy_gbps);
    }
}

void bench_print(const struct bench *B, cJSON *line)
{
    char *text = B->tables ? NULL : cJSON_PrintUnformatted(line);
    if (text)
        puts(text);
    fflush(stdout);
    cJSON_free(text);
    cJSON_Delete(line);
}
