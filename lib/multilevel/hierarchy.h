// SPDX-License-Identifier: BSD-3-Clause
// Algebraic multigrid by smoothed aggregation (Vanek, Mandel, Brezina,
// Computing 56 (1996)) or by classical coarsening (PMIS: De Sterck, Yang, Heys,
// SIMAX 27 (2006), with extended+i interpolation: De Sterck, Falgout, Nolting,
// Yang, NLAA 15 (2008)): a matrix, its prolongations and its coarse matrices,
// all set up on the device.
#pragma once

#include "lib/multilevel/cycle.h"
#include "lib/multilevel/galerkin.h"
#include "lib/multilevel/near_null.h"
#include "lib/operator/operator.h"

#define LCL_THETA 0.16 // of smoothed aggregation, halved on each further level
#define LCL_COARSE_ROWS                                                        \
 1000 // a level of at most so many rows is inverted; fewer on a CPU
#define LCL_SLOW                                                               \
 0.9 // a level that keeps this share of the rows is the last one

struct lcl_hierarchy_params {
    enum lcl_amg_coarsening coarsening; // DEFAULT: by the couplings of A
    enum lcl_amg_smoother smoother;     // not DEFAULT
    enum lcl_factor_storage storage;    // of levels in the cycle; 0: FP32
    bool symmetric;                     // values of A
    double theta;        // of the coarsening on level 0; 0: its default
    int levels;          // maximum, 2 or more; 0: LCL_LEVELS_MOST
    int64_t coarse_rows; // a level of at most so many rows is the last one,
                         // with a dense inverse; 0: 1000
    // What prolongations reproduce, n rows, of which the blocks of A are nodes;
    // NULL: constants, one for each component of a block. Only for smoothed
    // aggregation. Read by lcl_hierarchy_init().
    const struct lcl_dense *near_null;
    int node; // rows of a node of near_null; 0: a block of A
    // What constants are else: n, uint32, rows of a finer level that each row
    // stands for, which must outlive the hierarchy; NULL: all 1.
    const lcl_buffer *weight;
};

struct lcl_hierarchy_level {
    const struct lcl_device_matrix *A; // of level 0: given if it has single
                                       // entries; else `own`
    struct lcl_device_matrix own;
    // To the next level, if there is one:
    struct lcl_device_matrix P, R; // the values of R only where values have
                                   // been updated
    struct lcl_galerkin product;
    lcl_buffer *lambda; // 1 fp64: estimate of the largest eigenvalue of D^-1 A
    lcl_buffer *weight; // n, uint32: rows of level 0 that a row stands for;
                        // NULL on level 0
    bool plain; // P is the tentative prolongation, the next matrix scaled
    struct lcl_near_null near_null; // of a system, until the next level exists
};

struct lcl_hierarchy {
    lcl_context *ctx;
    struct lcl_hierarchy_params params;
    const struct lcl_device_matrix *given;
    bool is_system; // nodes of several rows or several near-null vectors
    int levels;
    struct lcl_hierarchy_level level[LCL_LEVELS_MOST];
    struct lcl_inverse inverse; // of the last matrix, if that is small enough
    bool inverted;
    bool fresh;     // the coarse matrices are those of the values of A
    int64_t pinned; // unknowns of the inverse that are left out
    struct lcl_cycle cycle;
};

// Sets up all levels for the values of A, which must outlive *H; then
// lcl_hierarchy_update() must be called. Returns LCL_OK, LCL_EUNSUPPORTED (2^32
// entries), LCL_EDEVMEM, LCL_EDEVICE, LCL_ESELFTEST, LCL_EBUILD or LCL_ENOMEM;
// *H is fit for lcl_hierarchy_finish() in any case.
enum lcl_status lcl_hierarchy_init(struct lcl_hierarchy *H, lcl_context *ctx,
                                   const struct lcl_device_matrix *A,
                                   const struct lcl_hierarchy_params *params);
void lcl_hierarchy_finish(struct lcl_hierarchy *H);

// Takes new values of A: prolongations stay, coarse matrices, diagonals and
// the inverse follow.
enum lcl_status lcl_hierarchy_update(struct lcl_hierarchy *H);

uint64_t lcl_hierarchy_bytes(const struct lcl_hierarchy *H);
