// SPDX-License-Identifier: BSD-3-Clause
// The Cartesian grid of a 7-point pattern: cell (x, y, z) is number
// (z ny + y) nx + x and coupled with its neighbours along the axes.
#pragma once

#include "lib/operator/operator.h"

#include <levelcl/matrix.h>

#include <stdbool.h>
#include <stdint.h>

// Rows of a pattern whose rows and columns are cells.
struct lcl_grid_rows {
    int64_t rows;
    const int64_t *row_ptr;
    const int32_t *col;
    const int32_t *row;  // NULL: row i is number i
    const int64_t *cell; // cells by number; NULL: number i is cell first + i
    int64_t first;
};

// Distances |i - j| of coupled cells of a stencil: 1, nx, nx ny, as far as they
// occur.
struct lcl_distances {
    int64_t value[3]; // ascending
    int64_t count;    // 4: more than three
};

// Adds the distances in the rows. Stops after three.
void lcl_distances_add(struct lcl_distances *D, const struct lcl_grid_rows *R);
void lcl_distances_merge(struct lcl_distances *D,
                         const struct lcl_distances *E);

// The only possible grid of `cells` cells for a 7-point stencil with these
// distances. Returns false if there is none.
bool lcl_grid_of_distances(int64_t grid[3], const struct lcl_distances *D,
                           int64_t cells);

// Whether every stored entry belongs to the stencil and none wraps around an
// edge of the grid.
bool lcl_grid_fits(const struct lcl_grid_rows *R, const int64_t grid[3]);

// Finds the grid of a matrix on the host. Returns false if there is none.
bool lcl_grid_find(int64_t grid[3], const struct lcl_csr *A);

// Finds the grid of the block rows of the whole matrix or Kronecker system; `A`
// has the rows of one rank; collective. Returns LCL_OK; LCL_EINVAL (another
// pattern, or different block sizes on the ranks); LCL_ENOMEM; LCL_EDEVICE; the
// same on all ranks.
enum lcl_status lcl_grid_find_on_ranks(int64_t grid[3], lcl_operator *A);

// Reports that the grid cannot be derived. Returns LCL_EINVAL.
enum lcl_status lcl_grid_refuse(const struct lcl_log *log);
