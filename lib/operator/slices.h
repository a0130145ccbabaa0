// SPDX-License-Identifier: BSD-3-Clause
// The sizes of a matrix in slices (cl/operator/sliced.cl.h).
#pragma once

#include <stdbool.h>
#include <stdint.h>

// Near and far slots, of a slice or before it.
struct lcl_slots {
    uint32_t near, far;
};

struct lcl_slot_sums {
    int64_t near, far; // slots of all slices
    uint64_t longest;  // slots of the longest
    uint64_t of_rows;  // entries that the slots of n rows have room for
};

// From the slots of each slice of `rows` rows, in start[0 .. slices - 1], to
// those before it, and in start[slices] all. They wrap around where they do not
// fit.
struct lcl_slot_sums lcl_sum_slots(struct lcl_slots *start, int64_t slices,
                                   int rows, int64_t n);

// Kernels count the slots of all slices in 32 bits, and the values of one
// slice, of which a slot has `values`.
bool lcl_slots_fit(const struct lcl_slot_sums *sums, int values);
