// SPDX-License-Identifier: BSD-3-Clause
// A level of smoothed aggregation on several ranks. Aggregates consist of rows
// of one rank; the rows of P that the rank's ghosts have come from their ranks,
// and each rank computes whole rows of the next matrix.
#pragma once

#include "lib/multilevel/galerkin.h"
#include "lib/multilevel/near_null.h"

// What a level starts from.
struct lcl_rank_matrix {
    struct lcl_ownership rows;
    struct lcl_device_matrix A; // the rank's rows
    struct lcl_halo_plan
        columns; // of A, connected; with the rows of whole nodes
    struct lcl_near_null near_null; // of a system; count 0: constants, and
    lcl_buffer *weight; // n, uint32: rows of level 0 that a row stands for;
                        // NULL on level 0
};

// Rows of a node.
static inline int lcl_rank_matrix_node(const struct lcl_rank_matrix *M)
{
    return M->near_null.count > 0 ? M->near_null.block : 1;
}

void lcl_rank_matrix_finish(struct lcl_rank_matrix *M);

// Columns of the matrices are the rank's own ones, then the ghosts.
struct lcl_rank_level {
    struct lcl_space space;       // of the rank's rows
    struct lcl_device_matrix A;   // the rank's rows
    struct lcl_device_matrix P;   // its rows, columns of the next level
    struct lcl_device_matrix R;   // its rows of the next level
    struct lcl_level_halo A_halo; // of vectors of this level
    struct lcl_level_halo R_halo; // of the same, for R
    struct lcl_level_halo P_halo; // of vectors of the next level
    lcl_buffer *lambda; // 1 fp64: estimate of the largest eigenvalue of D^-1 A
    bool system;        // nodes of several rows or several near-null vectors
    bool plain; // P is the tentative prolongation, the next matrix scaled
    struct lcl_galerkin product; // only where values have been updated
};

struct lcl_rank_level_params {
    double theta;
    bool symmetric;
    double slow;  // the most rows of the next level, as a share
    int64_t most; // entries of all ranks in a product of matrices of single
                  // rows, with a smoothed prolongation
};

// Makes the level of M and, if it is worth it and each rank has rows of it,
// *next; *deeper tells whether, and M is empty then. Collective: a rank with an
// error has to call lcl_comm_fail(). Statuses as lcl_hierarchy_init() and
// lcl_halo_plan_connect(). Both are fit to be finished in any case.
enum lcl_status lcl_rank_level_init(struct lcl_rank_level *L,
                                    struct lcl_rank_matrix *next,
                                    const struct lcl_space *V,
                                    struct lcl_rank_matrix *M,
                                    const struct lcl_rank_level_params *params,
                                    bool *deeper);

// D = the entries of A in the rank's own columns, and its values for new ones
// of A. Statuses as lcl_compose().
enum lcl_status lcl_rank_level_inside(struct lcl_device_matrix *D,
                                      const struct lcl_rank_level *L);
enum lcl_status lcl_rank_level_inside_update(const struct lcl_device_matrix *D,
                                             const struct lcl_rank_level *L);

// Takes the values of L->A to `next`, whose first rows are those of the next
// matrix. Collective, as lcl_rank_level_init().
enum lcl_status lcl_rank_level_update(struct lcl_rank_level *L,
                                      const struct lcl_device_matrix *next);

void lcl_rank_level_finish(struct lcl_rank_level *L);
uint64_t lcl_rank_level_bytes(const struct lcl_rank_level *L);
