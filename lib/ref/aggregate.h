// SPDX-License-Identifier: BSD-3-Clause
// Merges the subdomains of a matrix by the definition of their graph.
#pragma once

#include <levelcl/matrix.h>

// lcl_aggregate_graph() for the subdomains, rows part_ptr[p] ..
// part_ptr[p+1]-1 of the pattern of B, an edge for each pair that is coupled;
// each is its own aggregate if there are at most `most`.
enum lcl_status lcl_ref_aggregate(int32_t *aggregate, int64_t *count,
                                  const struct lcl_csr *B,
                                  const int64_t *part_ptr, int64_t parts,
                                  int64_t most, const struct lcl_log *log);
