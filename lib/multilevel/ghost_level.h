// SPDX-License-Identifier: BSD-3-Clause
// The boundary rows of a rank as a level with a piecewise constant
// prolongation: each column of A has one unknown, each row adds to one number,
// W = A Z and E = R W with the sparse products of multigrid.
#pragma once

#include "lib/multilevel/galerkin.h"
#include "lib/storage/halo.h"

// Boundary row r of a halo, row place[r] of the device, adds to number[r].
struct lcl_ghost_labels {
    const int32_t *place, *number;
    int64_t numbers;
    // Column first + k has unknown[k]; columns below `first` are left out.
    const int32_t *unknown;
    int64_t first, unknowns;
    int32_t together; // numbers k * together .. (k + 1) * together - 1 share
                      // their sums of W^T y
    bool counted;     // all entries of A are 1, and W^T is not needed
};

struct lcl_ghost_level {
    const struct lcl_halo *halo;
    struct lcl_device_matrix A; // rows by number, then by row of the device
    struct lcl_device_matrix Z, R;
    lcl_buffer *map;             // entry k of A is entry map[k] of the halo;
                                 // NULL if they are counted
    lcl_buffer *row;             // on the device, of each row of A
    struct lcl_galerkin product; // AP = W, C = E
    // W^T y as sums: sum k, for unknown target[k], adds entries order[m] of W,
    // sum_ptr[k] <= m < sum_ptr[k+1]; entry m is in row entry_row[m]
    int64_t sums;
    int32_t *target;
    lcl_buffer *sum_ptr, *order, *entry_row;
    lcl_kernel *residual, *deflate;
    struct lcl_vector_ops ops;
};

// Computes the values of E only if the entries are counted. H must outlive G.
// Statuses as lcl_galerkin_init(); *G is fit for lcl_ghost_level_finish() in
// any case.
enum lcl_status lcl_ghost_level_init(struct lcl_ghost_level *G,
                                     const struct lcl_halo *H,
                                     const struct lcl_ghost_labels *L);
void lcl_ghost_level_finish(struct lcl_ghost_level *G);

// Takes the values that the halo has to A, W and E; enqueued.
enum lcl_status lcl_ghost_level_update(struct lcl_ghost_level *G);

// y_i = x_i - (W e)_i in boundary rows; enqueued.
enum lcl_status lcl_ghost_level_residual(const struct lcl_ghost_level *G,
                                         const lcl_buffer *e,
                                         const struct lcl_operands *v);

// t[first + k] = minus sum k of W^T y; enqueued.
enum lcl_status lcl_ghost_level_deflate(const struct lcl_ghost_level *G,
                                        int64_t first, const lcl_buffer *t,
                                        const struct lcl_operands *v);

uint64_t lcl_ghost_level_bytes(const struct lcl_ghost_level *G);
