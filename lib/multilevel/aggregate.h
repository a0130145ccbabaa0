// SPDX-License-Identifier: BSD-3-Clause
// Merging subdomains into fewer aggregates.
#pragma once

#include <levelcl/matrix.h>

// Gives every subdomain, rows part_ptr[p] .. part_ptr[p+1]-1 of the pattern of
// B, its aggregate: the subdomain itself where there are at most `most` of
// them; else neighbours are merged, those with most couplings first, until
// there are at most that many. aggregate[] has `parts` elements; *count is at
// most `most`, every number below it is in use. The values of B are not looked
// at. Returns LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_aggregate(int32_t *aggregate, int64_t *count,
                              const struct lcl_csr *B, const int64_t *part_ptr,
                              int64_t parts, int64_t most,
                              const struct lcl_log *log);

// The same from the graph of the subdomains: its values are how many couplings
// an edge stands for, its diagonal is not looked at. G shrinks and remains the
// caller's.
enum lcl_status lcl_aggregate_graph(int32_t *aggregate, int64_t *count,
                                    struct lcl_csr *G, int64_t most,
                                    const struct lcl_log *log);
