// SPDX-License-Identifier: BSD-3-Clause
// The packed apply for factors of blocks.
#pragma once

#include "lib/trisolve/trisolve.h"

// In block rows: the largest possible subdomain (0 or less: none fits), and the
// recommended size within that limit for a matrix of n block rows.
int64_t lcl_packed_block_limit(const struct lcl_caps *caps, int block);
int64_t lcl_packed_block_rows(const struct lcl_caps *caps, int64_t n,
                              int block);

// Build options of the kernel.
struct lcl_spec lcl_packed_block_spec(const struct lcl_caps *caps,
                                      const struct lcl_factor *factor);
