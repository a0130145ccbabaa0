// SPDX-License-Identifier: BSD-3-Clause
// The linear system as the device sees it: the matrix in the numbering that
// the preconditioner chose, and the way there and back.
#pragma once

#include "lib/factor/symbolic.h"
#include "lib/spmv/csr.h"
#include "lib/vector/vector.h"

struct lcl_system {
    lcl_context *ctx;
    int64_t n, nnz;
    struct lcl_vector_ops vector;
    struct lcl_device_csr matrix;
    // The rest is NULL where the numbering is the caller's.
    lcl_buffer *perm;        // n, new -> old
    lcl_buffer *map;         // nnz, entry of the reordered -> entry of A
    lcl_buffer *values;      // nnz, A's order
    lcl_buffer *vector_in_a; // n, a vector in A's numbering
    // What kernels that may be stopped look at when nobody stops them.
    lcl_buffer *never; // one int32, 0
};

// `B` is A itself (perm and map NULL), or A reordered: entry k of B is entry
// map[k] of A, row i is row perm[i].
enum lcl_status lcl_system_init(struct lcl_system *S, lcl_context *ctx,
                                const struct lcl_csr *B, const int32_t *perm,
                                const int64_t *map);

// Called once after that, where B was A itself: goes over to the numbering of a
// matrix that was reordered on the device, and takes its buffers.
enum lcl_status lcl_system_reorder(struct lcl_system *S,
                                   struct lcl_reordered *B);
void lcl_system_finish(struct lcl_system *S);

// Takes new values in A's order.
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
