// SPDX-License-Identifier: BSD-3-Clause
// Latency and bandwidth between the devices, for clsolve devices --bandwidth.
#pragma once

#include "tools/clsolve/devices.h"

struct links {
    int count;                // devices that solve, DEVICES_MOST at most
    int device[DEVICES_MOST]; // their numbers in the list of all
    struct lcl_link link[DEVICES_MOST][DEVICES_MOST]; // from, to; not to itself
};

// Opens the devices with fp64 in the list of all and measures each pair.
// Returns as lcl_context_create() and lcl_context_link().
enum lcl_status links_measure(struct links *L, struct devices *D,
                              const struct lcl_caps *caps, int count,
                              const struct lcl_context_params *params);
