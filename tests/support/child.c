// SPDX-License-Identifier: BSD-3-Clause
// Child processes of a test.
#define _DEFAULT_SOURCE // setgroups()
#include "tests/support/child.h"

#include "tests/support/test.h"

#include <grp.h>
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

enum { NOBODY = 65534 };

void test_give_to_nobody(const char *path)
{
    if (geteuid() == 0)
        assert_int_equal(chown(path, NOBODY, NOBODY), 0);
}

bool test_become_nobody(void)
{
    return geteuid() != 0 || (setgroups(0, NULL) == 0 && setegid(NOBODY) == 0 &&
                              seteuid(NOBODY) == 0);
}

bool test_try_as_nobody(bool (*try)(void))
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(test_become_nobody() && try() ? 0 : 1);
    return test_child_wait(child) == 0;
}
