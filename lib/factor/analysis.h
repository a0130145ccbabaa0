// SPDX-License-Identifier: BSD-3-Clause
// State of an analysis in progress, shared by the files that implement it.
#pragma once

#include "host/program.h"
#include "lib/factor/symbolic.h"

#include "cl/factor/symbolic.cl.h"

enum lcl_analysis_kernel {
    LCL_ANALYSIS_INVERT,
    LCL_ANALYSIS_CENSUS,
    LCL_ANALYSIS_LEVELS,
    LCL_ANALYSIS_REVERSE,
    LCL_ANALYSIS_FOLD,
    LCL_ANALYSIS_ORDER,
    LCL_ANALYSIS_ROW_POINTERS,
    LCL_ANALYSIS_REORDER_ROWS,
    LCL_ANALYSIS_SORT_LONG,
    LCL_ANALYSIS_STEPS,
    LCL_ANALYSIS_PLACES,
    LCL_ANALYSIS_STAGES,
    LCL_ANALYSIS_FILL,
    LCL_ANALYSIS_FIND_MIRRORS,
    LCL_ANALYSIS_KERNELS,
};

// State of an analysis in progress, apart from its results.
struct lcl_analysis {
    lcl_context *ctx;
    const struct lcl_device_matrix *A;
    const struct lcl_partition *P;
    struct lcl_symbolic_params params;
    struct lcl_symbolic *S;
    lcl_kernel *kernels[LCL_ANALYSIS_KERNELS];
    int groups; // work-groups of a kernel over all rows
    lcl_buffer *part_ptr, *inverse, *sides, *start;
    lcl_buffer *census, *extent;
    lcl_buffer *long_rows, *long_count;
    lcl_buffer *first_stage;
    int32_t long_rows_count;
    int stage_limit; // lcl_stage_limit()
};

static inline int64_t lcl_analysis_rows(const struct lcl_analysis *a, int64_t p)
{
    return a->P->part_ptr[p + 1] - a->P->part_ptr[p];
}

static inline int64_t lcl_analysis_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

// Reads back the census: the places of subdomains except for slots and stages,
// the dropped entries, the long rows. Statuses as lcl_symbolic_init().
enum lcl_status lcl_analysis_read_census(struct lcl_analysis *a);

// Assigns slots and stages to a subdomain, after those of the preceding ones.
// Returns LCL_OK or LCL_ERANGE.
enum lcl_status lcl_analysis_place_slots(struct lcl_analysis *a,
                                         struct lcl_part *part,
                                         const struct lcl_extent *E);

// Makes the layout of the factors, after the census and the reordering.
enum lcl_status lcl_analysis_lay_out(struct lcl_analysis *a);
