// SPDX-License-Identifier: BSD-3-Clause
// The grid that the rows of a built-in problem, or of --grid, are cells of.
#pragma once

#include "tools/clsolve/cli.h"

// Cells are numbered x fastest, then y, then z; the rows of a cell are
// consecutive.
struct grid {
    int64_t n[3];
    int64_t rows; // of a cell
};

// Whether the grid of a matrix of `rows` rows is known.
bool grid_find(struct grid *grid, const struct cli *cli, int64_t rows);
