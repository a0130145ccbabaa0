// SPDX-License-Identifier: BSD-3-Clause
// The analysis of a pattern, on the device: levels, the numbering that follows
// from them, the reordered matrix, the layout of its factors.
#pragma once

#include "lib/factor/layout.h"
#include "lib/operator/spmv.h"
#include "lib/partition/partition.h"

// What dropping the couplings between subdomains costs: entries kept, and the
// dropped share of the off-diagonal entries by number and by |value|.
struct lcl_drop_info {
    int64_t kept;
    double share;
    double weight;
    int64_t missing_diagonals;
    // Nothing to do with dropping: the share of the off-diagonal entries,
    // relative to the diagonal of their row, whose sign is not that of the
    // diagonal. A block counts as its norm with the sign of its trace.
    double opposite;
};

struct lcl_symbolic {
    struct lcl_reordered B;
    struct lcl_device_layout layout;
    lcl_buffer *level; // n, int32: ascends in a subdomain
    struct lcl_drop_info drop;
    int64_t levels_max; // of one subdomain
    double levels_mean;
};

struct lcl_symbolic_params {
    int group;   // rows of a step at most, a power of two: work-items of the
                 // factor's kernels
    int lanes;   // of a wave, at most 255, which share the rows of a step that
                 // are longer than LCL_SHORT_ROW, where that saves many sweeps;
                 // 0 and 1: a lane a row
    bool folded; // both ends of a subdomain come first and meet in the middle:
                 // half the levels for about as good factors (van der Vorst
                 // 1987 on grids). Row i has the smaller of its levels counted
                 // from the first and from the last row, which order the rows;
                 // then they are sorted as ever
};

// Analyses the pattern of A, whose rows (of blocks, where A has blocks) P cuts
// into subdomains of at most 65,535. Row i depends on row j < i of its
// subdomain where a_ij or a_ji is stored: one structure serves the forward
// sweep in ascending and the backward sweep in descending levels (Mehta et al.,
// arXiv 2508.04917, Algorithm 4.2). The rows of a subdomain are sorted by
// level, longer rows first, so that neighbours do not wait for each other,
// lanes side by side as well as one item after the other. That order is
// topological: the factors of the sorted matrix are the sorted factors. A's
// values are looked at for what is dropped alone. Enqueues the last kernels.
// Returns LCL_OK, LCL_ERANGE (a subdomain is too large), LCL_EUNSUPPORTED (A
// has wide row pointers), LCL_ESELFTEST (sizes that cannot be: the device is
// wrong), LCL_EDEVMEM, LCL_EDEVICE, LCL_EBUILD or LCL_ENOMEM; *S is then all
// zero.
enum lcl_status lcl_symbolic_init(struct lcl_symbolic *S, lcl_context *ctx,
                                  const struct lcl_device_matrix *A,
                                  const struct lcl_partition *P,
                                  const struct lcl_symbolic_params *params);
void lcl_symbolic_finish(struct lcl_symbolic *S);
