// SPDX-License-Identifier: BSD-3-Clause
// Makes threads that are created fail.
#include "tests/support/fail_threads.h"

#include <pthread.h>

// Names that the linker option --wrap assigns to the original functions.
int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
                          void *(*start)(void *), void *arg);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
                          void *(*start)(void *), void *arg);

static int left = -1;

void lcl_test_threads_left(int count)
{
    left = count;
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
                          void *(*start)(void *), void *arg)
{
    if (left == 0)
        return 1;
    if (left > 0)
        --left;
    return __real_pthread_create(thread, attr, start, arg);
}
