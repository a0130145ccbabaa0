// SPDX-License-Identifier: BSD-3-Clause
// Subdomains of random rows that overlap.
#pragma once

#include "lib/partition/subdomains.h"

// Distributes the rows of A at random over at most `parts` parts, extends these
// by `layers` layers, and, if `shuffled`, shuffles the rows of each part.
struct lcl_subdomains test_overlapping(const struct lcl_csr *A, int64_t parts,
                                       int layers, bool shuffled);
