// SPDX-License-Identifier: BSD-3-Clause
// Launch geometry that follows from what a device is.
#pragma once

#include <levelcl/context.h>

#include <stdint.h>

// Work-items of a group for kernels over vectors: 1 at width 1, else 256 or
// the nearest multiple of the wave width that the device runs.
int lcl_vector_group(const struct lcl_caps *caps);

// The same for kernels of more than 32 registers an item: so few that
// lcl_vector_groups() still run at once where a unit has 65,536 registers.
int lcl_vector_group_of(const struct lcl_caps *caps, int registers);

// Work-items of a group of so many waves, or as many as the device runs; 1 at
// width 1.
int lcl_wave_group(const struct lcl_caps *caps, int waves);

// Groups of a kernel over vectors, and so partial sums of a dot product: enough
// to fill the device (8 groups of 256 a unit), few enough that every group can
// add them all up again. Depends on the device alone, so that sums are the same
// from run to run.
int lcl_vector_groups(const struct lcl_caps *caps);
