// SPDX-License-Identifier: BSD-3-Clause
// The rows of a Kronecker system that belong to one rank, on the host.
#pragma once

#include <levelcl/kron.h>

// The coefficients of a rank's system, without matrices.
struct lcl_kron lcl_kron_rows_coefficients(const struct lcl_kron_rows *K);

// Checks the rows of the calling rank. Returns LCL_OK, LCL_EINVAL, LCL_EFORMAT
// or LCL_ERANGE.
enum lcl_status lcl_kron_rows_check(const struct lcl_kron_rows *K,
                                    const struct lcl_log *log);

// Hash of the sizes and both patterns.
uint64_t lcl_kron_rows_pattern(const struct lcl_kron_rows *K);

// The union of the patterns of M and L, without values. Returns LCL_OK or
// LCL_ENOMEM; *out is fit for lcl_rows_finish() in any case.
enum lcl_status lcl_kron_rows_union(struct lcl_rows *out,
                                    const struct lcl_kron_rows *K,
                                    const struct lcl_log *log);

// The blocks of a rank's rows in its own columns, which are consecutive in each
// row: those of row i start at block start[i] of the rank's rows.
struct lcl_own_blocks {
    struct lcl_bsr A;
    int64_t *start;
};

// Creates the blocks without values. Returns LCL_OK or LCL_ENOMEM; *own is fit
// for lcl_own_blocks_finish() in any case.
enum lcl_status lcl_own_blocks_init(struct lcl_own_blocks *own,
                                    const struct lcl_rows *R, int block_size,
                                    const struct lcl_log *log);
void lcl_own_blocks_finish(struct lcl_own_blocks *own);

// Copies the values of these blocks from those of the rows.
void lcl_own_blocks_fill(struct lcl_own_blocks *own, const double *val);
