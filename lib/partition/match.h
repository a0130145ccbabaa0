// SPDX-License-Identifier: BSD-3-Clause
// Subdomains by weighted matching on the device: rounds of matching contract
// the graph of the matrix until its vertices have as many rows as a subdomain
// may have; then, level by level, vertices move between subdomains if this
// strengthens the couplings inside (Holtgrewe, Sanders, Schulz, IPDPS 2010;
// Fagginger Auer, Bisseling, 2012; Meyerhenke, Sanders, Schulz, SEA 2014).
// Contracting the graph of the subdomains further yields aggregates of
// subdomains. The result depends on the matrix alone, not on the device.
#pragma once

#include "lib/storage/matrix.h"

#include <levelcl/precond.h>

struct lcl_match_params {
    int64_t limit;            // block rows of a subdomain, at least 1
    int64_t most;             // aggregates, at least 1
    enum lcl_weights weights; // AUTO: on if the matrix has values
};

// Subdomain p has the rows part_ptr[p] .. part_ptr[p+1]-1 of the new numbering;
// new row i is old row perm[i]. Rows keep their old order within a subdomain.
// Subdomains are numbered along the tree of contractions: those of an aggregate
// are consecutive, and aggregate[] ascends.
struct lcl_match {
    int64_t n, parts, aggregates;
    lcl_buffer *perm;   // n, int32, new -> old
    int64_t *part_ptr;  // parts + 1
    int32_t *aggregate; // parts
    int levels;         // contractions to subdomains
    int64_t launches;
};

// Partitions the block rows of A, which must be square. Returns LCL_OK,
// LCL_EUNSUPPORTED (64-bit row pointers), LCL_ERANGE, LCL_ENOMEM or a status of
// the device, with a logged reason; *M is then all zero.
enum lcl_status lcl_match_init(struct lcl_match *M, lcl_context *ctx,
                               const struct lcl_device_matrix *A,
                               const struct lcl_match_params *params);
void lcl_match_finish(struct lcl_match *M);
