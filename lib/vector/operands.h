// SPDX-License-Identifier: BSD-3-Clause
// The arguments of every application of an operator: the operands and the mode.
#pragma once

#include "host/buffer.h"

// The mode of an application of Op, which may be a matrix, a preconditioner, a
// triangular solve or a cycle.
enum lcl_mode {
    LCL_APPLY,          // y = Op x
    LCL_APPLY_DOT,      // and partial sums of <w, y>
    LCL_APPLY_DOT_NORM, // and partial sums of <w, y> and <y, y>
    LCL_RESIDUAL,       // y = w - Op x and partial sums of <y, y>
    LCL_APPLY_ADD,      // y = Op x + w, or + P w if Op has a prolongation P
    LCL_MODE_COUNT,
};

// The vectors x, w and y are different buffers, except that w may be x. `w` and
// `sums` may be NULL if the mode does not use them; `sums` holds 2 * groups
// doubles: group g's partial sum of <w, y> at g and of <y, y> at groups + g.
// Kernels do nothing if stop[at] (int32) is not 0.
struct lcl_operands {
    const lcl_buffer *x, *w;
    lcl_buffer *y, *sums;
    const lcl_buffer *stop;
    int at;
};
