// SPDX-License-Identifier: BSD-3-Clause
// All host allocation.
#include "host/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static size_t bytes_of(size_t count, size_t size)
{
    if (count == 0)
        return 1;
    return size > SIZE_MAX / 2 / count ? SIZE_MAX : count * size;
}

void *lcl_calloc(size_t count, size_t size)
{
    const size_t bytes = bytes_of(count, size);
    return bytes == SIZE_MAX ? NULL : calloc(1, bytes);
}

void *lcl_malloc(size_t count, size_t size)
{
    const size_t bytes = bytes_of(count, size);
    return bytes == SIZE_MAX ? NULL : malloc(bytes);
}

void *lcl_realloc(void *array, size_t count, size_t size)
{
    const size_t bytes = bytes_of(count, size);
    return bytes == SIZE_MAX ? NULL : realloc(array, bytes);
}

void lcl_free(void *array)
{
    free(array);
}

char *lcl_strdup(const char *text)
{
    const size_t bytes = strlen(text) + 1;
    char *copy = lcl_malloc(bytes, 1);
    return copy ? memcpy(copy, text, bytes) : NULL;
}
