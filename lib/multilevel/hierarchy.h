// SPDX-License-Identifier: BSD-3-Clause
// Algebraic multigrid by smoothed aggregation (Vanek, Mandel, Brezina,
// Computing 56 (1996)) or by classical coarsening (PMIS: De Sterck, Yang, Heys,
// SIMAX 27 (2006), with extended+i interpolation: De Sterck, Falgout, Nolting,
// Yang, NLAA 15 (2008)): a matrix, its prolongations and its coarse matrices,
// all set up on the device. On several ranks the upper levels are distributed
// as A is; each rank gathers the matrix of the first small one, and sets up and
// applies the same further levels, a hierarchy of one device.
#pragma once

#include "lib/multilevel/cycle.h"
#include "lib/multilevel/gathered.h"
#include "lib/multilevel/rank_source.h"
#include "lib/operator/operator.h"

#define LCL_THETA 0.25 // by SA halved on each further level
#define LCL_COARSE_ROWS                                                        \
 1000 // a level of at most so many rows is inverted; fewer on a CPU

struct lcl_hierarchy_params {
    enum lcl_amg_coarsening coarsening; // DEFAULT: by the couplings of A; of
                                        // distributed levels always SA
    enum lcl_amg_smoother smoother;     // not DEFAULT
    enum lcl_factor_storage storage;    // of levels in the cycle; 0: FP32
    bool symmetric;                     // values of A
    double theta;        // of the coarsening on level 0; 0: its default
    int levels;          // maximum, 2 or more; 0: LCL_LEVELS_MOST
    int64_t coarse_rows; // a level of at most so many rows is the last one,
                         // with a dense inverse; 0: 1000
    // What prolongations reproduce, the rows of A, of which the blocks of A are
    // nodes; NULL: constants, one for each component of a block. Only for
    // smoothed aggregation. Read by lcl_hierarchy_init().
    const struct lcl_dense *near_null;
    int node; // rows of a node of near_null; 0: a block of A
    // On ranks, the distributed operator whose part is A; NULL: one device
    const lcl_operator *whole;
    int64_t gathered_rows; // levels of at most so many rows are gathered
};

struct lcl_hierarchy {
    struct lcl_space space; // of A
    struct lcl_hierarchy_params params;
    const struct lcl_device_matrix *given;
    int levels; // on ranks the last one is gathered
    struct lcl_level level[LCL_LEVELS_MOST];
    struct lcl_inverse inverse; // of the last matrix, if that is small enough
    bool inverted;
    bool fresh;     // the coarse matrices are those of the values of A
    int64_t pinned; // unknowns of the inverse that are left out
    struct lcl_cycle cycle;
    // On ranks only
    struct lcl_rank_source source; // of the first matrix
    struct lcl_gathered gathered;
    struct lcl_hierarchy *below; // of the gathered matrix
};

// Sets up all levels for the values of A, with single entries or blocks, which
// must outlive *H; then lcl_hierarchy_update() must be called. Returns LCL_OK,
// LCL_EUNSUPPORTED (2^32 entries), LCL_EDEVMEM, LCL_EDEVICE, LCL_ESELFTEST,
// LCL_EBUILD or LCL_ENOMEM; on ranks collective, and these agree on the status,
// also one of lcl_halo_plan_connect(). *H is fit for lcl_hierarchy_finish() in
// any case.
enum lcl_status lcl_hierarchy_init(struct lcl_hierarchy *H, lcl_context *ctx,
                                   const struct lcl_device_matrix *A,
                                   const struct lcl_hierarchy_params *params);
void lcl_hierarchy_finish(struct lcl_hierarchy *H);

// Takes new values of A: prolongations stay, coarse matrices, diagonals and
// the inverse follow. On ranks collective; a rank alone with an error has
// called lcl_comm_fail().
enum lcl_status lcl_hierarchy_update(struct lcl_hierarchy *H);

// v->y = M^-1 v->x. On ranks collective; enqueued on one device or with a
// relay.
enum lcl_status lcl_hierarchy_apply(const struct lcl_hierarchy *H,
                                    const struct lcl_operands *v);

// Levels that H smooths or inverts itself, without those below.
int lcl_hierarchy_own_levels(const struct lcl_hierarchy *H);

// Of the calling rank, with what is below.
int lcl_hierarchy_launches(const struct lcl_hierarchy *H);
double lcl_hierarchy_traffic(const struct lcl_hierarchy *H);
uint64_t lcl_hierarchy_bytes(const struct lcl_hierarchy *H);
