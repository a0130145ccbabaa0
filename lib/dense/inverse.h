// SPDX-License-Identifier: BSD-3-Clause
// The inverse of a dense matrix on the device.
#pragma once

#include "host/buffer.h"
#include "host/program.h"

struct lcl_inverse {
    lcl_context *ctx;
    int64_t n, stride, tile_rows, tiles;
    int64_t regions; // rows of regions, cl/dense/dense.cl
    lcl_kernel *scale, *tile, *panels, *update;
    int groups;         // of the kernels over columns
    lcl_buffer *matrix; // stride x stride, by rows
    lcl_buffer *scales, *pivot, *column, *pinned;
    int32_t *counts; // tiles
};

// Allocates a matrix of n rows in tiles of `tile` rows, even and at most 32; 0:
// chosen for the device. Statuses as lcl_precond_create().
enum lcl_status lcl_inverse_init(struct lcl_inverse *V, lcl_context *ctx,
                                 int64_t n, int tile);
void lcl_inverse_finish(struct lcl_inverse *V);

// Enqueues zeroing of the whole matrix.
enum lcl_status lcl_inverse_clear(struct lcl_inverse *V);

// Replaces the matrix in V->matrix by its inverse and waits for it; *pinned is
// the number of unknowns whose rows are zero (cl/dense/dense.cl). It searches
// pivots inside tiles only, so the caller must check the result.
enum lcl_status lcl_inverse_run(struct lcl_inverse *V, int64_t *pinned);

uint64_t lcl_inverse_bytes(const struct lcl_inverse *V);
