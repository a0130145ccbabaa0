// SPDX-License-Identifier: BSD-3-Clause
// Child processes of a test: programs started afresh, so that nothing of the
// parent's OpenCL is shared.
#pragma once

#include <stdbool.h>
#include <sys/types.h>

// Starts args[0] with the arguments up to a NULL.
pid_t test_child_start(const char *const args[]);

// Waits for its end. Returns its exit status; a signal fails the test.
int test_child_wait(pid_t child);

// Root may write anywhere, so that what happens to others is tried as nobody;
// for other users than root these three change no rights.
void test_give_to_nobody(const char *path); // a file or folder of the test
bool test_become_nobody(void);              // for the rest of the process
// What `try` returns in a child process. No assertions there.
bool test_try_as_nobody(bool (*try)(void));
