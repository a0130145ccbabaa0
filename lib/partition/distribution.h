// SPDX-License-Identifier: BSD-3-Clause
// Which device has which rows.
#pragma once

#include "lib/operator/team_operator.h"

// Distributes the rows of A, square and well-formed, among `size` ranks, at
// most as many as there are blocks of `block` rows; rows of a block stay
// together. Ranks have consecutive rows with about as many entries each, in the
// caller's numbering or, if that leaves less than two thirds of the ghosts and
// block is 1, in the order of METIS's parts. On error *D is all zero. Returns
// LCL_OK, LCL_EINVAL (more ranks than blocks) or LCL_ENOMEM.
enum lcl_status lcl_distribute(struct lcl_distribution *D,
                               const struct lcl_csr *A, int size, int block,
                               const struct lcl_log *log);

// The entries of other ranks that the ranks need, in the caller's numbering:
// pairs of a rank and a column. -1: out of memory.
int64_t lcl_count_ghosts(const struct lcl_csr *A, const int64_t *first,
                         int size);
