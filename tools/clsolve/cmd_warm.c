// SPDX-License-Identifier: BSD-3-Clause
// clsolve warm: compiles the kernels that later runs need.
#include "tools/clsolve/commands.h"
#include "tools/clsolve/report.h"
#include "tools/clsolve/warm.h"

#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- folders

static enum lcl_status fail(struct job *job, const char *what, const char *path,
                            int code)
{
    return messages_fail(&job->messages, LCL_EIO, "cannot %s '%s': %s", what,
                         path, strerror(code));
}

static enum lcl_status name_store(struct warming *warming, struct job *job)
{
    char *store = warming->store;
    const size_t size = sizeof warming->store;
    const size_t length =
        strcmp(job->cli.to, "store") == 0
            ? lcl_store_folder(store, size)
            : (size_t)snprintf(store, size, "%s", job->cli.to);
    return length > 0 && length < size
               ? LCL_OK
               : messages_fail(&job->messages, LCL_EIO,
                               "--to %s names no folder",
                               terminal_text(job->cli.to).text);
}

// What a store has would not be written to --to.
static enum lcl_status open_store(struct warming *warming, struct job *job)
{
    if (!job->cli.to)
        return LCL_OK;
    const enum lcl_status st = name_store(warming, job);
    const int code = st < 0 ? 0 : folder_make_shared(warming->store);
    if (st < 0 || code)
        return st < 0 ? st
                      : fail(job, "write the folder", warming->store, code);
    job->store = warming->store;
    setenv("LEVELCL_STORE", "", 1);
    return LCL_OK;
}

static enum lcl_status close_store(const struct warming *warming,
                                   struct job *job)
{
    const int code = job->store ? folder_share(job->store) : 0;
    return code ? fail(job, "let all users read", warming->store, code)
                : LCL_OK;
}

static enum lcl_status find_folder(struct warming *warming, struct job *job)
{
    char folder[FOLDER_BYTES];
    const size_t length = lcl_context_folder(job->ctx, folder, sizeof folder);
    if (length == 0 || length >= sizeof folder)
        return messages_fail(&job->messages, LCL_EIO,
                             "compiled kernels are not kept: no folder can be "
                             "written; see LEVELCL_CACHE_DIR, and with PoCL "
                             "POCL_CACHE_DIR and POCL_KERNEL_CACHE");
    snprintf(warming->folder, sizeof warming->folder, "%s", folder);
    warming->by_driver = folder_is_of_driver(folder, job->store);
    if (warming->by_driver && *warming->store)
        messages_warn(&job->messages,
                      "the driver of this device keeps kernels itself, in %s "
                      "and not in %s: each user has to run clsolve warm",
                      warming->folder, warming->store);
    return LCL_OK;
}

// ---------------------------------------------------------------- classes

static void show_state(const struct warming *warming, struct job *job)
{
    char text[80];
    snprintf(text, sizeof text, "compiling for this device: %d of %d classes",
             warming->count, warming->wanted);
    live_line_show(&job->line, text);
}

static void print_class(struct warming *warming, struct job *job)
{
    live_line_clear(&job->line);
    if (!job->cli.json && !job->cli.quiet)
        text_warm_class(warming);
    fflush(stdout);
    if (warming->count < warming->wanted)
        show_state(warming, job);
}

static enum lcl_status warm_here(struct warming *warming, struct job *job,
                                 const struct warm_class *class)
{
    const double start = job_clock();
    const enum lcl_status st = warm_solve(job, class);
    if (st < 0)
        return st;
    warming->result[warming->count++] = (struct warm_result){
        .class = class,
        .builds = lcl_context_builds(job->ctx),
        .seconds = job_clock() - start,
    };
    print_class(warming, job);
    return LCL_OK;
}

// The device is free for the processes then.
static enum lcl_status warm_there(struct warming *warming, struct job *job,
                                  const bool wanted[WARM_CLASSES])
{
    warming->opening = lcl_context_builds(job->ctx);
    devices_close(&job->devices);
    job->ctx = NULL;
    show_state(warming, job);
    return warm_in_processes(warming, job, wanted, print_class);
}

static enum lcl_status warm_all(struct warming *warming, struct job *job)
{
    const char *list = job->cli.goal_text ? job->cli.goal_text : "all";
    const struct warm_class *last = NULL;
    bool wanted[WARM_CLASSES];
    warm_choose(wanted, list);
    for (int k = 0; k < WARM_CLASSES; ++k)
        if (wanted[k]) {
            last = warm_class_at(k);
            ++warming->wanted;
        }
    return warming->wanted == 1 ? warm_here(warming, job, last)
                                : warm_there(warming, job, wanted);
}

// The first class that failed.
static enum lcl_status judge(const struct warming *warming, struct job *job)
{
    for (int k = 0; k < warming->count; ++k) {
        const struct warm_result *result = &warming->result[k];
        if (result->exit_code)
            return messages_fail(
                &job->messages, result->exit_code == 3 ? LCL_EIO : LCL_EDEVICE,
                "class %s: %s", result->class->name, result->message);
    }
    return LCL_OK;
}

// ---------------------------------------------------------------- all

static enum lcl_status report(struct warming *warming, struct job *job)
{
    if (job->cli.json && json_warm(warming, 0))
        return LCL_OK;
    if (job->cli.json)
        return messages_fail(&job->messages, LCL_ENOMEM,
                             "out of memory: no room for the report");
    if (!job->cli.quiet)
        text_warm_sum(warming);
    return LCL_OK;
}

static enum lcl_status warm(struct warming *warming, struct job *job)
{
    enum lcl_status st;
    job->phase = JOB_DEVICE;
    if ((st = open_store(warming, job)) < 0 ||
        (st = job_open_device(job)) < 0 || (st = find_folder(warming, job)) < 0)
        return st;
    if (!job->cli.json && !job->cli.quiet)
        text_device(lcl_context_caps(job->ctx));
    if ((st = warm_all(warming, job)) < 0 ||
        (st = close_store(warming, job)) < 0 || (st = judge(warming, job)) < 0)
        return st;
    warming->seconds = job_clock() - job->started;
    if (warming->by_driver)
        warming->kernels =
            folder_new_kernels(warming->folder, warming->seconds);
    return report(warming, job);
}

static enum lcl_status run(struct job *job)
{
    struct warming *warming = calloc(1, sizeof *warming);
    if (!warming)
        return messages_fail(&job->messages, LCL_ENOMEM,
                             "out of memory: no room for the report");
    const enum lcl_status st = warm(warming, job);
    free(warming);
    return st;
}

const struct command cmd_warm = {
    .name = "warm",
    .usage = "[--for CLASS,...] [--device N] [--to FOLDER]",
    .help = "compile the kernels that later runs need, for classes of systems",
    .takes = TAKES_DEVICE | TAKES_CLASSES,
    .run = run,
};
