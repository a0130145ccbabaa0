// SPDX-License-Identifier: BSD-3-Clause
// Shared by the kernels of the symbolic phase (symbolic.cl): helpers, and the
// structs in which they report each subdomain to the host.
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
    lcl_u32 signs; // of its a_ii: 1 if some are positive, 2 if some negative
};

struct lcl_extent {
    lcl_u64 slots;
    lcl_u32 stages;
    lcl_u32 unshared; // stages if each row has one lane only
    lcl_u32 planes;   // entries of the longest row of L or U
    lcl_u32 unused;
};

#ifdef __OPENCL_C_VERSION__

// A whole group sorts each longer row.
# define SYMBOLIC_SHORT_ROW 32

// Where the entries of row i start and end in A. Pairs are vectors here, and
// min() gets no constant: oclgrind 21.10 stops at clang's code for functions
// that return structs, and crashes on min() with a constant.
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
