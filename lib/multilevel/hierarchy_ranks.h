// SPDX-License-Identifier: BSD-3-Clause
// Smoothed aggregation on several ranks. The upper levels are distributed as A
// is (lib/multilevel/rank_level.h); each rank gathers the matrix of the first
// small one and sets up and applies the same further levels, a hierarchy of one
// device.
#pragma once

#include "lib/multilevel/hierarchy.h"
#include "lib/multilevel/rank_level.h"
#include "lib/multilevel/rank_source.h"
#include "lib/vector/gathering.h"
#include "lib/vector/vector.h"

struct lcl_hierarchy_ranks_params {
    bool symmetric;                  // values of A
    enum lcl_amg_smoother smoother;  // not DEFAULT
    enum lcl_factor_storage storage; // of levels in the cycle; 0: FP32
    double theta;                    // 0: its default
    int levels;                      // maximum; 0: LCL_LEVELS_MOST
    int64_t gathered_rows; // levels of at most so many rows are gathered
    const struct lcl_dense *near_null; // of the rank's rows; NULL: constants
    // The matrix of whole->part by the caller's rows; it must outlive the
    // hierarchy.
    const struct lcl_device_matrix *part;
};

struct lcl_hierarchy_ranks {
    struct lcl_space space; // of A
    struct lcl_hierarchy_ranks_params params;
    struct lcl_rank_source source; // of the first matrix
    int levels;                    // that are distributed
    struct lcl_rank_level level[LCL_LEVELS_MOST];
    int64_t rows[LCL_LEVELS_MOST], nnz[LCL_LEVELS_MOST]; // of all ranks
    struct lcl_cycle cycle; // of these and the first gathered level
    // The first gathered level
    struct lcl_rank_matrix last;  // the rank's rows
    struct lcl_device_matrix all; // of all ranks
    struct lcl_dense near_null;   // of a system, of all ranks
    int node;                     // its rows of a node
    lcl_buffer *weight; // of others, uint32: rows of level 0 that each row of
                        // all ranks stands for; NULL: it is level 0
    struct lcl_device_matrix none; // no entries: the rank's rows are unscaled
    const struct lcl_cycle *below;
    struct lcl_gathering gathering;
    lcl_buffer *given, *parts, *place, *list, *own, *b, *x;
    lcl_kernel *widen, *narrow;
    struct lcl_vector_ops ops;
};

// `whole` has ranks and must outlive *H. Collective. Statuses as
// lcl_hierarchy_init() and lcl_halo_plan_connect(), on which the ranks have to
// agree; *H is fit for lcl_hierarchy_ranks_finish() in any case.
enum lcl_status lcl_hierarchy_ranks_init(
    struct lcl_hierarchy_ranks *H, const lcl_operator *whole,
    const struct lcl_hierarchy_ranks_params *params);
void lcl_hierarchy_ranks_finish(struct lcl_hierarchy_ranks *H);

// Parameters of the hierarchy of H->all, which are read with it.
struct lcl_hierarchy_params lcl_hierarchy_ranks_below(
    const struct lcl_hierarchy_ranks *H);

// Takes its cycle, which must outlive *H, and the values of the levels.
// Collective; statuses as lcl_cycle_update().
enum lcl_status lcl_hierarchy_ranks_complete(struct lcl_hierarchy_ranks *H,
                                             const struct lcl_cycle *below);

// Takes new values of `whole`: prolongations stay, the matrices of the
// distributed levels and H->all follow. Collective, and the ranks agree on the
// status; statuses as lcl_hierarchy_ranks_init(). Then, when the cycle below
// has the values of H->all, the second function takes them to the cycle.
enum lcl_status lcl_hierarchy_ranks_update(struct lcl_hierarchy_ranks *H);
enum lcl_status lcl_hierarchy_ranks_store(struct lcl_hierarchy_ranks *H);

// v->y = M^-1 v->x. Collective; enqueued with a relay.
enum lcl_status lcl_hierarchy_ranks_apply(const struct lcl_hierarchy_ranks *H,
                                          const struct lcl_operands *v);

// Kernels of an application besides those of the hierarchy below.
int lcl_hierarchy_ranks_launches(const struct lcl_hierarchy_ranks *H);

// Of the calling rank.
uint64_t lcl_hierarchy_ranks_bytes(const struct lcl_hierarchy_ranks *H);
