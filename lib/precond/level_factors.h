// SPDX-License-Identifier: BSD-3-Clause
// Incomplete factors of the matrix of a multigrid level: ILDU(0) on subdomains,
// with a copy of the matrix in their numbering.
#pragma once

#include "lib/precond/precond.h"

struct lcl_level_factors {
    const struct lcl_device_matrix *A;
    lcl_operator *copy;
    lcl_precond *M; // NULL: no factors
};

// Copies and analyses A, which has single entries and must outlive *F, in
// subdomains of at most `rows` rows (0: chosen for the device). Returns the
// statuses of lcl_precond_create(); *F is fit for lcl_level_factors_finish() in
// any case.
enum lcl_status lcl_level_factors_init(struct lcl_level_factors *F,
                                       lcl_context *ctx,
                                       const struct lcl_device_matrix *A,
                                       int64_t rows);
void lcl_level_factors_finish(struct lcl_level_factors *F);

// Factors the current values of A; repairs pivots without a message.
enum lcl_status lcl_level_factors_update(const struct lcl_level_factors *F);
uint64_t lcl_level_factors_bytes(const struct lcl_level_factors *F);
