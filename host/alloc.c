// SPDX-License-Identifier: BSD-3-Clause
// All host allocation.
#include "host/alloc.h"

#include "host/log.h"

#include <levelcl/memory.h>

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static size_t bytes_of(size_t count, size_t size)
{
    if (count == 0)
        return 1;
    return size > SIZE_MAX / 2 / count ? SIZE_MAX : count * size;
}

// The only state of the process. It may change only while no memory is
// allocated.
static struct lcl_allocator allocator;
static atomic_llong arrays;

static void *counted(void *array)
{
    if (array)
        atomic_fetch_add_explicit(&arrays, 1, memory_order_relaxed);
    return array;
}

void *lcl_malloc(size_t count, size_t size)
{
    const size_t bytes = bytes_of(count, size);
    if (bytes == SIZE_MAX)
        return NULL;
    return counted(allocator.allocate
                       ? allocator.allocate(allocator.user, bytes)
                       : malloc(bytes));
}

void *lcl_calloc(size_t count, size_t size)
{
    const size_t bytes = bytes_of(count, size);
    if (bytes == SIZE_MAX)
        return NULL;
    if (!allocator.allocate)
        return counted(calloc(1, bytes));
    void *array = allocator.allocate(allocator.user, bytes);
    return counted(array ? memset(array, 0, bytes) : NULL);
}

void *lcl_realloc(void *array, size_t count, size_t size)
{
    const size_t bytes = bytes_of(count, size);
    if (!array || bytes == SIZE_MAX)
        return array ? NULL : lcl_malloc(count, size);
    return allocator.reallocate
               ? allocator.reallocate(allocator.user, array, bytes)
               : realloc(array, bytes);
}

void lcl_free(void *array)
{
    if (!array)
        return;
    atomic_fetch_sub_explicit(&arrays, 1, memory_order_relaxed);
    if (allocator.release)
        allocator.release(allocator.user, array);
    else
        free(array);
}

enum lcl_status lcl_set_allocator(const struct lcl_allocator *next,
                                  const struct lcl_log *log)
{
    const long long held = atomic_load(&arrays);
    if (next && (!next->allocate || !next->reallocate || !next->release))
        return lcl_misuse(log, "lcl_set_allocator: a function is NULL");
    if (held > 0)
        return lcl_fail(log, LCL_EINVAL,
                        "lcl_set_allocator: the library has %lld arrays; "
                        "destroy all contexts, objects and matrices first",
                        held);
    allocator = next ? *next : (struct lcl_allocator){0};
    return LCL_OK;
}

char *lcl_strdup(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = lcl_malloc(bytes, 1);
    return copy ? memcpy(copy, text, bytes) : NULL;
}
