// SPDX-License-Identifier: BSD-3-Clause
// Child processes of a test: programs started anew, so that they share no
// OpenCL state with the parent.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

// Starts args[0] with the arguments up to a NULL.
pid_t test_child_start(const char *const args[]);

// Waits until the process ends and returns its exit status; a signal fails the
// test.
int test_child_wait(pid_t child);

// Root can write everywhere, so tests of access rights run as nobody; if the
// user is not root, these three functions do not change rights.
void test_give_to_nobody(const char *path); // a file or folder of the test
bool test_become_nobody(void);              // for the rest of the process
// The result of `try` in a child process. `try` must not use assertions.
bool test_try_as_nobody(bool (*try)(void));
