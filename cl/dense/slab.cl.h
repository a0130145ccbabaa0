// SPDX-License-Identifier: BSD-3-Clause
// Dense diagonal blocks of different sizes in slabs: the layout shared by the
// kernels that fill and read it and the host code that plans it.
//
// A slab holds neighbouring blocks with at most SLAB_LANES rows together: one
// wave multiplies with it, one lane per row. Entry (r, j) of the block whose
// first row is row f of the slab is value
//     value + j * rows + f + r
// so that neighbouring lanes read neighbouring values; padding columns of
// smaller blocks are never read. The values of a slab have one format: double,
// float, or bf16 in ushorts. If formats differ between slabs, each slab starts
// where it would with doubles.
#pragma once

#include "types.cl.h"

// Devices load one struct at a time; host memory is not aligned this much.
#ifdef __OPENCL_C_VERSION__
# define LCL_SLAB_ALIGNED __attribute__((aligned(32)))
#else
# define LCL_SLAB_ALIGNED
#endif

struct lcl_slab {
    lcl_u64 value;   // first value
    lcl_u64 starts;  // bit f: row f of the slab is the first of a block
    lcl_u32 row;     // first row of the matrix
    lcl_u32 block;   // first block
    lcl_u16 rows;    // of all blocks
    lcl_u16 columns; // of the largest block
    lcl_u32 storage; // enum lcl_factor_storage: FP64, FP32 or BF16
} LCL_SLAB_ALIGNED;

#define LCL_SLAB_ROWS_MAX 64

// Readable values behind the last slab.
#define LCL_SLAB_SLACK 8
