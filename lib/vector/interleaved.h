// SPDX-License-Identifier: BSD-3-Clause
// Vectors of interleaved columns: row i of column q is at i * columns + q. The
// kernels are in cl/common/columns.cl.
#pragma once

#include "host/program.h"
#include "lib/vector/operands.h"
#include "lib/vector/space.h"

// The spec of a kernel that includes columns.cl.h. Returns false if no group
// suits the number of columns.
bool lcl_interleaved_spec(struct lcl_spec *spec, const struct lcl_caps *caps,
                          int columns);

// A kernel of columns.cl. Returns LCL_OK, LCL_EUNSUPPORTED without a message
// (as above), or a status of lcl_kernel_get().
enum lcl_status lcl_interleaved_kernel(lcl_kernel **out, lcl_context *ctx,
                                       int columns, const char *name);

struct lcl_interleaved {
    struct lcl_space column; // of one column
    lcl_kernel *put, *get, *dot, *add;
};

// Statuses as lcl_interleaved_kernel().
enum lcl_status lcl_interleaved_init(struct lcl_interleaved *K,
                                     const struct lcl_space *column,
                                     int columns);

// Enqueue: column q of Y = x; y = column q of X.
enum lcl_status lcl_interleaved_put(const struct lcl_interleaved *K, int q,
                                    const lcl_buffer *x, lcl_buffer *Y);
enum lcl_status lcl_interleaved_get(const struct lcl_interleaved *K, int q,
                                    const lcl_buffer *X, lcl_buffer *y);

// Enqueues partial sums of <w_q, y_q>, row q for column q.
enum lcl_status lcl_interleaved_dot(const struct lcl_interleaved *K,
                                    const struct lcl_operands *v);

// Enqueues X = X + C for the columns with limit[q] < infinity.
enum lcl_status lcl_interleaved_add(const struct lcl_interleaved *K,
                                    const lcl_buffer *limit,
                                    const lcl_buffer *C, lcl_buffer *X);
