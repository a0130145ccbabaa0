// SPDX-License-Identifier: BSD-3-Clause
// The packed-level layout of a factor, shared by the kernels that make it and
// those that read it, and the host code that lays it out.
//
// The rows of a subdomain are numbered by level. A step is a run of at most
// LCL_GROUP rows of one level, lane after lane; entry k of the row on lane t is
// slot  off + k * rows + t  of its subdomain, so that lanes read neighbours.
// Rows shorter than the longest of their step are padded with slots whose
// column is the row itself and whose value is 0. Columns of a row ascend.
#pragma once

#ifdef __OPENCL_C_VERSION__
typedef ushort lcl_u16;
typedef uint lcl_u32;
typedef ulong lcl_u64;
#else
# include <stdint.h>
typedef uint16_t lcl_u16;
typedef uint32_t lcl_u32;
typedef uint64_t lcl_u64;
#endif

struct lcl_step {
    lcl_u32 lower;       // slot of the first entry of L, from the subdomain's
    lcl_u32 upper;       // the same of U
    lcl_u16 first;       // row on lane 0, from the subdomain's first
    lcl_u16 rows;        // rows of the step; 0 for steps that fill up a table
    lcl_u16 lower_slots; // entries a row of L
    lcl_u16 upper_slots; // entries a row of U
} __attribute__((aligned(16))); // one load

struct lcl_part {
    lcl_u64 slot;  // first slot of the subdomain
    lcl_u64 entry; // first entry of its rows in the matrix
    lcl_u32 row;   // first row
    lcl_u32 rows;
    lcl_u32 step; // first step
    lcl_u32 steps;
};
