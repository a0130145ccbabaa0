// SPDX-License-Identifier: BSD-3-Clause
// The packed apply for factors of blocks.
#pragma once

#include "lib/trisolve/trisolve.h"

// Rows of blocks that a subdomain can have at most, 0 or less: none; and that
// it should have in a matrix of n rows of blocks, within that.
int64_t lcl_packed_block_limit(const struct lcl_caps *caps, int block);
int64_t lcl_packed_block_rows(const struct lcl_caps *caps, int64_t n,
                              int block);

// What the kernel is specialised on.
struct lcl_spec lcl_packed_block_spec(const struct lcl_caps *caps,
                                      const struct lcl_factor *factor);
