// SPDX-License-Identifier: BSD-3-Clause
// The devices of a run: --device or --devices.
#pragma once

#include "tools/clsolve/progress.h"

#include <levelcl/context.h>

enum { DEVICES_MOST = 16 };

// The contexts; the first one serves alone what needs one device.
struct devices {
    lcl_context *ctx[DEVICES_MOST];
    int count;
};

// What is wrong with a list "A,B,..." of numbers or parts of names: an empty or
// repeated name, more than DEVICES_MOST names; NULL: nothing.
const char *devices_fault(const char *list);

// Opens the devices of a list without faults; NULL: params->device. Returns as
// lcl_context_create().
enum lcl_status devices_open(struct devices *D, const char *list,
                             const struct lcl_context_params *params);
void devices_close(struct devices *D);
