// SPDX-License-Identifier: BSD-3-Clause
// y = (A (x) M + tau B (x) L) x on the device: one table of functions per
// method.
#pragma once

#include "lib/matrix/bsr.h"
#include "lib/operator/operator.h"

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

// FNV-1a over whole numbers, from LCL_KRON_HASH on.
#define LCL_KRON_HASH UINT64_C(14695981039346656037)
static inline uint64_t lcl_kron_hash(uint64_t h, uint64_t value)
{
    return (h ^ value) * UINT64_C(1099511628211);
}

// Hash of the sizes and both patterns.
uint64_t lcl_kron_pattern(const struct lcl_kron *K);

// Checks the number of stages, A, B and tau. Returns LCL_OK or LCL_EFORMAT.
enum lcl_status lcl_kron_check_stages(const struct lcl_kron *K,
                                      const struct lcl_log *log);

struct lcl_off_diagonal; // lib/kron/off_diagonal.h

struct lcl_kron_ops {
    struct lcl_operator_ops op;
    // Uploads the terms without values; may already set up part of the method.
    enum lcl_status (*upload)(lcl_operator *A, const struct lcl_kron *K);
    // Sets up the method, A's info and its launches from the terms. If one of
    // these two functions fails, the caller calls op.destroy().
    enum lcl_status (*complete)(lcl_operator *A);
    // Uploads the values of the terms.
    enum lcl_status (*update)(lcl_operator *A, const struct lcl_kron *K);
    void (*destroy)(void *method); // may be NULL
    // Enqueues the product of one rank of several. A has the rank's own
    // columns, `far` the other columns of M and L. NULL: the product of A is
    // followed by that of the boundary rows (lib/kron/boundary.h).
    enum lcl_status (*apply_rank)(lcl_operator *A, struct lcl_off_diagonal *far,
                                  const struct lcl_operands *v);
    // true: vectors store all stages of an unknown together; false: they keep
    // the caller's order.
    bool stages_innermost;
};

// The state of an operator created from a lcl_kron.
struct lcl_kron_operator {
    const struct lcl_kron_ops *ops;
    uint64_t pattern; // lcl_kron_pattern()
    int stages, block;
    // M and L; or, if `paired`, both as term[0] on the union of the patterns:
    // value v of M is value 2 v, value v of L is value 2 v + 1 (pairs.h).
    struct lcl_device_matrix term[2];
    bool paired;
    lcl_buffer *coef; // lcl_kron_write_coefficients()
    void *method;
};

extern const struct lcl_kron_ops lcl_kron_one_pass, lcl_kron_okp, lcl_kron_cu;

// Whether a product has `apply_rank`.
bool lcl_kron_is_published(enum lcl_kron_type type);

// The state of A, or NULL if A was not created from a lcl_kron on one device.
const struct lcl_kron_operator *lcl_kron_of(const lcl_operator *A);

// Checks new values for an operator with the given pattern. Returns as
// lcl_kron_check(); LCL_EFORMAT also for another pattern.
enum lcl_status lcl_kron_check_same(const struct lcl_kron *K, uint64_t pattern,
                                    const struct lcl_log *log);
enum lcl_status lcl_kron_refuse_pattern(const struct lcl_log *log);

// Writes 2s x s coefficients: a_ij is number j s + i, tau b_ij number (s + j) s
// + i, so that the work-items of stages i of a result read adjacent values.
enum lcl_status lcl_kron_write_coefficients(lcl_buffer *buffer,
                                            const struct lcl_kron *K);
