// SPDX-License-Identifier: BSD-3-Clause
// Matrices on the nodes of a grid, numbered x fastest, then y, then z; the b
// unknowns of a node are consecutive.
#pragma once

#include "lib/io/problems/problem.h"

enum { LCL_STENCIL_MAX = 27 };

// Neighbours of a node, in ascending order; `center` is the node itself.
struct lcl_stencil {
    int count;
    int center;
    signed char offset[LCL_STENCIL_MAX][3];
};

// Faces of cubes.
extern const struct lcl_stencil lcl_seven_point;
// Edges of squares that are cut along one diagonal.
extern const struct lcl_stencil lcl_triangles;
// Edges of cubes, each cut into six tetrahedra around one diagonal.
extern const struct lcl_stencil lcl_tetrahedra;
// All nodes of the eight cubes around a node.
extern const struct lcl_stencil lcl_hexahedra;

struct lcl_grid {
    int64_t n[3];
    int64_t b;
};

// A node of the grid.
struct lcl_site {
    int64_t at[3];
    unsigned present; // bit p: neighbour p is inside the grid
};

// Fills the b x b block of neighbour q of a node, row-major. *random is the
// state of the random numbers if each block takes b b of them in the order of
// the matrix. Several threads call it.
typedef void lcl_block_fn(const void *user, const struct lcl_site *site, int q,
                          uint64_t *random, double *block);

// Definition of a matrix on a grid.
struct lcl_recipe {
    struct lcl_grid grid;
    const struct lcl_stencil *stencil;
    lcl_block_fn *block;
    const void *user;
    uint64_t seed; // initial state of the random numbers; 0: not used
};

// n[0] n[1] n[2] b rows; -1 if more than INT32_MAX.
int64_t lcl_grid_rows(const struct lcl_grid *g);

// Number of blocks of the matrix.
int64_t lcl_grid_blocks(const struct lcl_grid *g, const struct lcl_stencil *s);

// Create the matrix in CSR, or the rows of a rank, and in BSR. Return LCL_OK,
// LCL_ERANGE, LCL_ENOMEM or LCL_EINVAL (more ranks than nodes); on error the
// caller finishes the objects in *to.
enum lcl_status lcl_problem_on_grid(const struct lcl_problem_out *to,
                                    const char *name,
                                    const struct lcl_recipe *how,
                                    const struct lcl_log *log);
enum lcl_status lcl_problem_blocks_on_grid(struct lcl_bsr *A, const char *name,
                                           const struct lcl_recipe *how,
                                           const struct lcl_log *log);
