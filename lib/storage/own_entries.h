// SPDX-License-Identifier: BSD-3-Clause
// The entries of a rank's rows in the rank's own columns: a matrix that the
// host never stores as a whole, but writes piece by piece to memory that the
// device reads.
#pragma once

#include "lib/storage/halo_plan.h"
#include "lib/storage/matrix.h"

// The rows of the plan. lcl_fill_own_values() reads only their `val`, which may
// be new.
struct lcl_own_entries {
    const struct lcl_halo_plan *plan;
    struct lcl_view rows;
};

// For lcl_buffer_fill_by() with a struct lcl_own_entries: row pointers of 32
// and 64 bits, columns from 0, values.
void lcl_fill_own_row_ptr(void *arg, int64_t first, int64_t count, void *to);
void lcl_fill_own_wide_row_ptr(void *arg, int64_t first, int64_t count,
                               void *to);
void lcl_fill_own_columns(void *arg, int64_t first, int64_t count, void *to);
void lcl_fill_own_values(void *arg, int64_t first, int64_t count, void *to);

// Uploads the matrix. Statuses as lcl_buffer_create(); on error *D is finished.
enum lcl_status lcl_own_matrix_init(struct lcl_device_matrix *D,
                                    lcl_context *ctx,
                                    const struct lcl_own_entries *own);
