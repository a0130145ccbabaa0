// SPDX-License-Identifier: BSD-3-Clause
// ILU(0) and ILDU(0) factors of all subdomains on the device.
#pragma once

#include "host/buffer.h"
#include "host/program.h"
#include "lib/factor/layout.h"

#include <levelcl/precond.h>

// LCL_MODE of ildu0.cl and packed.cl.
enum lcl_factor_form {
    LCL_FORM_ILU0 = 1,
    LCL_FORM_ILDU0 = 2,
};

struct lcl_factor {
    lcl_context *ctx;
    enum lcl_factor_form form;
    enum lcl_pivot pivot;
    double pivot_tol;
    int64_t n, parts, slots, rows_max, sweeps_max;
    int sweep_entries;
    int group;
    lcl_kernel *kernel;
    // Read by whoever applies the factor.
    lcl_buffer *part, *step, *sweep, *col, *val, *inv_d;
    // Used by the factorisation alone.
    lcl_buffer *step_of, *source, *diagonal, *shift, *repaired, *bad;
    int32_t *counts; // parts
    double *shifts;  // parts
};

// Takes over the buffers of a layout, whatever is returned; params->type, pivot
// and pivot_tol are looked at.
enum lcl_status lcl_factor_init(struct lcl_factor *F, lcl_context *ctx,
                                struct lcl_device_layout *layout, int group,
                                const struct lcl_precond_params *params);
void lcl_factor_finish(struct lcl_factor *F);

// Pivots that were repaired: how many, and the first rows in the numbering of
// the layout.
struct lcl_repairs {
    int64_t count;
    int64_t rows[8];
};

// Factors the matrix whose reordered entries are in `val`.
// Returns LCL_OK, LCL_EPIVOT (policy FAIL: repairs tells the row), LCL_EDEVICE
// or LCL_ENOMEM.
enum lcl_status lcl_factor_numeric(struct lcl_factor *F, const lcl_buffer *val,
                                   struct lcl_repairs *repairs);

uint64_t lcl_factor_bytes(const struct lcl_factor *F);
