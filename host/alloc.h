// SPDX-License-Identifier: BSD-3-Clause
// All host allocation, overflow-checked: a hostile count gives NULL. The memory
// is that of lcl_set_allocator() in <levelcl/memory.h>.
#pragma once

#include <stddef.h>

// An array of `count` elements, all zero. NULL if memory runs out or the size
// overflows; a count of 0 gives a pointer that can be freed.
void *lcl_calloc(size_t count, size_t size);

// As lcl_calloc() without clearing.
void *lcl_malloc(size_t count, size_t size);

// Resizes; if it returns NULL, the old array is unchanged.
void *lcl_realloc(void *array, size_t count, size_t size);

void lcl_free(void *array);

// A copy of `text`, freed with lcl_free(); NULL if memory runs out.
char *lcl_strdup(const char *text);
