// SPDX-License-Identifier: BSD-3-Clause
// Child processes of a test.
#include "tests/support/child.h"

#include "tests/support/test.h"

#include <sys/wait.h>
#include <unistd.h>

pid_t test_child_start(const char *const args[])
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        execv(args[0], (char *const *)args);
        _exit(127);
    }
    return child;
}

int test_child_wait(pid_t child)
{
    int how;
    assert_int_equal(waitpid(child, &how, 0), child);
    assert_true(WIFEXITED(how));
    return WEXITSTATUS(how);
}
