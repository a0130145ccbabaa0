// SPDX-License-Identifier: BSD-3-Clause
// A set-up by task.
#include "tools/clsolve/profile.h"

#include <inttypes.h>
#include <stdio.h>

void profile_begin(struct profile *P, const lcl_context *ctx, double now)
{
    for (int t = 0; t < LCL_TASK_COUNT; ++t)
        P->task[t] = lcl_context_task(ctx, (enum lcl_task)t);
    P->total = now;
    P->copy = 0;
}

void profile_end(struct profile *P, const lcl_context *ctx, double now)
{
    for (int t = 0; t < LCL_TASK_COUNT; ++t) {
        const struct lcl_task_info end =
            lcl_context_task(ctx, (enum lcl_task)t);
        P->task[t].seconds = end.seconds - P->task[t].seconds;
        P->task[t].bytes = end.bytes - P->task[t].bytes;
        P->task[t].launches = end.launches - P->task[t].launches;
    }
    P->total = now - P->total;
}

void profile_slowest(struct profile *P, const struct profile *other)
{
    for (int t = 0; t < LCL_TASK_COUNT; ++t)
        if (other->task[t].seconds > P->task[t].seconds)
            P->task[t] = other->task[t];
    if (other->total > P->total)
        P->total = other->total;
}

static int64_t array_bytes(const struct lcl_csr *A)
{
    return (A->rows + 1) * (int64_t)sizeof *A->row_ptr +
           A->nnz * (int64_t)(sizeof *A->col_ind + sizeof *A->val);
}

void profile_set_read(struct profile *P, double seconds, int64_t text,
                      const struct lcl_csr *A)
{
    P->task[LCL_TASK_READ] = (struct lcl_task_info){
        .seconds = seconds,
        .bytes = (uint64_t)(text + (A->row_ptr ? array_bytes(A) : 0)),
    };
}

double profile_setup(const struct profile *P)
{
    return P->total - P->task[LCL_TASK_UPLOAD].seconds;
}

double profile_other(const struct profile *P)
{
    double other = P->total;
    for (int t = LCL_TASK_READ + 1; t < LCL_TASK_COUNT; ++t)
        other -= P->task[t].seconds;
    return other > 0 ? other : 0;
}

// ---------------------------------------------------------------- figures

static double bytes_per_second(const struct lcl_task_info *task)
{
    return task->seconds > 0 ? (double)task->bytes / task->seconds : 0;
}

static void print_row(const char *name, const struct lcl_task_info *task,
                      double copy)
{
    const double rate = bytes_per_second(task);
    printf("  %-14s %10.3f", name, 1e3 * task->seconds);
    if (task->bytes > 0)
        printf(" %10.3f %9.2f", 1e-6 * (double)task->bytes, 1e-9 * rate);
    else
        printf(" %10s %9s", "-", "-");
    if (task->bytes > 0 && copy > 0)
        printf(" %8.1f", 100 * rate / copy);
    else
        printf(" %8s", "-");
    printf(" %9" PRId64 "\n", task->launches);
}

static void print_sum(const char *name, double seconds)
{
    printf("%-16s %10.3f\n", name, 1e3 * seconds);
}

void profile_print(const struct profile *P)
{
    printf("%-16s %10s %10s %9s %8s %9s\n", "profile", "ms", "MB", "GB/s",
           "% copy", "launches");
    for (int t = 0; t < LCL_TASK_COUNT; ++t)
        if (P->task[t].seconds > 0)
            print_row(lcl_task_name((enum lcl_task)t), &P->task[t], P->copy);
    printf("  %-14s %10.3f\n", "other", 1e3 * profile_other(P));
    print_sum("set-up", profile_setup(P));
    print_sum("with upload", P->total);
    if (P->copy > 0)
        printf("copy bandwidth %.1f GB/s\n", 1e-9 * P->copy);
}

static cJSON *row(const char *name, const struct lcl_task_info *task,
                  double copy)
{
    const double rate = bytes_per_second(task);
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "task", name);
    cJSON_AddNumberToObject(object, "ms", 1e3 * task->seconds);
    if (task->bytes > 0) {
        cJSON_AddNumberToObject(object, "bytes", (double)task->bytes);
        cJSON_AddNumberToObject(object, "gbps", 1e-9 * rate);
    }
    if (task->bytes > 0 && copy > 0)
        cJSON_AddNumberToObject(object, "of_copy", rate / copy);
    cJSON_AddNumberToObject(object, "launches", (double)task->launches);
    return object;
}

void profile_add(cJSON *record, const struct profile *P)
{
    cJSON *tasks = cJSON_AddArrayToObject(record, "tasks");
    for (int t = 0; t < LCL_TASK_COUNT; ++t)
        if (P->task[t].seconds > 0)
            cJSON_AddItemToArray(tasks, row(lcl_task_name((enum lcl_task)t),
                                            &P->task[t], P->copy));
    cJSON_AddNumberToObject(record, "other_ms", 1e3 * profile_other(P));
    cJSON_AddNumberToObject(record, "setup_ms", 1e3 * profile_setup(P));
    cJSON_AddNumberToObject(record, "with_upload_ms", 1e3 * P->total);
    if (P->copy > 0)
        cJSON_AddNumberToObject(record, "copy_gbps", 1e-9 * P->copy);
}
