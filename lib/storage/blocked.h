// SPDX-License-Identifier: BSD-3-Clause
// A matrix of the caller on the device, in the block size in use.
#pragma once

#include "host/runtime.h"
#include "lib/storage/own_entries.h"
#include "lib/storage/value_sources.h"

struct lcl_blocked {
    struct lcl_device_matrix A;
    int64_t entries;                // number of the caller's values
    struct lcl_sources sources;     // of A's values
    int64_t part[LCL_LAYOUT_PARTS]; // values in each array of a layout with
                                    // several; 0: one array
    lcl_buffer *staged;             // with sources: the caller's values
    bool detected;                  // nobody has declared the blocks of A
    bool is_complex;                // A is the real form of a complex matrix
};

// Upload A, which need live only until the call returns, and convert it. A CSR
// matrix is checked, and so are the rank's own entries unless they are known to
// be well-formed. Block size 0 selects the natural block size, or the block
// size of A. Return LCL_OK, LCL_EINVAL
// (the block size does not divide A's size, or differs from that of A's
// blocks), LCL_EFORMAT, LCL_ERANGE, LCL_EBUILD, LCL_EDEVMEM, LCL_EDEVICE or
// LCL_ENOMEM; *B is then fit for lcl_blocked_finish().
enum lcl_status lcl_blocked_from_csr(struct lcl_blocked *B, lcl_context *ctx,
                                     const struct lcl_csr *A, int block_size);
enum lcl_status lcl_blocked_from_own(struct lcl_blocked *B, lcl_context *ctx,
                                     const struct lcl_own_entries *A,
                                     int block_size);
enum lcl_status lcl_blocked_from_bsr(struct lcl_blocked *B, lcl_context *ctx,
                                     const struct lcl_bsr *A, int block_size);
// The same for a sound layout.
enum lcl_status lcl_blocked_from_layout(struct lcl_blocked *B, lcl_context *ctx,
                                        const struct lcl_layout *L,
                                        int block_size);
void lcl_blocked_finish(struct lcl_blocked *B);

// The second half of lcl_blocked_from_csr(): converts B->A from single entries
// to blocks.
enum lcl_status lcl_blocked_convert(struct lcl_blocked *B, lcl_context *ctx,
                                    int block_size);
