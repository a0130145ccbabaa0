// SPDX-License-Identifier: BSD-3-Clause
// Reference of coarse/fine splittings (lib/multilevel/splitting.h).
#pragma once

#include <levelcl/matrix.h>

struct lcl_ref_splitting {
    int64_t count;
    uint8_t *strong;   // nnz
    uint8_t *negative; // rows
    int32_t *coarse;   // rows
};

// A is square. Returns LCL_OK or LCL_ENOMEM, with all pointers NULL.
enum lcl_status lcl_ref_splitting_init(struct lcl_ref_splitting *S,
                                       const struct lcl_csr *A, double theta);
void lcl_ref_splitting_finish(struct lcl_ref_splitting *S);
