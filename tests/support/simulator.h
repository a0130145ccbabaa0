// SPDX-License-Identifier: BSD-3-Clause
// Support for tests that distinguish used from uninitialised memory.
#pragma once

struct lcl_cl_api;

// The OpenCL functions for tests: those of the loader, except that new buffers
// are filled with 0xff. Under oclgrind's search for uninitialised values they
// are not filled, and some functions work around two of its faults (21.10):
//  - it forgets that clEnqueueFillBuffer initialised a buffer: writes it
//    instead;
//  - it mistakes a new buffer at the address of a released one for the old
//    one: releases none before test_simulator_release().
const struct lcl_cl_api *test_simulator_api(void);
void test_simulator_release(void);
