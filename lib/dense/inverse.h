// SPDX-License-Identifier: BSD-3-Clause
// The inverse of a dense matrix on the device.
#pragma once

#include "host/buffer.h"
#include "host/program.h"

struct lcl_inverse {
    lcl_context *ctx;
    int64_t n, stride, tiles;
    lcl_kernel *scale, *tile, *panels, *update;
    int groups;         // of the kernels over columns
    lcl_buffer *matrix; // stride x stride, by rows
    lcl_buffer *scales, *pivot, *column, *pinned;
    int32_t *counts; // tiles
};

// Room for a matrix of n rows in tiles of `tile`, even and at most 32; 0: the
// size for the device. Statuses as lcl_precond_create().
enum lcl_status lcl_inverse_init(struct lcl_inverse *V, lcl_context *ctx,
                                 int64_t n, int tile);
void lcl_inverse_finish(struct lcl_inverse *V);

// Enqueues zeros for the whole matrix.
enum lcl_status lcl_inverse_clear(struct lcl_inverse *V);

// Replaces the matrix in V->matrix by its inverse and waits for it; *pinned
// counts the unknowns whose rows are zero (cl/dense/dense.cl). Pivots are
// looked for inside tiles alone, so the result has to be checked.
enum lcl_status lcl_inverse_run(struct lcl_inverse *V, int64_t *pinned);

uint64_t lcl_inverse_bytes(const struct lcl_inverse *V);
