// SPDX-License-Identifier: BSD-3-Clause
// A matrix of the caller, converted to the block size in use.
#pragma once

#include "host/runtime.h"
#include "lib/matrix/bsr.h"

struct lcl_blocked {
    struct lcl_bsr A;
    int64_t entries; // number of the caller's values
    int64_t *place;  // the caller's value k is A.val[place[k]]; NULL: A uses
                     // the caller's arrays
};

// Convert a well-formed A, which must outlive *B. Returns LCL_OK, LCL_EINVAL
// (the block size does not divide A's size, or differs from that of A's
// blocks), LCL_ERANGE or LCL_ENOMEM; *B is then fit for lcl_blocked_finish().
enum lcl_status lcl_blocked_from_csr(struct lcl_blocked *B, lcl_context *ctx,
                                     const struct lcl_csr *A, int block_size);
enum lcl_status lcl_blocked_from_bsr(struct lcl_blocked *B, lcl_context *ctx,
                                     const struct lcl_bsr *A, int block_size);
void lcl_blocked_finish(struct lcl_blocked *B);
