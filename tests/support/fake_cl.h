// SPDX-License-Identifier: BSD-3-Clause
// A table of OpenCL functions that pass on to the loader's, count, and fail
// where a test wants them to.
#pragma once

#include "host/cl.h"

#include <stdbool.h>
#include <stddef.h>

enum fake_cl_function {
    FAKE_CL_ANY, // of those that may fail: not the releases, nor clGetEventInfo
#define X(function) FAKE_##function,
    LCL_CL_FUNCTIONS(X)
#undef X
        FAKE_CL_FUNCTIONS,
};

// All zero: nothing goes wrong. Tests assign it as a whole.
struct fake_cl {
    // --- what goes wrong
    long fail_at;                   // the n-th call from now on, once; 0: none
    enum fake_cl_function function; // that counts
    cl_int code;
    bool lost; // that call succeeds, and all that may fail do so afterwards
    struct {
        cl_device_info what;
        cl_ulong value;
    } device_info[2]; // values that devices claim instead of their own
    const char *driver_version; // that devices claim; NULL: their own
    bool spoil; // every byte that is read comes back as `spoiled`
    unsigned char spoiled;

    // --- what was seen
    bool failed;
    long calls[FAKE_CL_FUNCTIONS];
    long objects;         // made or retained and not released
    char build_log[1024]; // of the last successful build with any
};
extern struct fake_cl fake_cl;

extern const struct lcl_cl_api fake_cl_api;
