// SPDX-License-Identifier: BSD-3-Clause
// The transpose of an operator with a matrix or a Kronecker system, as an
// operator.
#pragma once

#include "lib/operator/operator.h"

// *T = A^T with A's current values, in A's numbering; it lives as long as A
// keeps its numbering, at least while *T has users. Returns LCL_OK;
// LCL_EUNSUPPORTED (a callback, several devices, or 2^32 entries or more); or
// as lcl_operator_create().
enum lcl_status lcl_operator_transposed(lcl_operator **T, lcl_operator *A);

// y = T x for host vectors; the numbering of T's caller is N. Blocking.
enum lcl_status lcl_apply_numbered(lcl_operator *T,
                                   const struct lcl_numbering *N,
                                   const double *x, double *y);
// The same for buffers, enqueued.
enum lcl_status lcl_apply_numbered_buffers(lcl_operator *T,
                                           const struct lcl_numbering *N,
                                           const lcl_buffer *x, lcl_buffer *y);
