// SPDX-License-Identifier: BSD-3-Clause
// What a solve exchanged.
#include "tools/clsolve/exchange.h"

#include "tools/clsolve/ranks.h"

#include <math.h>
#include <stdlib.h>

static int count_of(const struct job *job)
{
    return job->ranks ? job->ranks->size : job->devices.count;
}

static void add(struct lcl_exchange_info *to,
                const struct lcl_exchange_info *now, int sign)
{
    to->halo_seconds += sign * now->halo_seconds;
    to->sum_seconds += sign * now->sum_seconds;
    to->exchanges += sign * now->exchanges;
    to->sums += sign * now->sums;
    to->sent_bytes += (uint64_t)sign * now->sent_bytes;
    to->taken_bytes += (uint64_t)sign * now->taken_bytes;
}

// Of the devices of this process; of all processes on rank 0.
static enum lcl_status take(struct job *job, int sign)
{
    struct exchanges *E = &job->exchanges;
    struct lcl_exchange_info now;
    enum lcl_status st = LCL_OK;
    if (job->ranks) {
        if ((st = lcl_operator_exchange_info(job->op, 0, &now)) == LCL_OK)
            add(&E->each[job->ranks->rank], &now, sign);
        return st;
    }
    for (int k = 0; k < E->count && st == LCL_OK; ++k)
        if ((st = lcl_operator_exchange_info(job->op, k, &now)) == LCL_OK)
            add(&E->each[k], &now, sign);
    return st;
}

enum lcl_status exchanges_begin(struct job *job)
{
    struct exchanges *E = &job->exchanges;
    if (count_of(job) < 2)
        return LCL_OK;
    E->count = count_of(job);
    E->each = calloc((size_t)E->count, sizeof *E->each);
    if (!E->each)
        return messages_fail(&job->messages, LCL_ENOMEM,
                             "out of memory: no room for the report");
    E->seconds = -job_clock();
    return take(job, -1);
}

enum lcl_status exchanges_end(struct job *job)
{
    struct exchanges *E = &job->exchanges;
    if (E->count == 0)
        return LCL_OK;
    E->seconds += job_clock();
    const enum lcl_status st = take(job, 1);
    if (job->ranks)
        ranks_gather(job, E->each, sizeof *E->each);
    return st;
}

void exchanges_finish(struct exchanges *E)
{
    free(E->each);
    *E = (struct exchanges){.count = 0};
}

double exchanges_own_seconds(const struct exchanges *E, int device)
{
    const struct lcl_exchange_info *info = &E->each[device];
    return fmax(0, E->seconds - info->halo_seconds - info->sum_seconds);
}
