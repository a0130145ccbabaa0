// SPDX-License-Identifier: BSD-3-Clause
// Reduces every part of a graph partition to a size limit.
#pragma once

#include "lib/partition/graph.h"

// Moves vertices out of parts with more than `limit` vertices until none is
// left: first across the boundary at the least cost in edge weight, then to any
// part with room. parts * limit >= G->n must hold. Deterministic. Returns
// LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_partition_balance(idx_t *label, idx_t parts, idx_t limit,
                                      const struct lcl_graph *G,
                                      const struct lcl_log *log);
