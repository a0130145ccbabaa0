// SPDX-License-Identifier: BSD-3-Clause
// The state of the packed apply, of factors of numbers and of blocks.
#pragma once

#include "host/buffer.h"
#include "host/program.h"

struct lcl_packed {
    const lcl_buffer *table; // of sweeps; at width 1 `planes`, of blocks steps
    lcl_buffer *planes;      // of rows: packed.cl, count_planes; or NULL
    lcl_kernel *kernel, *shifted; // the latter after add_shift()
    bool ring;
    const lcl_buffer *shift, *shift_of; // of add_shift(), or NULL
};
