// SPDX-License-Identifier: BSD-3-Clause
// Prolongation by smoothed aggregation, and the eigenvalue that it needs
// (cl/multilevel/prolongator.cl).
#pragma once

#include "lib/multilevel/aggregates.h"

// Enqueues lambda = an estimate of the largest eigenvalue of D^-1 A from above,
// by power iterations and the bound of Gershgorin; lambda holds one fp64.
// Returns LCL_OK, LCL_EDEVMEM, LCL_EDEVICE, LCL_EBUILD or LCL_ENOMEM.
enum lcl_status lcl_lambda(lcl_buffer *lambda, lcl_context *ctx,
                           const struct lcl_device_matrix *A);

// Enqueues A *= factor.
enum lcl_status lcl_scale_matrix(lcl_context *ctx,
                                 const struct lcl_device_matrix *A,
                                 double factor);

// Makes the prolongation of the rows of A, with lambda as above. G and S may
// have further rows, and G further aggregates, those of other ranks. Reads the
// number of entries. Statuses as lcl_lambda(); on error *P is all zero.
enum lcl_status lcl_prolongator_init(struct lcl_device_matrix *P,
                                     lcl_context *ctx,
                                     const struct lcl_device_matrix *A,
                                     const struct lcl_strength *S,
                                     const struct lcl_aggregates *G,
                                     const lcl_buffer *lambda);
