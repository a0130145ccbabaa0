// SPDX-License-Identifier: BSD-3-Clause
// Arrays that grow with the data read.
#include "lib/io/grow.h"

#include "host/alloc.h"
#include "host/log.h"

enum { FIRST_CAPACITY = 1 << 12 };

enum lcl_status lcl_io_grow(void **array, int64_t *capacity, int64_t needed,
                            int64_t limit, size_t size,
                            const struct lcl_log *log)
{
    int64_t wanted = *capacity ? 2 * *capacity : FIRST_CAPACITY;
    if (*array && needed <= *capacity)
        return LCL_OK;
    if (wanted > limit)
        wanted = limit;
    if (wanted < needed)
        wanted = needed;
    void *grown = lcl_realloc(*array, (size_t)wanted, size);
    if (!grown)
        return lcl_fail_memory(log, "the entries of the file");
    *array = grown;
    *capacity = wanted;
    return LCL_OK;
}
