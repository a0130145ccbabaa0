// SPDX-License-Identifier: BSD-3-Clause
// ILU(0) and ILDU(0) factors of all subdomains on the device.
#pragma once

#include "lib/factor/factor.h"

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
