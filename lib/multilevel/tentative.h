// SPDX-License-Identifier: BSD-3-Clause
// Tentative prolongator of an aggregation of nodes with near-null vectors
// (cl/multilevel/tentative.cl).
#pragma once

#include "lib/multilevel/aggregates.h"
#include "lib/multilevel/near_null.h"

// T, whose columns are orthonormal or zero, and the vectors *next of the
// aggregates with B = T next on the nodes that have an aggregate. Enqueued,
// except for one wait for the number of these. Returns LCL_OK,
// LCL_EUNSUPPORTED (2^32 entries), LCL_EBUILD, LCL_EDEVMEM, LCL_EDEVICE or
// LCL_ENOMEM; on error both are empty.
enum lcl_status lcl_tentative_init(struct lcl_device_matrix *T,
                                   struct lcl_near_null *next, lcl_context *ctx,
                                   const struct lcl_aggregates *G,
                                   const struct lcl_near_null *B);
