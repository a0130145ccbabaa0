// SPDX-License-Identifier: BSD-3-Clause
// Misuse of the API returns LCL_EINVAL or, in a build with debug-abort, aborts
// the process.
#pragma once

#include "tests/support/test.h"

#include <levelcl/status.h>

#ifdef LCL_DEBUG_ABORT
# include <signal.h>
# include <sys/wait.h>
# include <unistd.h>

// Runs `call` in a child process, which must abort.
# define assert_misuse(call)                                                   \
  do {                                                                         \
   int how_;                                                                   \
   const pid_t child_ = fork();                                                \
   if (child_ == 0)                                                            \
    _exit((call) == LCL_EINVAL);                                               \
   assert_int_equal(waitpid(child_, &how_, 0), child_);                        \
   assert_true(WIFSIGNALED(how_) && WTERMSIG(how_) == SIGABRT);                \
  } while (0)
#else
# define assert_misuse(call) assert_int_equal((call), LCL_EINVAL)
#endif
