// SPDX-License-Identifier: BSD-3-Clause
// What oclgrind needs to tell used from uninitialised memory.
#pragma once

struct lcl_cl_api;

// The OpenCL functions for tests: the loader's, or, where oclgrind looks for
// uninitialised values, some of them around two of its faults (21.10):
//  - it forgets that clEnqueueFillBuffer initialised a buffer: written instead;
//  - it takes a new buffer in the place of a released one for the old: none is
//    released before test_simulator_release().
const struct lcl_cl_api *test_simulator_api(void);
void test_simulator_release(void);
