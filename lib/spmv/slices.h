// SPDX-License-Identifier: BSD-3-Clause
// Sizes of a matrix in sliced storage (cl/spmv/sliced.cl.h).
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Number of near and far slots of a slice, or of all slices before it.
struct lcl_slots {
    uint32_t near, far;
};

struct lcl_slot_sums {
    int64_t near, far; // slots of all slices
    uint64_t longest;  // slots of the longest slice
    uint64_t of_rows;  // entries that fit into the slots of n rows
};

// Replaces the slot counts of each slice of `rows` rows, in start[0 .. slices -
// 1], by their exclusive prefix sums; start[slices] gets the totals. The sums
// wrap around on overflow.
struct lcl_slot_sums lcl_sum_slots(struct lcl_slots *start, int64_t slices,
                                   int rows, int64_t n);

// Whether the slots of all slices, and the values of one slice at `values` per
// slot, fit the 32-bit counters of the kernels.
bool lcl_slots_fit(const struct lcl_slot_sums *sums, int values);
