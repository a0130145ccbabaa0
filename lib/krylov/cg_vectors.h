// SPDX-License-Identifier: BSD-3-Clause
// The vector kernels of the report on row-binned CG
// (cl/krylov/cg_published.cl), in fp64 or in fp32. Statuses as lcl_launch() and
// lcl_buffer_read().
#pragma once

#include "host/launch.h"

struct lcl_cg_vectors {
    lcl_kernel *dot_kernel, *axpy, *scale_add;
    lcl_buffer *result; // of a dot product
    int64_t n, groups;
    bool single; // numbers are floats
};

// The method of atomic addition in global memory that the kernels use on a
// device; NONE: it has none for this precision.
enum lcl_atomic_add lcl_cg_vectors_add(const struct lcl_caps *caps,
                                       bool single);

// For n numbers. Returns LCL_OK, LCL_EBUILD, LCL_EDEVMEM, LCL_EDEVICE or
// LCL_ENOMEM; *V is fit for lcl_cg_vectors_finish() in any case.
enum lcl_status lcl_cg_vectors_init(struct lcl_cg_vectors *V, lcl_context *ctx,
                                    int64_t n, bool single);
void lcl_cg_vectors_finish(struct lcl_cg_vectors *V);

// *result = <a, b>, a double or a float; blocking.
enum lcl_status lcl_cg_dot(const struct lcl_cg_vectors *V, const lcl_buffer *a,
                           const lcl_buffer *b, void *result);

// Enqueues y = y + alpha x by V->axpy or y = x + alpha y by V->scale_add.
enum lcl_status lcl_cg_combine(const struct lcl_cg_vectors *V,
                               lcl_kernel *kernel, struct lcl_arg alpha,
                               const lcl_buffer *x, lcl_buffer *y);
