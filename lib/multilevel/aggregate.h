// SPDX-License-Identifier: BSD-3-Clause
// Merges subdomains into fewer aggregates.
#pragma once

#include <levelcl/matrix.h>

// Assigns an aggregate to every vertex of G, a subdomain. The values of G are
// the numbers of couplings per edge, its diagonal is ignored. Merges
// neighbours, those with the most couplings first, until at most `most`
// aggregates are left. aggregate[] has G->rows elements; *count is at most
// `most`, and every number below it is used. G shrinks and remains the
// caller's. Returns LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_aggregate_graph(int32_t *aggregate, int64_t *count,
                                    struct lcl_csr *G, int64_t most,
                                    const struct lcl_log *log);
