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
    bool falls_back; // to fp64 where values would lose their meaning
    int block; // rows and columns of an entry; rows and slots count blocks
    int64_t n, parts, slots, rows_max, sweeps_max;
    int sweep_entries, lanes; // of its sweeps, lib/factor/layout.h
    int planes_max;
    int group;
    lcl_kernel *kernel, *store_kernel;
    // Read by whoever applies the factor.
    lcl_buffer *part, *step, *sweep, *col;
    lcl_buffer *val;    // fp64; NULL where `stored` is made without
    lcl_buffer *stored; // the values in another form (lib/factor/store.h) or
                        // NULL
    // Used by the factorisation alone.
    lcl_buffer *step_of, *source, *diagonal, *shift, *repaired, *bad;
    lcl_buffer
        *pair; // of a pattern without triangles (cl/factor/dilu.cl) or NULL
    lcl_buffer *inv_d;  // NULL where the kernel needs none
    lcl_buffer *counts; // 3 int32: pivots repaired, and the values that lose
                        // their meaning as they are stored, low half first
    int32_t *small;     // parts: pivots repaired
    double *shifts;     // parts
    bool shifted;       // `shift` is not all zero
};

// Takes a layout, of entries that are blocks of `block` rows and columns, 1 to
// LCL_BLOCK_MAX; params->type, pivot, pivot_tol and storage (DEFAULT: fp64)
// are looked at.
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
// Where values lose their meaning as they are stored (lib/factor/store.h) and
// F->falls_back, F->storage is fp64 from then on: memory is allocated, a kernel
// may be compiled, and F->storage tells whoever applies the factor. Returns
// LCL_OK, LCL_EPIVOT (policy FAIL: repairs tells the row), LCL_ERANGE (values
// lose their meaning), LCL_EDEVICE or LCL_ENOMEM; if it falls back, also
// LCL_EDEVMEM or LCL_EBUILD.
enum lcl_status lcl_factor_numeric(struct lcl_factor *F, const lcl_buffer *val,
                                   struct lcl_repairs *repairs);

uint64_t lcl_factor_bytes(const struct lcl_factor *F);
