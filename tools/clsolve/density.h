// SPDX-License-Identifier: BSD-3-Clause
// How many entries of a matrix are in each of at most 128 x 128 cells.
#pragma once

#include <levelcl/matrix.h>

#include <stdint.h>

enum { DENSITY_CELLS = 128, DENSITY_SHADES = 6 };

struct density {
    int cells;           // along each side
    int64_t *count;      // cells x cells, by rows
    uint8_t *shade;      // the same, 0: empty, to DENSITY_SHADES, logarithmic
    int64_t least, most; // of the cells that are not empty; 0: all are
};

// Counts the entries of a square matrix, of which only the pattern is read, in
// one pass; on success the caller calls density_finish(). `group`: of each row
// and column, which count for their group of `groups`; NULL: each for itself.
// Groups are distributed over the cells in their order. Returns LCL_OK or
// LCL_ENOMEM.
enum lcl_status density_count(struct density *D, const struct lcl_csr *A,
                              const int32_t *group, int64_t groups);
void density_finish(struct density *D);
