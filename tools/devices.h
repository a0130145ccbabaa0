// SPDX-License-Identifier: BSD-3-Clause
// The devices of a run: --device or --devices.
#pragma once

#include "tools/progress.h"

#include <levelcl/context.h>

enum { DEVICES_MOST = 16 };

// The contexts; the first one serves alone what needs one device.
struct devices {
    lcl_context *ctx[DEVICES_MOST];
    int count;
};

// Opens the devices of a list "A,B,..." of numbers or parts of names; NULL: the
// default device. Returns as lcl_context_create(); LCL_EINVAL, with a message,
// also for an empty or repeated name and for more than DEVICES_MOST names.
enum lcl_status devices_open(struct devices *D, const char *list,
                             const struct lcl_context_params *params);
void devices_close(struct devices *D);
