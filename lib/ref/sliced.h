// SPDX-License-Identifier: BSD-3-Clause
// Reference of the slices of sliced.cl.h.
#pragma once

#include <levelcl/log.h>
#include <levelcl/matrix.h>

struct lcl_ref_sliced {
    int64_t slices;
    uint32_t *
        start; // 2 (slices + 1): number of near and far slots before each slice
    int16_t *near_col;
    int32_t *far_col;
    double *val;
};

// Converts A to slices of `rows` block rows. Returns LCL_OK or LCL_ENOMEM; *L
// is then all zero.
enum lcl_status lcl_ref_sliced_create(struct lcl_ref_sliced *L,
                                      const struct lcl_bsr *A, int rows,
                                      const struct lcl_log *log);
void lcl_ref_sliced_finish(struct lcl_ref_sliced *L);
