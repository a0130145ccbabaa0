// SPDX-License-Identifier: BSD-3-Clause
// The caller's own OpenCL objects, and a context of levelcl on them.
#pragma once

#include "host/runtime.h"
#include "tests/support/capture.h"
#include "tests/support/job.h"

#include <levelcl/opencl.h>

extern struct test_own {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    lcl_context *ctx;
    struct test_line line;
    struct test_capture capture; // errors of ctx
} test_own;

// The OpenCL objects: set-up and tear-down of a group of tests, which is
// skipped if there is no device.
int test_own_open(void **state);
int test_own_close(void **state);

// The context, a new line and an empty capture: set-up and tear-down of a test.
int test_own_create(void **state);
int test_own_destroy(void **state);

// A buffer of the OpenCL context with a copy of `data`; NULL: of any content.
cl_mem test_own_buffer(size_t bytes, void *data);
