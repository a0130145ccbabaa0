// SPDX-License-Identifier: BSD-3-Clause
// The coarse space at the boundary of a rank (lib/multilevel/coarse_ranks.h).
// Its boundary rows have entries in columns whose coarse unknowns belong to
// other ranks, the ghost unknowns. Local unknowns are the rank's own and, from
// `own` on, the ghosts. A run is the sum of the entries of a boundary row in
// the columns of one local unknown: an entry of W = A Z.
//
// The host computes the runs, from the values that the halo keeps: boundary
// rows are few.
#pragma once

#include "lib/storage/halo.h"

// Listed rows of a sparse matrix: entry k is minus run source[k], or 1 where
// source[k] < 0.
struct lcl_run_rows {
    int64_t rows, entries;
    lcl_buffer *row, *row_ptr, *col, *val;
    int32_t *source;
    double *host; // entries
    lcl_kernel *kernel;
};

struct lcl_coarse_boundary {
    const struct lcl_halo *halo;
    int64_t own, ghosts; // local unknowns
    int64_t runs;
    int32_t *entry_run; // run of each entry of a boundary row
    double *w;          // runs
    // Entries of E = Z^T W in columns of ghosts: entry m is the sum of the runs
    // k with run_pair[k] = m, in row pair_row[m] and column pair_col[m], local
    // unknowns. -1: the run of an own unknown, which is in the rank's W as well
    int64_t pairs;
    int32_t *run_pair, *pair_row, *pair_col;
    double *e;                    // pairs
    struct lcl_run_rows residual; // y = r - W e in boundary rows
    // -W^T y for the ghost unknowns; of parts, for the pairs, which share it
    struct lcl_run_rows deflation;
};

// What the rank knows of its rows, all in the caller's numbering: the local
// unknown of each row, below `own`, and of each ghost; `place` is the row of
// the device. Instead of the unknowns of rows, pairs may have the parts of
// which these consist, so that sums do not depend on who has a part: then `own`
// is 0, and all rows are boundary rows.
struct lcl_coarse_labels {
    int64_t own, ghosts;
    const int32_t *row, *ghost, *place;
    const int32_t *part; // of each row; NULL: its unknown
    int64_t deflated;    // where t has the first number of the deflation
};

// Symbolic phase. H must outlive B. Returns LCL_OK, LCL_ENOMEM, LCL_EDEVMEM,
// LCL_EDEVICE or LCL_EBUILD; *B is fit for lcl_coarse_boundary_finish() in any
// case.
enum lcl_status lcl_coarse_boundary_init(struct lcl_coarse_boundary *B,
                                         const struct lcl_halo *H,
                                         const struct lcl_coarse_labels *L);
void lcl_coarse_boundary_finish(struct lcl_coarse_boundary *B);

// Takes the values that the halo has.
enum lcl_status lcl_coarse_boundary_update(struct lcl_coarse_boundary *B);

// y_i = x_i - (W e)_i in boundary rows; e has the local unknowns.
enum lcl_status lcl_coarse_boundary_residual(
    const struct lcl_coarse_boundary *B, const lcl_buffer *e,
    const struct lcl_operands *v);

// t_j = -(W^T y)_j for ghost unknowns j; t has the local unknowns. With parts,
// behind their numbers, the share of each pair.
enum lcl_status lcl_coarse_boundary_deflate(const struct lcl_coarse_boundary *B,
                                            const lcl_buffer *t,
                                            const struct lcl_operands *v);

uint64_t lcl_coarse_boundary_bytes(const struct lcl_coarse_boundary *B);
