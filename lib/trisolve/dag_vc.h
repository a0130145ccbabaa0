// SPDX-License-Identifier: BSD-3-Clause
// The published fused apply dag_vc_ILDU0_fused on CSR factors.
#pragma once

#include "lib/factor/ildu0.h"
#include "lib/vector/vector.h"

struct lcl_dag_vc {
    const struct lcl_factor *factor;
    struct lcl_vector_ops vector;
    lcl_kernel *kernel;
    int64_t entries; // off the diagonal
    lcl_buffer *part_ptr, *first_level, *level_ptr, *row_ptr, *col, *val;
    lcl_buffer *slot; // entries: where the packed factor holds the value
};

// `level` is the level of each row, ascending within a subdomain.
enum lcl_status lcl_dag_vc_init(struct lcl_dag_vc *T, lcl_context *ctx,
                                const struct lcl_factor *factor,
                                const struct lcl_layout *layout,
                                const int32_t *level);
void lcl_dag_vc_finish(struct lcl_dag_vc *T);

// Takes the values of the factor after a factorisation.
enum lcl_status lcl_dag_vc_update(struct lcl_dag_vc *T);

// As lcl_packed_apply().
enum lcl_status lcl_dag_vc_apply(const struct lcl_dag_vc *T,
                                 const lcl_buffer *b, lcl_buffer *x,
                                 const lcl_buffer *stop, int at);
