// SPDX-License-Identifier: BSD-3-Clause
// A level of multigrid, on one device or on several ranks. A rank has rows of
// each matrix. Aggregates consist of rows of one rank; a prolongation reaches
// those of other ranks, from which the rows of P that belong to ghosts come,
// and each rank computes whole rows of the next matrix. On one device there are
// no ghosts: nothing is fetched, and the halos stay empty.
#pragma once

#include "lib/multilevel/galerkin.h"
#include "lib/multilevel/near_null.h"

#include <levelcl/precond.h>

#define LCL_SLOW                                                               \
 0.9 // a level that keeps this share of the rows is the last one

// Columns of the matrices are the rank's own ones, then the ghosts.
struct lcl_level {
    struct lcl_space space;            // of its rows
    struct lcl_ownership rows;         // on ranks
    const struct lcl_device_matrix *A; // the rank's rows: `own`, or given
    struct lcl_device_matrix own;
    int64_t nnz; // of A, of all ranks
    // Until the next level exists:
    struct lcl_near_null near_null; // of a system; count 0: constants
    lcl_buffer *lambda; // 1 fp64: estimate of the largest eigenvalue of D^-1 A
    // To the next level, if there is one:
    struct lcl_device_matrix P;
    struct lcl_device_matrix R; // on one device with values only where those
                                // of A have been updated
    bool plain; // P is the tentative prolongation, the next matrix scaled
    struct lcl_galerkin product;
    // On ranks, of vectors of this level; before it coarsens A_halo has only
    // the plan of the columns of A, connected, with the rows of whole nodes
    struct lcl_level_halo A_halo, R_halo;
    struct lcl_level_halo P_halo; // of vectors of the next level
};

struct lcl_level_params {
    enum lcl_amg_coarsening coarsening; // not DEFAULT; on ranks SA
    double theta;                       // on this level
    bool symmetric;                     // values of A
    int64_t most; // entries of all ranks in a product of matrices of single
                  // rows, with a smoothed prolongation
};

// Blocks or several near-null vectors: smoothed aggregation works with nodes.
static inline bool lcl_level_is_system(const struct lcl_level *L)
{
    return L->near_null.count > 0;
}

// Rows of a node.
static inline int lcl_level_node(const struct lcl_level *L)
{
    return lcl_level_is_system(L) ? L->near_null.block : 1;
}

static inline bool lcl_level_has_ranks(const struct lcl_level *L)
{
    return L->space.comm;
}

// Enqueues the estimate of the eigenvalue, on one device. Statuses as
// lcl_lambda().
enum lcl_status lcl_level_estimate(struct lcl_level *L);

// Makes the prolongation of L and, if it is worth it and each rank has rows of
// it, *next; *deeper tells whether. Collective: a rank with an error has to
// call lcl_comm_fail(). Statuses as lcl_hierarchy_init() and
// lcl_halo_plan_connect(). Both are fit to be finished in any case.
enum lcl_status lcl_level_coarsen(struct lcl_level *L, struct lcl_level *next,
                                  const struct lcl_level_params *params,
                                  bool *deeper);

// Frees what only lcl_level_update() needs, on one device.
void lcl_level_release(struct lcl_level *L);

// Takes the values of L->A to the next matrix. Collective, as
// lcl_level_coarsen().
enum lcl_status lcl_level_update(struct lcl_level *L,
                                 const struct lcl_level *next);

// D = the entries of A in the rank's own columns, and its values for new ones
// of A. Statuses as lcl_compose().
enum lcl_status lcl_level_inside(struct lcl_device_matrix *D,
                                 const struct lcl_level *L);
enum lcl_status lcl_level_inside_update(const struct lcl_device_matrix *D,
                                        const struct lcl_level *L);

void lcl_level_finish(struct lcl_level *L);
uint64_t lcl_level_bytes(const struct lcl_level *L);
