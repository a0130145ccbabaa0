// SPDX-License-Identifier: BSD-3-Clause
// Latency and bandwidth between the devices.
#include "tools/clsolve/links.h"

#include <stdio.h>

// Lists the devices that solve, as for --devices.
static void list(struct links *L, char names[8 * DEVICES_MOST],
                 const struct lcl_caps *caps, int count)
{
    size_t at = 0;
    *names = '\0';
    for (int k = 0; k < count && L->count < DEVICES_MOST; ++k) {
        if (!caps[k].fp64)
            continue;
        at += (size_t)snprintf(names + at, 8, "%s%d", at > 0 ? "," : "", k);
        L->device[L->count++] = k;
    }
}

enum lcl_status links_measure(struct links *L, struct devices *D,
                              const struct lcl_caps *caps, int count,
                              const struct lcl_context_params *params)
{
    char names[8 * DEVICES_MOST];
    *L = (struct links){.count = 0};
    list(L, names, caps, count);
    if (L->count < 2)
        return LCL_OK;
    enum lcl_status st = devices_open(D, names, params);
    for (int from = 0; from < L->count && st == LCL_OK; ++from)
        for (int to = 0; to < L->count && st == LCL_OK; ++to)
            if (from != to)
                st = lcl_context_link(D->ctx[from], D->ctx[to],
                                      &L->link[from][to]);
    return st;
}
