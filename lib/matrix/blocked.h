// SPDX-License-Identifier: BSD-3-Clause
// A matrix of the caller in the blocks that it is to be used in.
#pragma once

#include "host/runtime.h"
#include "lib/matrix/bsr.h"

struct lcl_blocked {
    struct lcl_bsr A;
    int64_t entries; // values of the caller
    int64_t *place;  // the caller's value k is A.val[place[k]]; NULL: A is on
                     // the caller's arrays
};

// Of a well-formed A, which outlives *B. Returns LCL_OK, LCL_EINVAL (the size
// does not divide A, or is not that of A's blocks), LCL_ERANGE or LCL_ENOMEM;
// *B is then fit for lcl_blocked_finish().
enum lcl_status lcl_blocked_from_csr(struct lcl_blocked *B, lcl_context *ctx,
                                     const struct lcl_csr *A, int block_size);
enum lcl_status lcl_blocked_from_bsr(struct lcl_blocked *B, lcl_context *ctx,
                                     const struct lcl_bsr *A, int block_size);
void lcl_blocked_finish(struct lcl_blocked *B);
