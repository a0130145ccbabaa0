// SPDX-License-Identifier: BSD-3-Clause
// ILU(0) and ILDU(0) factors of all subdomains on the device.
#pragma once

#include "host/buffer.h"
#include "host/program.h"
#include "lib/factor/layout.h"

#include <levelcl/precond.h>

struct lcl_factor {
    lcl_context *ctx;
    enum lcl_pivot pivot;
    double pivot_tol;
    bool positive;                   // pivots have to be: IC(0) of scalars
    enum lcl_factor_storage storage; // never DEFAULT
    int block; // rows and columns of an entry; rows and slots count blocks
    int64_t n, parts, slots, rows_max, sweeps_max;
    int sweep_entries;
    int group;
    lcl_kernel *kernel, *store_kernel;
    // Read by whoever applies the factor. Factors of blocks have the inverse
    // diagonal among val alone.
    lcl_buffer *part, *step, *sweep, *col, *val, *inv_d;
    lcl_buffer *stored; // val in another form, lib/factor/store.h; else NULL
    // Used by the factorisation alone.
    lcl_buffer *step_of, *source, *diagonal, *shift, *repaired, *bad;
    int32_t *counts; // parts
    double *shifts;  // parts
};

// Uploads a layout, of entries that are blocks of `block` rows and columns, 1
// to LCL_BLOCK_MAX; params->type, pivot, pivot_tol and storage are looked at.
enum lcl_status lcl_factor_init(struct lcl_factor *F, lcl_context *ctx,
                                struct lcl_device_layout *layout, int group,
                                int block,
                                const struct lcl_precond_params *params);
void lcl_factor_finish(struct lcl_factor *F);

// Pivots that were repaired: how many, and the first rows in the numbering of
// the layout.
struct lcl_repairs {
    int64_t count;
    int64_t rows[8];
};

// Factors the matrix whose reordered entries are in `val`, blocks by rows.
// Returns LCL_OK, LCL_EPIVOT (policy FAIL: repairs tells the row), LCL_EDEVICE
// or LCL_ENOMEM.
enum lcl_status lcl_factor_numeric(struct lcl_factor *F, const lcl_buffer *val,
                                   struct lcl_repairs *repairs);

uint64_t lcl_factor_bytes(const struct lcl_factor *F);
