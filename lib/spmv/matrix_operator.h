// SPDX-License-Identifier: BSD-3-Clause
// Operators with a matrix on the device: interface for preconditioners.
#pragma once

#include "lib/operator/operator.h"
#include "lib/spmv/spmv.h"
#include "lib/storage/blocked.h"

// Block size of a matrix given by entries; 0: the natural one.
static inline int lcl_entries_block_size(const struct lcl_operator_params *p)
{
    return p->block_size == 0 && lcl_spmv_needs_entries(p->spmv)
               ? 1
               : p->block_size;
}

// Creates an operator from a well-formed matrix and moves buffers of B to it; B
// is fit for lcl_blocked_finish() in any case. *out is NULL on error.
enum lcl_status lcl_matrix_operator_create(
    lcl_operator **out, lcl_context *ctx, struct lcl_blocked *B,
    const struct lcl_operator_params *params);
// The same from a rank's own entries (lcl_blocked_from_own()), or from
// well-formed blocks on the host.
enum lcl_status lcl_matrix_operator_create_own(
    lcl_operator **out, lcl_context *ctx, const struct lcl_own_entries *A,
    const struct lcl_operator_params *params);
enum lcl_status lcl_matrix_operator_create_bsr(
    lcl_operator **out, lcl_context *ctx, const struct lcl_bsr *A,
    const struct lcl_operator_params *params);

// Switches A from the caller's numbering to that of B, its matrix reordered,
// and moves buffers of B to A. A must have no users; the caller's order of
// values does not change. On error A is unchanged.
enum lcl_status lcl_operator_renumber(lcl_operator *A, struct lcl_reordered *B);

// Switches A back to the caller's numbering; A must have no users except a
// preconditioner under construction. On error A is unchanged.
enum lcl_status lcl_operator_restore(lcl_operator *A);

// Sets A's info after a change.
void lcl_operator_describe(lcl_operator *A);

// Downloads the matrix in A's numbering, the values only if wanted; else
// out->val is NULL. The caller frees *out with lcl_bsr_finish(). Returns
// LCL_OK, LCL_ENOMEM or LCL_EDEVICE.
enum lcl_status lcl_operator_download(const lcl_operator *A,
                                      struct lcl_bsr *out, bool values);

// Creates a copy of A's matrix in the caller's numbering: block k of the copy
// is block map[k] of A (uint32). The caller owns both.
enum lcl_status lcl_operator_copy(lcl_operator **out, lcl_buffer **map,
                                  const lcl_operator *A);

// lcl_caller_entries()
enum lcl_status lcl_operator_entries(struct lcl_csr *out,
                                     const lcl_operator *A);

// New values from the device: write them to the staging buffer, in the order of
// the blocks from which A was created, then call the second function.
lcl_buffer *lcl_operator_staging(const lcl_operator *A);
enum lcl_status lcl_operator_commit_staged(lcl_operator *A);

// New values that may equal the current ones: write them to *to, compare, and
// call the third function if they differ. Between the second and the third
// function the ranks agree.
enum lcl_status lcl_operator_place_values(lcl_operator *A, lcl_buffer **to);
enum lcl_status lcl_operator_compare_values(lcl_operator *A, bool *changed);
enum lcl_status lcl_operator_commit_values(lcl_operator *A);

// The number of values in each array of a layout with several arrays; NULL: one
// array.
const int64_t *lcl_operator_parts(const lcl_operator *A);

// New values for a layout with several arrays, from host memory (finite;
// blocking) or from buffers, which may be larger than needed (as
// update_buffer() of struct lcl_operator_ops). Arrays without values may be
// NULL.
enum lcl_status lcl_operator_update_parts(lcl_operator *A,
                                          const double *const *val);
enum lcl_status lcl_operator_update_part_buffers(lcl_operator *A,
                                                 lcl_buffer *const *val);
