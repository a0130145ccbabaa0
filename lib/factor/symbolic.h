// SPDX-License-Identifier: BSD-3-Clause
// Symbolic phase on the device: levels of a pattern, the numbering derived
// from them, the reordered matrix, the schedule of its factors.
#pragma once

#include "lib/factor/pattern.h"
#include "lib/factor/schedule.h"
#include "lib/partition/subdomains.h"

// Cost of dropping the couplings between subdomains: number of entries kept,
// and the dropped share of the off-diagonal entries by number and by |value|.
struct lcl_drop_info {
    int64_t kept;
    double share;
    double weight;
    int64_t missing_diagonals;
    // Unrelated to dropping: the share of the off-diagonal entries, relative to
    // the diagonal of their row, whose sign is opposite to the diagonal. A
    // block counts as its norm with the sign of its trace.
    double opposite;
    bool mixed; // diagonal entries have both signs
};

struct lcl_symbolic {
    // The pattern in the order of the factors: its rows are rows perm[i] of
    // the given pattern, its entries are entries map[k].
    struct lcl_reordered B;
    struct lcl_schedule schedule;
    lcl_buffer *level; // n, int32: ascends within a subdomain
    struct lcl_drop_info drop;
    int64_t levels_max; // maximum over the subdomains
    double levels_mean;
};

struct lcl_symbolic_params {
    int block;   // rows of a block of A; 0 and 1: entries are numbers
    int group;   // maximum number of rows of a step, a power of two: the
                 // work-group size of the factor's kernels
    int lanes;   // per wave, at most 255; they share rows longer than
                 // LCL_SHORT_ROW if that saves many stages. 0 and 1: one lane
                 // per row
    bool folded; // twisted ordering: start at both ends of a subdomain and meet
                 // in the middle. Half the levels at about the same factor
                 // quality (van der Vorst 1987, on grids). Row i gets the
                 // smaller of its levels counted from the first and from the
                 // last row; these levels order the rows, which are then sorted
                 // as usual. Fill belongs to an order of elimination: a pattern
                 // with fill keeps its meaning without this only
};

// Analyses a pattern, whose rows P divides into subdomains of at most 65,535.
// Row i depends on row j < i of its
// subdomain if a_ij or a_ji is stored: the same structure serves the forward
// sweep in ascending and the backward sweep in descending levels (Mehta et al.,
// arXiv 2508.04917, Algorithm 4.2). Sorts the rows of a subdomain by level,
// those with more entries in the subdomain first, so that neighbouring rows do
// not depend on each other, for parallel lanes and for a single work-item. That
// order is topological: the
// factors of the sorted matrix are the sorted factors. `val` has the values of
// A, if the pattern is that of A, for the weights of dropped entries; NULL:
// weights are not measured. The schedule's sources are entries of A; if
// pattern->source is NULL, of A reordered to S->B. Does not wait for its last
// kernels. Returns LCL_OK, LCL_ERANGE (a subdomain is too large),
// LCL_EUNSUPPORTED (2^32 entries), LCL_ESELFTEST (impossible sizes: the device
// is faulty), LCL_EDEVMEM, LCL_EDEVICE, LCL_EBUILD or LCL_ENOMEM; on error *S
// is all zero.
enum lcl_status lcl_symbolic_init(struct lcl_symbolic *S, lcl_context *ctx,
                                  const struct lcl_pattern *pattern,
                                  const struct lcl_subdomains *P,
                                  const lcl_buffer *val,
                                  const struct lcl_symbolic_params *params);
void lcl_symbolic_finish(struct lcl_symbolic *S);
