// SPDX-License-Identifier: BSD-3-Clause
// Layout of diagonal blocks in slabs; see cl/dense/slab.cl.h.
#pragma once

#include "lib/dense/supervariable.h"

#include <levelcl/precond.h>

#include "cl/dense/slab.cl.h"

struct lcl_slabs {
    int64_t count;
    struct lcl_slab *slab;
    uint32_t *of_block; // the slab of each block
    int64_t values;     // of all slabs
};

// Fills slabs of at most `rows` rows, 1 to LCL_SLAB_ROWS_MAX, from left to
// right; no block may have more rows. With `rows` 0 each block is a slab. On
// success the caller owns *slabs. Returns LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_slabs_init(struct lcl_slabs *slabs,
                               const struct lcl_diagonal_blocks *blocks,
                               int rows, enum lcl_factor_storage storage,
                               const struct lcl_log *log);
void lcl_slabs_finish(struct lcl_slabs *slabs);
