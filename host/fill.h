// SPDX-License-Identifier: BSD-3-Clause
// Functions that generate the elements of a buffer.
#pragma once

#include <stdint.h>

// Writes elements first .. first + count - 1 of a buffer to `to`.
typedef void lcl_fill_fn(void *arg, int64_t first, int64_t count, void *to);
