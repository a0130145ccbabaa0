// SPDX-License-Identifier: BSD-3-Clause
// The packed apply for factors of blocks.
#pragma once

#include "lib/partition/partition.h"
#include "lib/trisolve/trisolve.h"

// lcl_packed_partition() for a matrix of blocks of `block` rows and columns
// with the pattern A: rows are rows of blocks.
enum lcl_status lcl_packed_block_partition(
    struct lcl_partition *P, lcl_context *ctx, const struct lcl_csr *A,
    int block, const struct lcl_partition_params *params);

// What the kernel is specialised on.
struct lcl_spec lcl_packed_block_spec(const struct lcl_caps *caps,
                                      const struct lcl_factor *factor);
