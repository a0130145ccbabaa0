// SPDX-License-Identifier: BSD-3-Clause
// Memory of the fuzzer, which ends without it.
#pragma once

#include <stddef.h>

// At least one element, all zero; freed with free().
void *zeroed(size_t count, size_t size);
void *duplicate(const void *data, size_t count, size_t size);
