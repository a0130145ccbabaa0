// SPDX-License-Identifier: BSD-3-Clause
// clsolve doctor: checks what solving needs, from the drivers to a self-test.
#include "tools/clsolve/built.h"
#include "tools/clsolve/commands.h"
#include "tools/clsolve/report.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { GRID = 20, ROWS = GRID * GRID * GRID };

void doctor_add(struct doctor *doctor, const char *check, const char *to_do,
                const char *format, ...)
{
    va_list args;
    if (!to_do)
        to_do = "";
    else
        ++doctor->faults;
    if (doctor->count == FINDINGS)
        return;
    struct finding *finding = &doctor->finding[doctor->count++];
    *finding = (struct finding){.check = check, .ok = !*to_do, .to_do = to_do};
    va_start(args, format);
    vsnprintf(finding->text, sizeof finding->text, format, args);
    va_end(args);
    if (doctor->prints)
        text_finding(finding);
}

// Adds the library's reason for a failure, which is then no error of this run.
static void add_failure(struct doctor *doctor, struct job *job,
                        const char *check, enum lcl_status st,
                        const char *to_do)
{
    char *reason = job->messages.error;
    doctor_add(doctor, check, to_do, "%s",
               *reason ? reason : lcl_status_str(st));
    *reason = '\0';
}

// ---------------------------------------------------------------- devices

// Returns whether there are any.
static bool list_devices(struct doctor *doctor, struct job *job)
{
    int count = 0;
    enum lcl_status st = lcl_device_count(&count, &job->log);
    if (st < 0 || count == 0) {
        add_failure(doctor, job, "device", st < 0 ? st : LCL_ENODEVICE,
                    "see the lines on drivers; a GPU also needs the right to "
                    "open its files in /dev, often the group render or video");
        return false;
    }
    for (int i = 0; i < count; ++i) {
        struct lcl_caps caps;
        if ((st = lcl_device_caps(&caps, i, &job->log)) < 0)
            add_failure(doctor, job, "device", st, "update the driver");
        else
            doctor_add(doctor, "device", NULL,
                       "%d: %s (%s), %s, driver %s, %s, %.1f GiB%s", i,
                       caps.name, lcl_device_type_name(caps.type),
                       caps.platform, caps.driver, caps.version,
                       (double)caps.global_bytes / (1 << 30),
                       caps.fp64 ? "" : ", no fp64, hence of no use");
    }
    return true;
}

// ---------------------------------------------------------------- one device

// A product on the device against the host's; the first launch builds kernels.
static enum lcl_status multiply(lcl_context *ctx, const struct lcl_csr *A,
                                double *x, double *y)
{
    lcl_operator *op = NULL;
    for (int i = 0; i < ROWS; ++i)
        x[i] = 1 + i % 7;
    enum lcl_status st = lcl_operator_create(&op, ctx, A, NULL);
    if (st >= 0)
        st = lcl_operator_apply(op, x, y);
    lcl_operator_destroy(&op);
    return st;
}

// Sums of small integers are exact.
static bool is_product(const struct lcl_csr *A, const double *x,
                       const double *y, double *expected)
{
    lcl_csr_multiply(A, x, expected);
    return memcmp(y, expected, ROWS * sizeof *y) == 0;
}

static void check_build(struct doctor *doctor, struct job *job)
{
    const struct lcl_build_info builds = lcl_context_builds(job->ctx);
    const double seconds = lcl_context_seconds(job->ctx, LCL_PHASE_COMPILE);
    doctor_add(doctor, "build", NULL, "%d kernels in %.2f s", builds.compiled,
               seconds);
}

static enum lcl_status check_launch(struct doctor *doctor, struct job *job)
{
    struct lcl_csr A;
    double *x = calloc((size_t)3 * ROWS, sizeof *x);
    enum lcl_status st = lcl_csr_problem(&A, "lap3d:20", &job->log);
    if (st < 0 || !x) {
        lcl_csr_finish(&A);
        free(x);
        return st < 0 ? st : LCL_ENOMEM;
    }
    double *y = x + ROWS, *expected = y + ROWS;
    if ((st = multiply(job->ctx, &A, x, y)) < 0) {
        add_failure(doctor, job, st == LCL_EBUILD ? "build" : "launch", st,
                    "update the driver");
    } else {
        check_build(doctor, job);
        const bool right = is_product(&A, x, y, expected);
        doctor_add(doctor, "launch", right ? NULL : "update the driver",
                   "a product with a matrix of %d rows is %s", ROWS,
                   right ? "right" : "wrong");
    }
    lcl_csr_finish(&A);
    free(x);
    return LCL_OK;
}

static void check_exchange(struct doctor *doctor, const struct lcl_caps *caps)
{
    const bool local = caps->width > 1 && caps->exchange == LCL_EXCHANGE_LOCAL;
    doctor_add(doctor, "exchange", NULL, "%s, width %d, forward progress %s%s",
               lcl_exchange_name(caps->exchange), caps->width,
               lcl_progress_name(caps->progress),
               local ? "; faster on drivers with cl_khr_subgroup_shuffle" : "");
}

static void check_copy(struct doctor *doctor, struct job *job)
{
    double rate = 0;
    const enum lcl_status st = lcl_context_copy_bandwidth(job->ctx, &rate);
    if (st < 0)
        add_failure(doctor, job, "copy", st,
                    "free device memory: end other programs that use it");
    else
        doctor_add(doctor, "copy", NULL, "%.1f GB/s", 1e-9 * rate);
}

static void check_self_test(struct doctor *doctor, struct job *job)
{
    const enum lcl_status st = lcl_self_test(job->ctx);
    if (st < 0)
        add_failure(doctor, job, "self-test", st,
                    "update the driver, or choose another device with "
                    "--device");
    else
        doctor_add(doctor, "self-test", NULL,
                   "the solution of a known system is right");
}

// Without the cache, so that kernels are really built.
static enum lcl_status open_device(struct job *job)
{
    const struct lcl_context_params params = {.device = job->cli.device,
                                              .log = job->log,
                                              .no_cache = true,
                                              .no_self_test = true};
    const enum lcl_status st = devices_open(&job->devices, NULL, &params);
    job->ctx = st == LCL_OK ? job->devices.ctx[0] : NULL;
    return st;
}

static enum lcl_status check_device(struct doctor *doctor, struct job *job)
{
    enum lcl_status st = open_device(job);
    if (st < 0) {
        add_failure(doctor, job, "context", st,
                    "choose another device with --device, or install a driver "
                    "with fp64, such as PoCL");
        return LCL_OK;
    }
    const struct lcl_caps *caps = lcl_context_caps(job->ctx);
    doctor_add(doctor, "context", NULL, "on %s", caps->name);
    if ((st = check_launch(doctor, job)) < 0)
        return st;
    check_exchange(doctor, caps);
    check_copy(doctor, job);
    check_self_test(doctor, job);
    return LCL_OK;
}

// ---------------------------------------------------------------- all

// What an optional package lacks is no fault.
static void check_built(struct doctor *doctor)
{
    char with[BUILT_BYTES], without[BUILT_BYTES];
    built_list(with, false);
    const bool lacks = built_list(without, true);
    doctor_add(doctor, "built", NULL, "with %s%s%s", with,
               lacks ? "; without " : "", without);
}

static enum lcl_status examine(struct doctor *doctor, struct job *job)
{
    doctor_add(doctor, "levelcl", NULL, "version %s", lcl_version());
    check_built(doctor);
    doctor_drivers(doctor);
    doctor_cache(doctor);
    doctor_store(doctor);
    doctor_path(doctor);
    const int before = doctor->faults;
    const enum lcl_status st =
        list_devices(doctor, job) ? check_device(doctor, job) : LCL_OK;
    if (doctor->faults > before)
        doctor_causes(doctor);
    job->failed = doctor->faults > 0;
    if (st < 0 || !job->cli.json || json_doctor(doctor, job_exit_code(job, st)))
        return st;
    return messages_fail(&job->messages, LCL_ENOMEM,
                         "out of memory: no room for the report");
}

static enum lcl_status run(struct job *job)
{
    struct doctor *doctor = calloc(1, sizeof *doctor);
    if (!doctor)
        return messages_fail(&job->messages, LCL_ENOMEM,
                             "out of memory: no room for the report");
    job->phase = JOB_DEVICE;
    doctor->prints = !job->cli.json && !job->cli.quiet;
    const enum lcl_status st = examine(doctor, job);
    free(doctor);
    return st;
}

const struct command cmd_doctor = {
    .name = "doctor",
    .usage = "[--device N]",
    .help = "check drivers, devices, cache, kernels; say what to do about "
            "faults",
    .takes = TAKES_DEVICE,
    .run = run,
};
