// SPDX-License-Identifier: BSD-3-Clause
// Suffixes of names of files.
#pragma once

#include <stdbool.h>
#include <string.h>

static inline bool lcl_ends_with(const char *name, const char *suffix)
{
    const size_t length = strlen(name), size = strlen(suffix);
    return length >= size && strcmp(name + length - size, suffix) == 0;
}
