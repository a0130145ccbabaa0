// SPDX-License-Identifier: BSD-3-Clause
// Incomplete factors of all subdomains on the device, on the pattern of a
// schedule: ILU(0), with another pattern ILU(k).
#pragma once

#include "lib/factor/factor.h"

// Initialises F from a schedule and takes its buffers. Entries are blocks of
// `block` rows and columns, 1 to LCL_BLOCK_MAX. Reads params->type, pivot,
// pivot_tol and storage (DEFAULT: fp64).
enum lcl_status lcl_factor_init(struct lcl_factor *F, lcl_context *ctx,
                                struct lcl_schedule *schedule, int group,
                                int block,
                                const struct lcl_precond_params *params);
void lcl_factor_finish(struct lcl_factor *F);

// Repaired pivots: their number, and the first rows in the numbering of the
// schedule.
struct lcl_repairs {
    int64_t count;
    int64_t rows[8];
};

// Factors the matrix with the values `val`, to which the schedule's sources
// refer, blocks in row-major order. F->lost values are out of the range of
// F->storage (lib/factor/store.h): if there are any and F->falls_back is set,
// the factors of all ranks have to fall back, otherwise the status is
// LCL_ERANGE. Returns LCL_OK, LCL_EPIVOT (policy FAIL: `repairs` holds the
// row), LCL_ERANGE, LCL_EDEVICE or LCL_ENOMEM.
enum lcl_status lcl_factor_numeric(struct lcl_factor *F, const lcl_buffer *val,
                                   struct lcl_repairs *repairs);

// Stores the factors that lcl_factor_numeric() has computed in fp64, for good,
// if F->falls_back is set: allocates memory and may compile a kernel; all users
// of the factor must read F->storage again. Returns LCL_OK, LCL_EDEVICE,
// LCL_ENOMEM, LCL_EDEVMEM or LCL_EBUILD.
enum lcl_status lcl_factor_fall_back(struct lcl_factor *F,
                                     const lcl_buffer *val);

uint64_t lcl_factor_bytes(const struct lcl_factor *F);
