// SPDX-License-Identifier: BSD-3-Clause
// y = A x with the dot products that follow: one table of functions a kind of
// product.
#pragma once

#include "host/program.h"
#include "lib/operator/matrix.h"

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

// Columns of X and Y, of which column q starts at x[q * ldx] and y[q * ldy].
struct lcl_columns {
    const lcl_buffer *x;
    int64_t ldx;
    lcl_buffer *y;
    int64_t ldy;
};

struct lcl_spmv_ops {
    // Looks at the pattern of S->A, cheaply, before create(): fills S->traits.
    // LCL_EUNSUPPORTED where the kind is not for it. NULL: it is for any.
    enum lcl_status (*study)(struct lcl_spmv *S, lcl_context *ctx);
    // Sets up S->state from the pattern of S->A. On error the caller calls
    // destroy().
    enum lcl_status (*create)(struct lcl_spmv *S, lcl_context *ctx);
    // Takes the values of S->A; NULL where the kernels read them there.
    enum lcl_status (*update)(struct lcl_spmv *S);
    // Enqueues one product, S->groups partial sums each.
    enum lcl_status (*multiply)(const struct lcl_spmv *S,
                                enum lcl_product product,
                                const struct lcl_operands *v);
    // Enqueues Y = A X for the `vectors` columns from number `first` on, 1, 2,
    // 4 or 8; NULL: the matrix is read as it is stored.
    enum lcl_status (*multiply_many)(const struct lcl_spmv *S,
                                     const struct lcl_columns *v, int64_t first,
                                     int vectors);
    void (*destroy)(struct lcl_spmv *S); // S->state, may be NULL
};

struct lcl_spmv {
    const struct lcl_spmv_ops *ops;
    enum lcl_spmv_type type;
    lcl_context *ctx;
    const struct lcl_device_matrix *A; // outlives it
    int groups;                        // A->groups
    void *state;                       // the kind's own
    uint64_t bytes;                    // on the device, beside A
    uint64_t traffic;                  // bytes of A that one product reads
    char traits[64]; // of the pattern, what the kind's speed hangs on
};

extern const struct lcl_spmv_ops lcl_spmv_adaptive, lcl_spmv_binned,
    lcl_spmv_csr, lcl_spmv_sliced;

// The four kernels PREFIX_plain, PREFIX_dot, PREFIX_dot_norm, PREFIX_residual
// of a source: the spec but for `kernel`.
enum lcl_status lcl_product_kernels(lcl_kernel *out[LCL_PRODUCT_COUNT],
                                    lcl_context *ctx,
                                    const struct lcl_spec *spec,
                                    const char *prefix);

// LCL_EUNSUPPORTED, with a sentence, where S->A is stored in blocks: for
// study() of kinds for single entries, which `kind` names.
enum lcl_status lcl_refuse_blocks(const struct lcl_spmv *S, lcl_context *ctx,
                                  const char *kind);

// The two halves of lcl_spmv_init() for a type other than the default: what is
// cheap, then the rest.
enum lcl_status lcl_spmv_study(struct lcl_spmv *S, enum lcl_spmv_type type,
                               lcl_context *ctx,
                               const struct lcl_device_matrix *A);
enum lcl_status lcl_spmv_create(struct lcl_spmv *S);

void lcl_spmv_finish(struct lcl_spmv *S);

// After A's values have changed.
enum lcl_status lcl_spmv_update(struct lcl_spmv *S);

enum lcl_status lcl_multiply(const struct lcl_spmv *S, enum lcl_product product,
                             const struct lcl_operands *v);

// Y = A X, up to 8 columns in one pass over the matrix; its kernels are built
// when first asked for.
enum lcl_status lcl_multiply_many(const struct lcl_spmv *S,
                                  const struct lcl_columns *v, int64_t vectors);

// The same for columns from `first` on, by csr.cl or bsr.cl: for kinds that
// have nothing of their own.
enum lcl_status lcl_rows_multiply_many(const struct lcl_spmv *S,
                                       const struct lcl_columns *v,
                                       int64_t first, int vectors);
