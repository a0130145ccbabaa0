// SPDX-License-Identifier: BSD-3-Clause
// Merges subdomains into fewer aggregates.
#pragma once

#include <levelcl/matrix.h>

// Assigns an aggregate to every subdomain, rows part_ptr[p] .. part_ptr[p+1]-1
// of the pattern of B. If there are at most `most` subdomains, each is its own
// aggregate; otherwise neighbours are merged, those with the most couplings
// first, until at most `most` aggregates are left. aggregate[] has `parts`
// elements; *count is at most `most`, and every number below it is used. The
// values of B are not read. Returns LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_aggregate(int32_t *aggregate, int64_t *count,
                              const struct lcl_csr *B, const int64_t *part_ptr,
                              int64_t parts, int64_t most,
                              const struct lcl_log *log);

// The same from the graph of the subdomains: its values are the numbers of
// couplings per edge, its diagonal is ignored. G shrinks and remains the
// caller's.
enum lcl_status lcl_aggregate_graph(int32_t *aggregate, int64_t *count,
                                    struct lcl_csr *G, int64_t most,
                                    const struct lcl_log *log);
