// SPDX-License-Identifier: BSD-3-Clause
// y = (A (x) M + tau B (x) L) x on the device: one table of functions a way to
// do it, behind the product of a system.
#pragma once

#include "lib/matrix/bsr.h"
#include "lib/operator/system.h"

#include <levelcl/kron.h>

// Rows of all stages.
static inline int64_t lcl_kron_rows(const struct lcl_kron *K)
{
    return K->stages * K->M->rows * K->M->block_size;
}

// Values of M and of L.
static inline int64_t lcl_kron_entries(const struct lcl_kron *K)
{
    return (K->M->nnz + K->L->nnz) * lcl_block_values(K->M);
}

// Equal, in all likelihood, only where sizes and both patterns are.
uint64_t lcl_kron_pattern(const struct lcl_kron *K);

struct lcl_kron_ops {
    struct lcl_spmv_ops product; // of a struct lcl_spmv whose state is P
    // Sets up S->state, S->bytes and S->traffic, without values. On error the
    // caller calls product.destroy().
    enum lcl_status (*create)(struct lcl_spmv *S, const struct lcl_kron *K);
    // Uploads values and coefficients.
    enum lcl_status (*update)(struct lcl_spmv *S, const struct lcl_kron *K);
    // Vectors of the system have all stages of an unknown together; else they
    // are as the caller has them.
    bool stages_innermost;
};

extern const struct lcl_kron_ops lcl_kron_one_pass, lcl_kron_okp, lcl_kron_cu;

const struct lcl_kron_ops *lcl_kron_ops_of(enum lcl_kron_type type);

// A system whose product is the Kronecker operator, its values given. K is
// sound. On error *S is fit for lcl_system_finish(), as on success.
enum lcl_status lcl_kron_system_init(struct lcl_system *S, lcl_context *ctx,
                                     const struct lcl_kron *K,
                                     enum lcl_kron_type type);

// New values; K is sound and of the same pattern.
enum lcl_status lcl_kron_system_update(struct lcl_system *S,
                                       const struct lcl_kron *K);

// What both updates begin with: K is sound and its pattern the one given.
enum lcl_status lcl_kron_check_same(const struct lcl_kron *K, uint64_t pattern,
                                    const struct lcl_log *log);

// 2s x s coefficients: a_ij is number j s + i, tau b_ij number (s + j) s + i,
// so that stages i of a result read neighbours.
enum lcl_status lcl_kron_write_coefficients(lcl_buffer *buffer,
                                            const struct lcl_kron *K);
