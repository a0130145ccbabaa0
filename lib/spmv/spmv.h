// SPDX-License-Identifier: BSD-3-Clause
// y = A x with the dot products that follow: one table of functions a kind of
// product.
#pragma once

#include "host/program.h"
#include "lib/spmv/matrix.h"

#include <levelcl/operator.h>

enum lcl_product {
    LCL_PRODUCT_PLAIN,    // y = A x
    LCL_PRODUCT_DOT,      // and partial sums of <w, y>
    LCL_PRODUCT_DOT_NORM, // and partial sums of <w, y> and <y, y>
    LCL_PRODUCT_RESIDUAL, // y = w - A x and partial sums of <y, y>
    LCL_PRODUCT_COUNT,
};

struct lcl_spmv;

// What a product works on. `w` and `sums` may be NULL where the product has no
// use for them; `sums` holds 2 * groups doubles: number g of <w, y> and number
// groups + g of <y, y> are group g's. Nothing happens where element `at` of
// `stop` (int32) is not 0.
struct lcl_operands {
    const lcl_buffer *x, *w;
    lcl_buffer *y, *sums;
    const lcl_buffer *stop;
    int at;
};

struct lcl_spmv_ops {
    // Sets up S->state from the pattern of S->A. On error the caller calls
    // destroy().
    enum lcl_status (*create)(struct lcl_spmv *S, lcl_context *ctx);
    // Takes the values of S->A; NULL where the kernels read them there.
    enum lcl_status (*update)(struct lcl_spmv *S);
    // Enqueues one product, S->groups partial sums each.
    enum lcl_status (*multiply)(const struct lcl_spmv *S,
                                enum lcl_product product,
                                const struct lcl_operands *v);
    void (*destroy)(struct lcl_spmv *S); // S->state, may be NULL
};

struct lcl_spmv {
    const struct lcl_spmv_ops *ops;
    enum lcl_spmv_type type;
    const struct lcl_device_matrix *A; // outlives it
    int groups;                        // A->groups
    void *state;                       // the kind's own
    uint64_t bytes;                    // on the device, beside A
};

extern const struct lcl_spmv_ops lcl_spmv_adaptive, lcl_spmv_binned,
    lcl_spmv_csr;

// The four kernels PREFIX_plain, PREFIX_dot, PREFIX_dot_norm, PREFIX_residual
// of a source: the spec but for `kernel`.
enum lcl_status lcl_product_kernels(lcl_kernel *out[LCL_PRODUCT_COUNT],
                                    lcl_context *ctx,
                                    const struct lcl_spec *spec,
                                    const char *prefix);

// The product of a type, with the values that A has now. Returns LCL_OK,
// LCL_EUNSUPPORTED (the type with these blocks or on this device), LCL_EDEVMEM,
// LCL_EDEVICE, LCL_EBUILD or LCL_ENOMEM; *S is fit for lcl_spmv_finish() in any
// case.
enum lcl_status lcl_spmv_init(struct lcl_spmv *S, enum lcl_spmv_type type,
                              lcl_context *ctx,
                              const struct lcl_device_matrix *A);
void lcl_spmv_finish(struct lcl_spmv *S);

// After A's values have changed.
enum lcl_status lcl_spmv_update(struct lcl_spmv *S);

enum lcl_status lcl_multiply(const struct lcl_spmv *S, enum lcl_product product,
                             const struct lcl_operands *v);
