// SPDX-License-Identifier: BSD-3-Clause
// State of a symbolic phase in progress, shared by the files that implement it.
#pragma once

#include "host/program.h"
#include "lib/factor/symbolic.h"

#include "cl/factor/symbolic.cl.h"

enum lcl_symbolic_kernel {
    LCL_SYMBOLIC_INVERT,
    LCL_SYMBOLIC_CENSUS,
    LCL_SYMBOLIC_LEVELS,
    LCL_SYMBOLIC_REVERSE,
    LCL_SYMBOLIC_FOLD,
    LCL_SYMBOLIC_ORDER,
    LCL_SYMBOLIC_ROW_POINTERS,
    LCL_SYMBOLIC_REORDER_ROWS,
    LCL_SYMBOLIC_SORT_LONG,
    LCL_SYMBOLIC_STEPS,
    LCL_SYMBOLIC_PLACES,
    LCL_SYMBOLIC_STAGES,
    LCL_SYMBOLIC_SLOTS,
    LCL_SYMBOLIC_FIND_MIRRORS,
    LCL_SYMBOLIC_KERNELS,
};

// State of a symbolic phase in progress, apart from its results.
struct lcl_symbolic_phase {
    lcl_context *ctx;
    const struct lcl_pattern *pattern;
    const struct lcl_subdomains *P;
    const lcl_buffer *val; // NULL: no weights
    struct lcl_symbolic_params params;
    struct lcl_symbolic *S;
    lcl_kernel *kernels[LCL_SYMBOLIC_KERNELS];
    int groups; // work-groups of a kernel over all rows
    lcl_buffer *part_ptr, *inverse, *sides, *start;
    lcl_buffer *census, *extent;
    lcl_buffer *long_rows, *long_count;
    lcl_buffer *first_stage;
    lcl_buffer *room; // keys of rows in global memory; NULL: in local memory
    int32_t long_rows_count;
    int stage_limit; // lcl_stage_limit()
};

static inline int64_t lcl_symbolic_rows(const struct lcl_symbolic_phase *phase,
                                        int64_t p)
{
    return phase->P->part_ptr[p + 1] - phase->P->part_ptr[p];
}

// Reads back the census: the places of subdomains except for slots and stages,
// the dropped entries, the long rows. Statuses as lcl_symbolic_init().
enum lcl_status lcl_symbolic_read_census(struct lcl_symbolic_phase *phase);

// Assigns slots and stages to a subdomain, after the slots and stages of the
// preceding subdomains. Returns LCL_OK or LCL_ERANGE.
enum lcl_status lcl_symbolic_place_slots(struct lcl_symbolic_phase *phase,
                                         struct lcl_part *part,
                                         const struct lcl_extent *E);

// Makes the schedule of the factors, after the census and the reordering.
enum lcl_status lcl_symbolic_schedule(struct lcl_symbolic_phase *phase);
