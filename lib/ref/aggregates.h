// SPDX-License-Identifier: BSD-3-Clause
// Reference of strong couplings and aggregates (lib/multilevel/strength.h,
// aggregates.h).
#pragma once

#include <levelcl/matrix.h>

#include <stdbool.h>

struct lcl_ref_strength {
    uint8_t *strong;       // nnz
    double *inv_diag;      // rows
    int32_t *strong_count; // rows
};

// A is square. Both return LCL_OK or LCL_ENOMEM, with all pointers NULL.
enum lcl_status lcl_ref_strength_init(struct lcl_ref_strength *S,
                                      const struct lcl_csr *A, double theta,
                                      bool both);
void lcl_ref_strength_finish(struct lcl_ref_strength *S);

struct lcl_ref_aggregates {
    int64_t aggregates;
    int32_t *aggregate; // rows
    // rows: 1 or 2, the set that a row is a root of; otherwise 0
    uint8_t *root;
};

enum lcl_status lcl_ref_aggregates_init(struct lcl_ref_aggregates *G,
                                        const struct lcl_csr *A,
                                        const struct lcl_ref_strength *S,
                                        int second);
void lcl_ref_aggregates_finish(struct lcl_ref_aggregates *G);

// The sum of a row whose entry at position k is part k % AGGREGATE_SUMS of
// `part`, as cl/multilevel/row_team.cl.h adds it up; overwrites the parts.
double lcl_ref_row_sum(double *part);
