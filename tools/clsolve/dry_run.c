// SPDX-License-Identifier: BSD-3-Clause
// clsolve --dry-run: what a solve will need on each device.
#include "tools/clsolve/dry_run.h"

#include "tools/clsolve/report.h"

#include <stdlib.h>

static enum lcl_status no_memory(struct job *job)
{
    return messages_fail(&job->messages, LCL_ENOMEM,
                         "out of memory: no room for the estimate");
}

// The first status of a device that is not LCL_OK; all are estimated.
static enum lcl_status estimate(struct lcl_estimate *all, struct job *job)
{
    const struct devices *D = &job->devices;
    enum lcl_status first = LCL_OK;
    for (int k = 0; k < D->count && (first == LCL_OK || first == LCL_EDEVMEM);
         ++k) {
        const enum lcl_status st =
            lcl_estimate_solve(&all[k], lcl_context_caps(D->ctx[k]), &job->A,
                               &job->cli.options, D->count, &job->log);
        if (first == LCL_OK)
            first = st;
    }
    return first;
}

static enum lcl_status print(const struct lcl_estimate *all, struct job *job,
                             enum lcl_status st)
{
    const bool fits = st == LCL_OK;
    if (job->cli.json && fits && !json_estimates(all, job))
        return no_memory(job);
    if (job->cli.json || job->cli.quiet)
        return st;
    text_matrix(job);
    for (int k = 0; k < job->devices.count; ++k)
        text_estimate(&all[k], lcl_context_caps(job->devices.ctx[k]));
    return st;
}

enum lcl_status dry_run(struct job *job)
{
    struct lcl_estimate *all = calloc((size_t)job->devices.count, sizeof *all);
    if (!all)
        return no_memory(job);
    enum lcl_status st = estimate(all, job);
    if (st == LCL_OK || st == LCL_EDEVMEM)
        st = print(all, job, st);
    free(all);
    return st;
}
