// SPDX-License-Identifier: BSD-3-Clause
// Near-null vectors of the rows of a level, which a prolongation reproduces.
#pragma once

#include "host/buffer.h"
#include "host/program.h"
#include "lib/comm/comm.h"

#include <levelcl/matrix.h>

struct lcl_near_null {
    int block;           // rows of a node
    int count;           // vectors, at most LCL_BLOCK_MAX
    lcl_buffer *vectors; // `count` fp64 for each row
};

// One vector for each component of nodes of `block` rows, constant there and 0
// elsewhere. Enqueued. Both return LCL_OK, LCL_EBUILD, LCL_EDEVMEM, LCL_EDEVICE
// or LCL_ENOMEM; on error B->vectors is NULL.
enum lcl_status lcl_near_null_start(struct lcl_near_null *B, lcl_context *ctx,
                                    int64_t nodes, int block);

// The columns of X, which are finite, each divided by its largest entry. With
// `comm`, X has the rows of the rank, and the function is collective and
// returns also the statuses of lcl_comm_gather(); NULL: one device.
enum lcl_status lcl_near_null_upload(struct lcl_near_null *B, lcl_context *ctx,
                                     const struct lcl_dense *X, int block,
                                     struct lcl_comm *comm);
void lcl_near_null_finish(struct lcl_near_null *B);

// The kernel `name` of tentative.cl.
enum lcl_status lcl_near_null_kernel(lcl_kernel **out, lcl_context *ctx,
                                     const struct lcl_near_null *B,
                                     const char *name, int group);
