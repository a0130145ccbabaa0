// SPDX-License-Identifier: BSD-3-Clause
// Lists the couplings of each subdomain on the device: the first half of
// finding a coarse pattern.
#pragma once

#include "lib/multilevel/runs.h"

#include "host/program.h"

#include "cl/multilevel/coarse.cl.h"

#include <assert.h>

static_assert(sizeof(struct lcl_coarse_part) == 24, "shared with kernels");
static_assert(sizeof(struct lcl_coarse_pair) == 16, "shared with kernels");

enum { LCL_SURVEY_KERNELS = 6 };

// Pair k is a subdomain and an aggregate that share runs of blocks: rows in the
// former, columns in the latter. Subdomain p has the pairs pair[part[p].pair +
// e], e < part[p].pairs, the pair with its own aggregate first.
struct lcl_coarse_survey {
    lcl_context *ctx;
    const struct lcl_device_matrix *B;
    struct lcl_coarse_pattern *C; // receives subdomains and runs
    lcl_kernel *kernels[LCL_SURVEY_KERNELS];
    lcl_buffer *label, *leave_ptr, *parts, *keys, *pairs;
    int64_t leaving, pair_count;
    // on the host
    int32_t *part_agg; // the caller may change it between runs
    struct lcl_coarse_part *part;
    struct lcl_coarse_pair *pair;
};

// The caller sets ctx, B and C, with C's sizes; all else is zero. Each
// subdomain starts as its own aggregate. Statuses as lcl_coarse_pattern_init();
// on error *s is fit for lcl_coarse_survey_finish(), which does not touch C.
enum lcl_status lcl_coarse_survey_init(struct lcl_coarse_survey *s,
                                       const int64_t *part_ptr);
void lcl_coarse_survey_finish(struct lcl_coarse_survey *s);

// Computes runs and pairs for the aggregates in part_agg.
enum lcl_status lcl_coarse_survey_run(struct lcl_coarse_survey *s);

// Enqueues the kernels that make C->order; the runs of pair k start at position
// place[k] of it.
enum lcl_status lcl_coarse_survey_order(const struct lcl_coarse_survey *s,
                                        const lcl_buffer *place);

// Build options of a kernel of cl/multilevel/coarse.cl or coarse_pattern.cl,
// without blocks.
struct lcl_spec lcl_coarse_spec(lcl_context *ctx, const char *source,
                                const char *kernel);

// Groups of the kernel with one work-item per row.
int64_t lcl_coarse_row_groups(const lcl_context *ctx, int64_t rows);
