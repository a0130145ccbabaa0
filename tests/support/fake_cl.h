// SPDX-License-Identifier: BSD-3-Clause
// A table of OpenCL functions that call the loader's, count calls, and fail on
// request of a test.
#pragma once

#include "host/cl.h"

#include <stdbool.h>
#include <stddef.h>

enum fake_cl_function {
    FAKE_CL_ANY, // any function that may fail: not the releases, nor
                 // clGetEventInfo
#define X(function) FAKE_##function,
    LCL_CL_FUNCTIONS(X)
#undef X
        FAKE_CL_FUNCTIONS,
};

// All zero: nothing fails. Tests assign it as a whole.
struct fake_cl {
    // --- faults
    long fail_at; // the n-th call from now on fails, once; 0: none
    enum fake_cl_function function; // the function that is counted
    cl_int code;
    bool lost;       // that call succeeds, and all later calls that may fail do
    long queue_most; // a launch waits for the queue once in so many, and other
                     // calls for the launch; 0: never
    struct {
        cl_device_info what;
        cl_ulong value;
    } device_info[2];           // values that replace those of the device
    const char *driver_version; // replaces that of the device; NULL: unchanged
    struct {
        const char *from, *to; // of one length
    } edit;                    // text that changes in programs; NULL: none
    bool real_platform;        // else the platform is called "fake platform"
    bool spoil;                // every byte read becomes `spoiled`
    unsigned char spoiled;

    // --- observations
    bool failed;
    long calls[FAKE_CL_FUNCTIONS];
    long full;            // how often a queue was full
    long objects;         // created or retained and not released
    char build_log[1024]; // of the last successful build with output
};
extern struct fake_cl fake_cl;

extern const struct lcl_cl_api fake_cl_api;
