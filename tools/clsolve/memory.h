// SPDX-License-Identifier: BSD-3-Clause
// Device memory in use, by object.
#pragma once

#include <levelcl/memory.h>

struct job;

// The sums over all devices; of several processes, those of this one.
struct memory {
    struct lcl_memory_info all;
    uint64_t op;      // the matrix with its copies
    uint64_t precond; // factors, coarse correction, multigrid
    uint64_t other;   // vectors of the solver, maps for new values
};

struct memory memory_in_use(const struct job *job);

// Decimals of a size in MB, so that small objects do not have 0.0 MB.
static inline int memory_decimals(uint64_t bytes)
{
    return bytes < 100000 ? 3 : 1;
}
