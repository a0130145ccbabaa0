// SPDX-License-Identifier: BSD-3-Clause
// What each subdomain is coupled to, listed on the device: the first half of
// finding a coarse pattern.
#pragma once

#include "lib/multilevel/runs.h"

#include "host/program.h"

#include "cl/multilevel/coarse.cl.h"

#include <assert.h>

static_assert(sizeof(struct lcl_coarse_part) == 24, "as the device sees it");
static_assert(sizeof(struct lcl_coarse_pair) == 16, "as the device sees it");

enum { LCL_SURVEY_KERNELS = 6 };

// Pair k is what a subdomain and an aggregate share: runs of blocks whose rows
// are in the one and whose columns are in the other. Subdomain p has the pairs
// pair[part[p].pair + e], e < part[p].pairs, that with its own aggregate first.
struct lcl_coarse_survey {
    lcl_context *ctx;
    const struct lcl_device_matrix *B;
    struct lcl_coarse_pattern *C; // takes subdomains and runs
    lcl_kernel *kernels[LCL_SURVEY_KERNELS];
    lcl_buffer *label, *leave_ptr, *parts, *keys, *pairs;
    int64_t leaving, pair_count;
    // on the host
    int32_t *part_agg; // the caller's to change between runs
    struct lcl_coarse_part *part;
    struct lcl_coarse_pair *pair;
};

// ctx, B and C, with its sizes, are set, all else is zero. Each subdomain is an
// aggregate. Statuses as lcl_coarse_pattern_init(); on error *s is fit for
// lcl_coarse_survey_finish(), which leaves C alone.
enum lcl_status lcl_coarse_survey_init(struct lcl_coarse_survey *s,
                                       const int64_t *part_ptr);
void lcl_coarse_survey_finish(struct lcl_coarse_survey *s);

// Runs and pairs for the aggregates that are in part_agg.
enum lcl_status lcl_coarse_survey_run(struct lcl_coarse_survey *s);

// Enqueues what makes C->order, the runs of pair k beginning at place[k] of it.
enum lcl_status lcl_coarse_survey_order(const struct lcl_coarse_survey *s,
                                        const lcl_buffer *place);

// A kernel of cl/multilevel/coarse_pattern.cl.
struct lcl_spec lcl_coarse_pattern_spec(lcl_context *ctx, const char *kernel);
