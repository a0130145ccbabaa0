// SPDX-License-Identifier: BSD-3-Clause
// Dense diagonal blocks of different sizes in slabs: the layout that is shared
// by the kernels that fill and read it and the host code that lays it out.
//
// A slab holds neighbouring blocks with LCL_LANES rows together at most: what
// one wave multiplies with, a row a lane. Entry (r, j) of the block whose first
// row is row f of the slab is value
//     value + j * rows + f + r
// so that lanes read neighbours; columns that some block lacks are room that
// nobody looks at. The values of a slab have one format: double, float, or bf16
// in ushorts. Where slabs differ in that, each starts where it would with
// doubles.
#pragma once

#include "types.cl.h"

// Devices read one at a time, hosts have no memory aligned so.
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

// Values behind the last slab that may be read.
#define LCL_SLAB_SLACK 8
