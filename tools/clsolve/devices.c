// SPDX-License-Identifier: BSD-3-Clause
// The devices of a run.
#include "tools/clsolve/devices.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 128 };

// Copies the name at *at and moves on to the next one, or to the end.
static bool next_name(char name[NAME_BYTES], const char **at)
{
    const size_t length = strcspn(*at, ",");
    snprintf(name, NAME_BYTES, "%.*s", (int)length, *at);
    *at += length + ((*at)[length] == ',' && (*at)[length + 1]);
    return length > 0 && length < NAME_BYTES;
}

static bool is_repeated(const char *name, const char *list, int before)
{
    char other[NAME_BYTES];
    for (int k = 0; k < before; ++k)
        if (next_name(other, &list) && strcmp(name, other) == 0)
            return true;
    return false;
}

const char *devices_fault(const char *list)
{
    char name[NAME_BYTES];
    const char *at = list;
    if (!*list || list[strlen(list) - 1] == ',')
        return "expected numbers or names, as in 0,1";
    for (int k = 0; *at; ++k) {
        if (k == DEVICES_MOST)
            return "more than 16 devices";
        if (!next_name(name, &at))
            return "expected numbers or names, as in 0,1";
        if (is_repeated(name, list, k))
            return "a device is named twice";
    }
    return NULL;
}

enum lcl_status devices_open(struct devices *D, const char *list,
                             const struct lcl_context_params *params)
{
    char name[NAME_BYTES];
    struct lcl_context_params own = *params;
    enum lcl_status st = LCL_OK;
    D->count = 0;
    do {
        if (list && next_name(name, &list))
            own.device = name;
        if ((st = lcl_context_create(&D->ctx[D->count], &own)) == LCL_OK)
            ++D->count;
    } while (st == LCL_OK && list && *list);
    return st;
}

void devices_close(struct devices *D)
{
    for (int k = 0; k < D->count; ++k)
        lcl_context_destroy(&D->ctx[k]);
    D->count = 0;
}
