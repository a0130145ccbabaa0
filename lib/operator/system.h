// SPDX-License-Identifier: BSD-3-Clause
// The linear system on the device: the matrix in the preconditioner's
// numbering, and the permutations to and from the caller's.
#pragma once

#include "lib/operator/spmv.h"
#include "lib/vector/vector.h"

struct lcl_system {
    lcl_context *ctx;
    int64_t n;
    struct lcl_device_matrix matrix;
    struct lcl_spmv product; // with `matrix`
    // Zero stopping flag for launches outside a solve.
    lcl_buffer *never; // one int32, 0
    // All zero if the numbering is the caller's:
    struct lcl_vector_ops vector;
    lcl_buffer *perm;        // block rows, new -> old
    lcl_buffer *vector_in_a; // n, a vector in A's numbering
    // Map from the caller's values to the matrix; NULL if they are the same.
    int64_t entries; // number of the caller's values
    struct lcl_vector_ops value;
    lcl_buffer *map;    // block of the matrix -> block of the caller
    lcl_buffer *place;  // or: value of the caller -> value of the matrix
    lcl_buffer *values; // in the caller's order
    // For the current values: lib/precond/symmetric.h.
    bool symmetry_known;
    double asymmetry;
};

// `B` is A itself (perm and map NULL) or A reordered: block k of B is block
// map[k] of A, block row i is block row perm[i]. With 1 x 1 blocks these are
// entries and rows.
enum lcl_status lcl_system_init(struct lcl_system *S, lcl_context *ctx,
                                const struct lcl_bsr *B, const int32_t *perm,
                                const int64_t *map);

// Optional, once after lcl_system_init() if B was A itself: switches to the
// numbering of a matrix reordered on the device, and takes its buffers.
enum lcl_status lcl_system_reorder(struct lcl_system *S,
                                   struct lcl_reordered *B);

// Optional, once after the calls above, if A was converted from a matrix of
// `entries` values, which the caller supplies: value k of them is A's value
// place[k]; values of A that no place refers to stay unchanged. Without this
// call, or with place NULL, the caller's values are A's.
enum lcl_status lcl_system_take_entries(struct lcl_system *S,
                                        const int64_t *place, int64_t entries);

// Call once after the calls above, when the matrix has its values: creates the
// product.
enum lcl_status lcl_system_make_product(struct lcl_system *S,
                                        enum lcl_spmv_type type);
void lcl_system_finish(struct lcl_system *S);

// Takes new values, in the caller's order.
enum lcl_status lcl_system_update(struct lcl_system *S, const double *val);

// Copy vectors of n doubles between the host, in A's numbering, and the device.
enum lcl_status lcl_system_put(const struct lcl_system *S, const double *host,
                               lcl_buffer *vector);
enum lcl_status lcl_system_get(const struct lcl_system *S,
                               const lcl_buffer *vector, double *host);
// The same for device buffers in A's numbering; enqueued.
enum lcl_status lcl_system_import(const struct lcl_system *S,
                                  const lcl_buffer *in_a, lcl_buffer *vector);
enum lcl_status lcl_system_export(const struct lcl_system *S,
                                  const lcl_buffer *vector, lcl_buffer *in_a);
