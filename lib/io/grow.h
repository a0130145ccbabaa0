// SPDX-License-Identifier: BSD-3-Clause
// Arrays that grow with the data read.
#pragma once

#include <levelcl/log.h>
#include <levelcl/status.h>

#include <stddef.h>
#include <stdint.h>

// Makes room for `needed` elements and some more, but not for more than `limit`
// unless needed; afterwards *array is not NULL. Returns LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_io_grow(void **array, int64_t *capacity, int64_t needed,
                            int64_t limit, size_t size,
                            const struct lcl_log *log);
