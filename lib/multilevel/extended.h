// SPDX-License-Identifier: BSD-3-Clause
// Extended+i interpolation on the device (cl/multilevel/extended.cl), for
// classical multigrid.
#pragma once

#include "lib/multilevel/splitting.h"

// Makes P, A->n x S->count, from the splitting S of A; A has ascending columns.
// Coarse rows have one entry, 1. Fine rows have the `most` (1 to
// EXTENDED_MOST) largest weights, scaled to the sum of all, or none: see
// lcl_splitting_init(), and rows whose divisor is not normal. Reads the number
// of entries. Returns LCL_OK, LCL_EINVAL (most), LCL_EUNSUPPORTED (blocks, too
// many entries), LCL_ESELFTEST (the device computes impossible results),
// LCL_EDEVMEM, LCL_EDEVICE, LCL_EBUILD or LCL_ENOMEM; on error
// *P is all zero.
enum lcl_status lcl_extended_init_most(struct lcl_device_matrix *P,
                                       lcl_context *ctx,
                                       const struct lcl_device_matrix *A,
                                       const struct lcl_splitting *S, int most);

// The same with most = 4.
enum lcl_status lcl_extended_init(struct lcl_device_matrix *P, lcl_context *ctx,
                                  const struct lcl_device_matrix *A,
                                  const struct lcl_splitting *S);
