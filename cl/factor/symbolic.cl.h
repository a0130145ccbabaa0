// SPDX-License-Identifier: BSD-3-Clause
// What the kernels of the analysis (symbolic.cl, reorder.cl, layout.cl) share,
// and what they tell the host about each subdomain.
#pragma once

#include "factor.cl.h"

struct lcl_census {
    double kept_weight;    // sum of |a_ij| off the diagonal, inside
    double dropped_weight; // and outside of the subdomain
    double couplings;      // sum of |a_ij / a_ii| off the diagonal
    double opposite;       // the same where a_ij / a_ii < 0
    lcl_u32 entries;       // of its rows
    lcl_u32 kept;          // of these, inside
    lcl_u32 diagonals;     // stored
    lcl_u32 levels;
    lcl_u32 steps;
    lcl_u32 unused;
};

struct lcl_extent {
    lcl_u64 slots;
    lcl_u32 sweeps;
    lcl_u32 unshared; // sweeps where a lane has a row to itself
    lcl_u32 planes;   // entries of the longest row of L or U
    lcl_u32 unused;
};

#ifdef __OPENCL_C_VERSION__

// Longer rows are sorted by a group.
# define SYMBOLIC_SHORT_ROW 32

// Where the entries of row i start and end in A. Pairs are vectors here, and
// min() gets no constant: oclgrind stops at what clang makes of structs that
// functions return, and crashes on the other (21.10).
static inline uint2 symbolic_run(global const uint *row_ptr,
                                 global const int *perm, long i)
{
    const int old = perm[i];
    return (uint2)(row_ptr[old], row_ptr[old + 1]);
}

static inline uint symbolic_length(global const uint *row_ptr,
                                   global const int *perm, long i)
{
    const int old = perm[i];
    return row_ptr[old + 1] - row_ptr[old];
}
#endif
