// SPDX-License-Identifier: BSD-3-Clause
// What bounds the entries of the levels of smoothed aggregation, on one device
// and on ranks: in graphs with a few rows that reach most others, as those with
// degrees by a power law, a smoothed prolongation makes too many couplings. A
// level whose products would exceed the bound takes the tentative prolongation
// instead, and the next matrix is scaled for it.
#pragma once

#include "lib/multilevel/aggregates.h"

// Entries of A P and of R (A P), at most, of a matrix A of all ranks.
int64_t lcl_growth_most(int64_t entries, int64_t rows);

// Removes the strong couplings from S and makes *lambda infinite: a prolongator
// with both has no smoothing. Returns LCL_OK, LCL_EDEVMEM, LCL_EDEVICE or
// LCL_ENOMEM; the caller destroys *lambda in any case.
enum lcl_status lcl_growth_plain(lcl_buffer **lambda, lcl_context *ctx,
                                 const struct lcl_strength *S);

// Enqueues the scaling of the next matrix. Statuses as lcl_scale_matrix().
enum lcl_status lcl_growth_scale(lcl_context *ctx,
                                 const struct lcl_device_matrix *next);
