// SPDX-License-Identifier: BSD-3-Clause
// All host allocation: overflow-checked, so that a hostile count is a NULL.
#pragma once

#include <stddef.h>

// An array of `count` elements, all zero. NULL when memory runs out or the
// size overflows; a count of 0 gives a pointer that can be freed.
void *lcl_calloc(size_t count, size_t size);

// As lcl_calloc() without clearing.
void *lcl_malloc(size_t count, size_t size);

// Resizes; on NULL the old array is untouched.
void *lcl_realloc(void *array, size_t count, size_t size);

void lcl_free(void *array);

// A copy of `text` to be freed with lcl_free(); NULL when memory runs out.
char *lcl_strdup(const char *text);
