// SPDX-License-Identifier: BSD-3-Clause
// Child processes of a test: programs started afresh, so that nothing of the
// parent's OpenCL is shared.
#pragma once

#include <sys/types.h>

// Starts args[0] with the arguments up to a NULL.
pid_t test_child_start(const char *const args[]);

// Waits for its end. Returns its exit status; a signal fails the test.
int test_child_wait(pid_t child);
