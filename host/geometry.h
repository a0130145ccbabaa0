// SPDX-License-Identifier: BSD-3-Clause
// Launch geometry derived from the device capabilities.
#pragma once

#include <levelcl/context.h>

#include <stdint.h>

// The least multiple of `step` that is not below `value`; none is negative.
static inline int64_t lcl_round_up(int64_t value, int64_t step)
{
    return (value + step - 1) / step * step;
}

// Rows of an array in local memory for `rows` rows of a subdomain: rounded up,
// so that subdomains of nearly equal sizes share programs.
enum { LCL_LOCAL_ROWS_STEP = 128 };
static inline int lcl_local_rows(int64_t rows)
{
    return (int)lcl_round_up(rows, LCL_LOCAL_ROWS_STEP);
}

// Work-group size of vector kernels: 1 at width 1, else 256 or the nearest
// multiple of the wave width that the device supports.
int lcl_vector_group(const struct lcl_caps *caps);

// The same for kernels that use more than 32 registers per work-item: small
// enough that all lcl_vector_groups() groups run at once if a compute unit has
// 65,536 registers.
int lcl_vector_group_of(const struct lcl_caps *caps, int registers);

// Work-group size for `waves` waves, or for as many as the device supports; 1
// at width 1.
int lcl_wave_group(const struct lcl_caps *caps, int waves);

// The same for kernels that exchange values in branches or loops that are not
// the same for all waves of a group: one wave where an exchange has a barrier.
int lcl_loose_wave_group(const struct lcl_caps *caps, int waves);

// Number of work-groups of a vector kernel, and so of partial sums of a dot
// product: enough to fill the device (8 groups of 256 work-items per compute
// unit), few enough that every group can add all partial sums again. Depends
// only on the device, so that sums are reproducible from run to run.
int lcl_vector_groups(const struct lcl_caps *caps);
