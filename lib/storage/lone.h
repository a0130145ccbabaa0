// SPDX-License-Identifier: BSD-3-Clause
// Lone rows of a square matrix: those with one entry other than 0, that of the
// diagonal. Discretisations write them for boundary values. With their unknowns
// last,
//     A = ( C B )
//         ( 0 D ),  D diagonal,
// and where C is symmetric, A acts as C does on vectors that are 0 in lone
// rows. M of submatrices of A keeps these vectors, and CG in them is that for
// C: once x_i = b_i / a_ii in lone rows, all residuals are such vectors.
#pragma once

#include "lib/storage/matrix.h"

// The two sums of the asymmetry (lib/storage/properties.h) without columns of
// lone rows, of a matrix of block size 1. Returns LCL_OK or a status of
// lcl_properties_sums().
enum lcl_status lcl_lone_asymmetry(double sum[2], lcl_context *ctx,
                                   const struct lcl_device_matrix *A);

// Enqueues x_i = b_i / a_ii for lone rows. Returns LCL_OK, LCL_EBUILD,
// LCL_EDEVMEM or LCL_EDEVICE.
enum lcl_status lcl_lone_solve(lcl_context *ctx,
                               const struct lcl_device_matrix *A,
                               const lcl_buffer *b, lcl_buffer *x);
