// SPDX-License-Identifier: BSD-3-Clause
// A kernel cache for all tests of a program, in a temporary folder.
#pragma once

#include "tests/support/folder.h"

extern struct lcl_test_folder test_cache;

// Set-up and teardown of a group of tests, which is skipped without a device.
int test_cache_create(void **state);
int test_cache_remove(void **state);
