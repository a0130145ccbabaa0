// SPDX-License-Identifier: BSD-3-Clause
// Sizes of a matrix in sliced storage.
#include "lib/spmv/slices.h"

struct lcl_slot_sums lcl_sum_slots(struct lcl_slots *start, int64_t slices,
                                   int rows, int64_t n)
{
    struct lcl_slot_sums sums = {0};
    for (int64_t s = 0; s < slices; ++s) {
        const struct lcl_slots own = start[s];
        const uint64_t slots = (uint64_t)own.near + own.far;
        const int64_t left = n - s * rows;
        start[s] = (struct lcl_slots){(uint32_t)sums.near, (uint32_t)sums.far};
        sums.near += own.near;
        sums.far += own.far;
        sums.longest = slots > sums.longest ? slots : sums.longest;
        sums.of_rows += slots * (uint64_t)(left < rows ? left : rows);
    }
    start[slices] = (struct lcl_slots){(uint32_t)sums.near, (uint32_t)sums.far};
    return sums;
}

bool lcl_slots_fit(const struct lcl_slot_sums *sums, int values)
{
    return sums->near + sums->far <= UINT32_MAX &&
           sums->longest <= UINT32_MAX / (uint64_t)values;
}
