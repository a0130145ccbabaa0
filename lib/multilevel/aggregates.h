// SPDX-License-Identifier: BSD-3-Clause
// Aggregates of strongly coupled rows on the device, for smoothed aggregation.
#pragma once

#include "lib/multilevel/strength.h"

// The aggregates grow around the rows of a distance-2 independent set of the
// graph of strong couplings (cl/multilevel/aggregate.cl). A second set among
// the rows without an aggregate consists of rows with at least `second` strong
// neighbours of this kind; remaining rows join the aggregate of most coupling.
struct lcl_aggregates_params {
    int second; // 0: no second set; 4 gives smaller aggregates, 6 is between
};

struct lcl_aggregates {
    int64_t n, aggregates;
    // n, int32: aggregate of a row; -1 for rows that lcl_strength finds to have
    // no couplings. Every number below `aggregates` is used, and numbers ascend
    // with the rows at the centres of the aggregates.
    lcl_buffer *aggregate;
};

// A is the matrix of S. If an entry (i, j) lacks its counterpart (j, i), row i
// may join row j but not the reverse. Reads a counter every few rounds. Returns
// LCL_OK, LCL_ESELFTEST (the device computes impossible counts), LCL_EDEVMEM,
// LCL_EDEVICE, LCL_EBUILD or LCL_ENOMEM; on error *G is all zero.
enum lcl_status lcl_aggregates_init(struct lcl_aggregates *G, lcl_context *ctx,
                                    const struct lcl_device_matrix *A,
                                    const struct lcl_strength *S,
                                    const struct lcl_aggregates_params *params);
void lcl_aggregates_finish(struct lcl_aggregates *G);
