// SPDX-License-Identifier: BSD-3-Clause
// What tests need to tell used from uninitialised memory.
#pragma once

struct lcl_cl_api;

// The OpenCL functions for tests: the loader's, but for new buffers, whose
// bytes are 0xff. Where oclgrind looks for uninitialised values they are not
// set, and some functions go around two of its faults (21.10):
//  - it forgets that clEnqueueFillBuffer initialised a buffer: written instead;
//  - it takes a new buffer in the place of a released one for the old: none is
//    released before test_simulator_release().
const struct lcl_cl_api *test_simulator_api(void);
void test_simulator_release(void);
