// SPDX-License-Identifier: BSD-3-Clause
// Brings every part of a graph partition down to a size limit.
#pragma once

#include "lib/partition/graph.h"

// Moves vertices out of the parts that have more than `limit` until none has:
// along the boundary at the least cost in edge weight first, then to wherever
// there is room. parts * limit >= G->n must hold. Deterministic.
// Returns LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_partition_balance(idx_t *label, idx_t parts, idx_t limit,
                                      const struct lcl_graph *G,
                                      const struct lcl_log *log);
