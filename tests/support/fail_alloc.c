// SPDX-License-Identifier: BSD-3-Clause
// Makes the n-th allocation fail.
#include "tests/support/fail_alloc.h"

#include <stdatomic.h>
#include <stddef.h>

// Names that the linker option --wrap assigns to the original functions.
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *array, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *array, size_t size);

static atomic_long countdown; // also of threads
static atomic_bool failed;

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
    if (atomic_load(&countdown) <= 0 || atomic_fetch_sub(&countdown, 1) > 1)
        return false;
    atomic_store(&failed, true);
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
