// SPDX-License-Identifier: BSD-3-Clause
// Binary search among ascending numbers.
#pragma once

// How many of number[from] .. number[to - 1] are less than `limit`.
static inline uint count_below(int limit, uint from, uint to,
                               global const int *number)
{
    uint low = from, high = to;
    while (low < high) {
        const uint middle = low + (high - low) / 2;
        if (number[middle] < limit)
            low = middle + 1;
        else
            high = middle;
    }
    return low - from;
}
