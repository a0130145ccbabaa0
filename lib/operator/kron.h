// SPDX-License-Identifier: BSD-3-Clause
// y = (A (x) M + tau B (x) L) x on the device, as the product of a system: one
// table of functions per method.
#pragma once

#include "lib/matrix/bsr.h"
#include "lib/operator/system.h"

#include <levelcl/kron.h>

// Number of rows of all stages.
static inline int64_t lcl_kron_rows(const struct lcl_kron *K)
{
    return K->stages * K->M->rows * K->M->block_size;
}

// Number of values of M and L together.
static inline int64_t lcl_kron_entries(const struct lcl_kron *K)
{
    return (K->M->nnz + K->L->nnz) * lcl_block_values(K->M);
}

// Hash of the sizes and both patterns.
uint64_t lcl_kron_pattern(const struct lcl_kron *K);

struct lcl_kron_ops {
    struct lcl_spmv_ops product; // of a struct lcl_spmv whose state is P
    // Sets up S->state, S->bytes and S->traffic, without values. On error the
    // caller calls product.destroy().
    enum lcl_status (*create)(struct lcl_spmv *S, const struct lcl_kron *K);
    // Uploads values and coefficients.
    enum lcl_status (*update)(struct lcl_spmv *S, const struct lcl_kron *K);
    // true: vectors of the system store all stages of an unknown together;
    // false: they keep the caller's order.
    bool stages_innermost;
};

extern const struct lcl_kron_ops lcl_kron_one_pass, lcl_kron_okp, lcl_kron_cu;

const struct lcl_kron_ops *lcl_kron_ops_of(enum lcl_kron_type type);

// Creates a system whose product is the Kronecker operator, with its values. K
// must have been checked. *S is fit for lcl_system_finish() in any case.
enum lcl_status lcl_kron_system_init(struct lcl_system *S, lcl_context *ctx,
                                     const struct lcl_kron *K,
                                     enum lcl_kron_type type);

// Takes new values; K must have been checked and have the same pattern.
enum lcl_status lcl_kron_system_update(struct lcl_system *S,
                                       const struct lcl_kron *K);

// Common start of both updates: checks K and that its pattern is `pattern`.
enum lcl_status lcl_kron_check_same(const struct lcl_kron *K, uint64_t pattern,
                                    const struct lcl_log *log);

// Writes 2s x s coefficients: a_ij is number j s + i, tau b_ij number (s + j) s
// + i, so that the work-items of stages i of a result read adjacent values.
enum lcl_status lcl_kron_write_coefficients(lcl_buffer *buffer,
                                            const struct lcl_kron *K);
