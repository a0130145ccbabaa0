// SPDX-License-Identifier: BSD-3-Clause
// y = A x with a matrix on the device, with optional dot products: one table of
// functions per type of product.
#pragma once

#include "lib/operator/operator.h"

// Products have kernels for the modes below this one.
enum { LCL_PRODUCT_MODES = LCL_APPLY_ADD };

struct lcl_spmv;

// New values of a matrix: entry (or block) k has the values of entry map[k] of
// `val`, or of entry k without a map. `val` may be a selected part of a buffer.
struct lcl_new_values {
    const lcl_buffer *val, *map; // map: uint32, or NULL
    lcl_buffer *bad;             // int32; set unless all are finite
};

struct lcl_spmv_ops {
    // Inspects the pattern of S->A, cheaply, before create(): fills S->traits.
    // Returns LCL_EUNSUPPORTED if the type does not suit it. NULL: the type
    // suits any matrix.
    enum lcl_status (*study)(struct lcl_spmv *S, lcl_context *ctx);
    // Sets up S->state from the pattern of S->A. On error the caller calls
    // destroy().
    enum lcl_status (*create)(struct lcl_spmv *S, lcl_context *ctx);
    // Converts the values of S->A; NULL if the kernels read S->A directly.
    enum lcl_status (*update)(struct lcl_spmv *S);
    // Writes new values to S->A and converts them as update() does. NULL: there
    // is no kernel for both.
    enum lcl_status (*update_from)(struct lcl_spmv *S,
                                   const struct lcl_new_values *val);
    // Enqueues one product with S->groups partial sums of each kind.
    enum lcl_status (*multiply)(const struct lcl_spmv *S, enum lcl_mode mode,
                                const struct lcl_operands *v);
    // Enqueues Y = A X for `vectors` columns (1, 2, 4 or 8) from column `first`
    // on. NULL: lcl_rows_multiply_many() does it on the matrix as stored.
    enum lcl_status (*multiply_many)(const struct lcl_spmv *S,
                                     const struct lcl_columns *v, int64_t first,
                                     int vectors);
    void (*destroy)(struct lcl_spmv *S); // frees S->state, which may be NULL
};

struct lcl_spmv {
    const struct lcl_spmv_ops *ops;
    enum lcl_spmv_type type;
    lcl_context *ctx;
    const struct lcl_device_matrix *A; // must outlive this struct
    int groups;                        // A->groups
    void *state;                       // of the type
    uint64_t bytes;                    // on the device, in addition to A
    uint64_t traffic;                  // bytes of A that one product reads
    char traits[64]; // properties of the pattern that determine the speed of
                     // the type
};

extern const struct lcl_spmv_ops lcl_spmv_adaptive, lcl_spmv_binned,
    lcl_spmv_csr, lcl_spmv_hec, lcl_spmv_sliced;

// Gets the four kernels PREFIX_plain, PREFIX_dot, PREFIX_dot_norm,
// PREFIX_residual of a source; `spec` supplies all but `kernel`.
enum lcl_status lcl_product_kernels(lcl_kernel *out[LCL_PRODUCT_MODES],
                                    lcl_context *ctx,
                                    const struct lcl_spec *spec,
                                    const char *prefix);

// Whether a type supports single entries only. Blocks that the caller has not
// declared then are not formed.
bool lcl_spmv_needs_entries(enum lcl_spmv_type type);

// Returns LCL_EUNSUPPORTED with a message if S->A is stored in blocks; for
// study() of types that support scalar entries only. `kind` names the type.
enum lcl_status lcl_refuse_blocks(const struct lcl_spmv *S, lcl_context *ctx,
                                  const char *kind);

// The two halves of lcl_spmv_init() for a type other than the default. Study
// checks applicability and cost; create allocates and converts.
enum lcl_status lcl_spmv_study(struct lcl_spmv *S, enum lcl_spmv_type type,
                               lcl_context *ctx,
                               const struct lcl_device_matrix *A);
enum lcl_status lcl_spmv_create(struct lcl_spmv *S);

void lcl_spmv_finish(struct lcl_spmv *S);

// Call after A's values have changed.
enum lcl_status lcl_spmv_update(struct lcl_spmv *S);

enum lcl_status lcl_multiply(const struct lcl_spmv *S, enum lcl_mode mode,
                             const struct lcl_operands *v);

// Y = A X, up to 8 columns in one pass over the matrix. The kernels are built
// on first use.
enum lcl_status lcl_multiply_many(const struct lcl_spmv *S,
                                  const struct lcl_columns *v, int64_t vectors);

// multiply_many() with csr.cl or bsr.cl, for types without kernels of their
// own.
enum lcl_status lcl_rows_multiply_many(const struct lcl_spmv *S,
                                       const struct lcl_columns *v,
                                       int64_t first, int vectors);
