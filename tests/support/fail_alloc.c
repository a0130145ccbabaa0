// SPDX-License-Identifier: BSD-3-Clause
// Makes the n-th allocation fail.
#include "tests/support/fail_alloc.h"

#include <stddef.h>

// Names that the linker option --wrap assigns to the original functions.
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *array, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *array, size_t size);

static long countdown;
static bool failed;

void lcl_test_fail_alloc_at(long n)
{
    countdown = n;
    failed = false;
}

bool lcl_test_alloc_failed(void)
{
    return failed;
}

static bool fails_now(void)
{
    if (countdown == 0 || --countdown > 0)
        return false;
    failed = true;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return fails_now() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails_now() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *array, size_t size)
{
    return fails_now() ? NULL : __real_realloc(array, size);
}
