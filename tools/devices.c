// SPDX-License-Identifier: BSD-3-Clause
// The devices of a run.
#include "tools/devices.h"

#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 128 };

static enum lcl_status refuse(const struct lcl_log *log, const char *what,
                              const char *list)
{
    char text[2 * NAME_BYTES];
    snprintf(text, sizeof text, "--devices %s: %s", list, what);
    log->fn(log->user, LCL_LOG_ERROR, text);
    return LCL_EINVAL;
}

// Splits the list; names beyond the most are an error.
static enum lcl_status split(char (*name)[NAME_BYTES], int *count,
                             const char *list, const struct lcl_log *log)
{
    *count = 0;
    for (const char *at = list;; ++at) {
        const size_t length = strcspn(at, ",");
        if (length == 0 || length >= NAME_BYTES)
            return refuse(log, "expected numbers or names, as in 0,1", list);
        if (*count == DEVICES_MOST)
            return refuse(log, "more than 16 devices", list);
        snprintf(name[*count], NAME_BYTES, "%.*s", (int)length, at);
        for (int k = 0; k < *count; ++k)
            if (strcmp(name[k], name[*count]) == 0)
                return refuse(log, "a device is named twice", list);
        ++*count;
        at += length;
        if (!*at)
            return LCL_OK;
    }
}

enum lcl_status devices_open(struct devices *D, const char *list,
                             const struct lcl_context_params *params)
{
    char name[DEVICES_MOST][NAME_BYTES];
    struct lcl_context_params own = *params;
    enum lcl_status st = LCL_OK;
    int count = 1;
    if (list && (st = split(name, &count, list, &params->log)) < 0)
        return st;
    for (D->count = 0; D->count < count && st == LCL_OK;) {
        own.device = list ? name[D->count] : params->device;
        if ((st = lcl_context_create(&D->ctx[D->count], &own)) == LCL_OK)
            ++D->count;
    }
    return st;
}

void devices_close(struct devices *D)
{
    for (int k = 0; k < D->count; ++k)
        lcl_context_destroy(&D->ctx[k]);
    D->count = 0;
}
