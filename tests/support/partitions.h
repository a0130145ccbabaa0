// SPDX-License-Identifier: BSD-3-Clause
// Properties of every valid partition.
#pragma once

#include "lib/partition/partition.h"

// Fails unless P covers n rows by a permutation and every part has 1 to `limit`
// rows in their old order.
void test_partition_covers(const struct lcl_subdomains *P, int64_t n,
                           int64_t limit);

// The same, and fails unless parts are ordered by their first rows.
void test_partition_valid(const struct lcl_subdomains *P, int64_t n,
                          int64_t limit);

// The part of every old row, freed with free().
int32_t *test_part_of_rows(const struct lcl_subdomains *P);
