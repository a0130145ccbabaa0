// SPDX-License-Identifier: BSD-3-Clause
// The matrix of one cube of a mesh of equal cubes, and its contribution to a
// block of the whole matrix.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { LCL_CORNERS = 8, LCL_CUBE_UNKNOWNS_MOST = 4 };

// Blocks of b x b for each pair of corners. Corner a is at (a & 1, a >> 1 & 1,
// a >> 2).
struct lcl_cube {
    int64_t n; // cubes along an edge of the mesh
    int b;
    double block[LCL_CORNERS][LCL_CORNERS]
                [LCL_CUBE_UNKNOWNS_MOST * LCL_CUBE_UNKNOWNS_MOST];
};

// Whether the mesh has the cube in which a node is corner a.
bool lcl_cube_exists(const struct lcl_cube *E, const int64_t node[3], int a);

// Adds this cube, if the neighbour at `offset` is one of its corners.
void lcl_cube_add(double *block, const struct lcl_cube *E, int a,
                  const signed char *offset);
