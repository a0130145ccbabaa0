// SPDX-License-Identifier: BSD-3-Clause
// The pattern that is factored: that of A, or one with rows that repeat and
// with fill.
#pragma once

#include "lib/storage/matrix.h"

// A pattern on the device. Its rows and columns are those of A if `source` is
// NULL, and the extended rows of the subdomains otherwise; then both ends of
// every entry are in the same part.
struct lcl_pattern {
    int64_t rows, nnz;
    int64_t entries;     // of A
    lcl_buffer *row_ptr; // rows + 1, uint32
    lcl_buffer *col;     // nnz, int32
    lcl_buffer *source;  // nnz, uint32: an entry of A, or LCL_FILL; NULL: entry
                         // k is entry k of A
};

// The pattern of A (of its blocks). It keeps no buffer: A must outlive it, and
// it must not be finished.
struct lcl_pattern lcl_pattern_of(const struct lcl_device_matrix *A);

// The same on the host; columns of a row ascend.
struct lcl_host_pattern {
    int64_t rows, nnz, entries;
    int64_t *row_ptr; // rows + 1
    int32_t *col;
    uint32_t *source;
    int64_t capacity; // of col and source
    int64_t most;     // entries; 0: LCL_NARROW_MOST
};

struct lcl_limit; // host/limit.h

// Limits at which the search for fill ends early.
struct lcl_fill_limit {
    int64_t most;                 // entries, as above
    const struct lcl_limit *time; // NULL: none
};

// Makes space for `more` entries after the first H->nnz. Returns LCL_OK,
// LCL_EUNSUPPORTED (over LCL_NARROW_MOST entries in all), LCL_EDEVMEM (over
// H->most) or LCL_ENOMEM; H stays
// fit for lcl_host_pattern_finish().
enum lcl_status lcl_host_pattern_reserve(struct lcl_host_pattern *H,
                                         int64_t more,
                                         const struct lcl_log *log);
// The status of a pattern with too many entries, and its message.
enum lcl_status lcl_host_pattern_refuse(const struct lcl_host_pattern *H,
                                        const struct lcl_log *log);
// Number of rows without a diagonal.
int64_t lcl_host_pattern_missing(const struct lcl_host_pattern *H);

// Adds the diagonals that H lacks, from LCL_FILL. Statuses as
// lcl_host_pattern_reserve().
enum lcl_status lcl_host_pattern_add_diagonal(struct lcl_host_pattern *H,
                                              const struct lcl_log *log);
void lcl_host_pattern_finish(struct lcl_host_pattern *H);

// Uploads H. Returns LCL_OK, LCL_EDEVMEM, LCL_EDEVICE or LCL_ENOMEM; on error
// *P is all zero.
enum lcl_status lcl_pattern_upload(struct lcl_pattern *P, lcl_context *ctx,
                                   const struct lcl_host_pattern *H);
void lcl_pattern_finish(struct lcl_pattern *P);
