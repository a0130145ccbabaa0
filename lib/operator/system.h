// SPDX-License-Identifier: BSD-3-Clause
// The linear system as the device sees it: the matrix in the numbering that
// the preconditioner chose, and the way there and back.
#pragma once

#include "lib/operator/spmv.h"
#include "lib/vector/vector.h"

struct lcl_system {
    lcl_context *ctx;
    int64_t n;
    struct lcl_device_matrix matrix;
    struct lcl_spmv product; // with the matrix
    // What kernels that may be stopped look at when nobody stops them.
    lcl_buffer *never; // one int32, 0
    // NULL where the numbering is the caller's:
    struct lcl_vector_ops vector;
    lcl_buffer *perm;        // block rows, new -> old
    lcl_buffer *vector_in_a; // n, a vector in A's numbering
    // How values of the caller become those of the matrix; NULL where they are
    // the same.
    int64_t entries; // values of the caller
    struct lcl_vector_ops value;
    lcl_buffer *map;    // block of the matrix -> block of the caller
    lcl_buffer *place;  // or value of the caller -> value of the matrix
    lcl_buffer *values; // as the caller has them
    // Of the values that the matrix has: lib/precond/symmetric.h.
    bool symmetry_known;
    double asymmetry;
};

// `B` is A itself (perm and map NULL), or A reordered: block k of B is block
// map[k] of A, block row i is block row perm[i]. With blocks of one entry these
// are entries and rows.
enum lcl_status lcl_system_init(struct lcl_system *S, lcl_context *ctx,
                                const struct lcl_bsr *B, const int32_t *perm,
                                const int64_t *map);

// Called once after that, where B was A itself: goes over to the numbering of a
// matrix that was reordered on the device, and takes its buffers.
enum lcl_status lcl_system_reorder(struct lcl_system *S,
                                   struct lcl_reordered *B);

// Called once after that, where A was made of a matrix of `entries` values, and
// the caller has these: value k of them is A's value place[k]; what no place
// leads to stays as it is. Without this call, or with NULL, the caller's values
// are A's.
enum lcl_status lcl_system_take_entries(struct lcl_system *S,
                                        const int64_t *place, int64_t entries);

// Called once after that, when the matrix has its values: how it is multiplied.
enum lcl_status lcl_system_make_product(struct lcl_system *S,
                                        enum lcl_spmv_type type);
void lcl_system_finish(struct lcl_system *S);

// Takes new values, in the caller's order.
enum lcl_status lcl_system_update(struct lcl_system *S, const double *val);

// Host vectors of n doubles in A's numbering to the device's and back.
enum lcl_status lcl_system_put(const struct lcl_system *S, const double *host,
                               lcl_buffer *vector);
enum lcl_status lcl_system_get(const struct lcl_system *S,
                               const lcl_buffer *vector, double *host);
// The same for device buffers in A's numbering; enqueued.
enum lcl_status lcl_system_import(const struct lcl_system *S,
                                  const lcl_buffer *in_a, lcl_buffer *vector);
enum lcl_status lcl_system_export(const struct lcl_system *S,
                                  const lcl_buffer *vector, lcl_buffer *in_a);
