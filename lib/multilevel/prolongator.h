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

// Makes the prolongation from the aggregates G of A, with lambda as above.
// `weight` (n, uint32) has the number of rows of the first level that each row
// stands for, 1 if it is NULL; *next has that of each aggregate. Reads the
// number of entries. Statuses as lcl_lambda(); on error *P is all zero and
// *next NULL.
enum lcl_status lcl_prolongator_init(struct lcl_device_matrix *P,
                                     lcl_buffer **next, lcl_context *ctx,
                                     const struct lcl_device_matrix *A,
                                     const struct lcl_strength *S,
                                     const struct lcl_aggregates *G,
                                     const lcl_buffer *weight,
                                     const lcl_buffer *lambda);

// Both parts. *next = the weights of the aggregates of the first G->n rows.
// Aggregates of rows that come after these, and of aggregates after those, may
// be those of other ranks: A has the first rows alone.
enum lcl_status lcl_weigh_aggregates(lcl_buffer **next, lcl_context *ctx,
                                     const struct lcl_aggregates *G,
                                     const lcl_buffer *weight);
enum lcl_status lcl_prolongator_weighted(
    struct lcl_device_matrix *P, lcl_context *ctx,
    const struct lcl_device_matrix *A, const struct lcl_strength *S,
    const struct lcl_aggregates *G, const lcl_buffer *weight,
    const lcl_buffer *next, const lcl_buffer *lambda);
