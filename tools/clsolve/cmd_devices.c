// SPDX-License-Identifier: BSD-3-Clause
// clsolve devices: lists the OpenCL devices.
#include "tools/clsolve/commands.h"
#include "tools/clsolve/report.h"

#include <stdlib.h>

// With `links`, also what is between the devices.
static enum lcl_status print_list(struct job *job, const struct lcl_caps *caps,
                                  int count, bool probed,
                                  const struct links *links)
{
    if (job->cli.json && !json_devices(caps, count, links))
        return messages_fail(&job->messages, LCL_ENOMEM,
                             "out of memory: no room for the report");
    if (job->cli.json || job->cli.quiet)
        return LCL_OK;
    for (int i = 0; i < count; ++i)
        text_device_entry(&caps[i], probed ? -1 : i);
    if (links)
        text_links(links);
    return LCL_OK;
}

// With --device: one device, including the properties found by trial builds.
static enum lcl_status probe_one(struct job *job)
{
    const enum lcl_status st = job_open_device(job);
    if (st < 0)
        return st;
    return print_list(job, lcl_context_caps(job->ctx), 1, true, NULL);
}

static enum lcl_status list(struct job *job, struct lcl_caps *caps, int count)
{
    for (int i = 0; i < count; ++i) {
        const enum lcl_status st = lcl_device_caps(&caps[i], i, &job->log);
        if (st < 0)
            return st;
    }
    if (!job->cli.bandwidth)
        return print_list(job, caps, count, false, NULL);
    const struct lcl_context_params params = {.log = job->log};
    struct links links;
    const enum lcl_status st =
        links_measure(&links, &job->devices, caps, count, &params);
    return st < 0 ? st : print_list(job, caps, count, false, &links);
}

static enum lcl_status list_all(struct job *job)
{
    int count = 0;
    enum lcl_status st = lcl_device_count(&count, &job->log);
    if (st < 0)
        return st;
    if (count == 0)
        return messages_fail(&job->messages, LCL_ENODEVICE,
                             "no OpenCL platform provides a device; clsolve "
                             "doctor looks for the cause");
    struct lcl_caps *caps = calloc((size_t)count, sizeof *caps);
    if (!caps)
        return messages_fail(&job->messages, LCL_ENOMEM,
                             "out of memory: no room for the list of devices");
    st = list(job, caps, count);
    free(caps);
    return st;
}

static enum lcl_status run(struct job *job)
{
    job->phase = JOB_DEVICE;
    return job->cli.device ? probe_one(job) : list_all(job);
}

const struct command cmd_devices = {
    .name = "devices",
    .usage = "[--device N | --bandwidth]",
    .help = "list the devices; with --device, probe one",
    .takes = TAKES_DEVICE | TAKES_LINKS,
    .run = run,
};
