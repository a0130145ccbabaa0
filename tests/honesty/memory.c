// SPDX-License-Identifier: BSD-3-Clause
// Memory of the fuzzer, which ends without it.
#include "tests/honesty/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *zeroed(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory) {
        fputs("honesty: host memory ran out\n", stderr);
        exit(2);
    }
    return memory;
}

void *duplicate(const void *data, size_t count, size_t size)
{
    void *copy = zeroed(count, size);
    if (count)
        memcpy(copy, data, count * size);
    return copy;
}
