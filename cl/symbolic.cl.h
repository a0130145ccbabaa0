// SPDX-License-Identifier: BSD-3-Clause
// What the kernels of the analysis (symbolic.cl) tell the host about each
// subdomain.
#pragma once

#include "factor.cl.h"

struct lcl_census {
    double kept_weight;    // sum of |a_ij| off the diagonal, inside
    double dropped_weight; // and outside of the subdomain
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
