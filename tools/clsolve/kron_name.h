// SPDX-License-Identifier: BSD-3-Clause
// Names of built-in Kronecker systems.
#pragma once

#include <stdbool.h>
#include <string.h>

// Whether a problem is one, if its name is right.
static inline bool is_kron_name(const char *name)
{
    return strncmp(name, "kron", 4) == 0 || strncmp(name, "radau", 5) == 0 ||
           strncmp(name, "stokes", 6) == 0;
}
