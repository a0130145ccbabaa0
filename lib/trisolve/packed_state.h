// SPDX-License-Identifier: BSD-3-Clause
// State of the packed apply, for scalar and block factors.
#pragma once

#include "host/buffer.h"
#include "host/program.h"

struct lcl_packed {
    const lcl_buffer *table; // of stages; `planes` at width 1, steps for blocks
    lcl_buffer *planes;      // of rows: packed_serial.cl; or NULL
    lcl_kernel *kernel, *adding; // the latter only after prolong()
    bool ring;
    const lcl_buffer *aggregate; // of each subdomain; NULL before prolong()
};
