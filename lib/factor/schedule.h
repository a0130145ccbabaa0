// SPDX-License-Identifier: BSD-3-Clause
// The schedule of the factors of all subdomains: their packed levels
// (cl/factor/factor.cl.h), computed once per pattern.
#pragma once

#include "host/buffer.h"

#include <stdbool.h>
#include <stdint.h>

#include "cl/factor/factor.cl.h"

struct lcl_host_schedule {
    int64_t n, parts, steps, stages, slots;
    struct lcl_part *part;
    struct lcl_step *step;
    struct lcl_stage *stage;
    uint16_t *col;      // slots
    uint32_t *source;   // slots: an entry of A, LCL_FILL or LCL_PADDING
    uint32_t *diagonal; // n: likewise
    uint16_t *step_of;  // n: step of a row, relative to the subdomain's first
    int64_t rows_max, stages_max; // maxima over the subdomains
    int stage_entries;            // entries per lane in the longest stage
    int lanes; // at most, in stages with shared rows; 1: no row is shared
};

void lcl_host_schedule_finish(struct lcl_host_schedule *L);

// Maximum number of entries per lane in a stage, for `n` rows with `entries`
// off-diagonal entries inside their subdomains. It is small if rows are short,
// since a kernel reserves registers for that many entries in each stage.
static inline int lcl_stage_limit(int64_t entries, int64_t n)
{
    return entries <= 6 * n ? 3 : 7;
}

// Whether sharing rows between lanes pays off: kernels that support it do more
// work in each stage.
static inline bool lcl_sharing_pays(int64_t stages, int64_t without)
{
    return 8 * stages <= 7 * without;
}

// The same on the device; `subdomain` holds the host's copy of the parts.
struct lcl_schedule {
    int64_t n, parts, steps, stages, slots;
    int64_t entries;            // of A, for sources
    struct lcl_part *subdomain; // parts, as in `part`
    lcl_buffer *part, *step, *stage, *col, *source, *step_of, *diagonal;
    // slots: cl/factor/dilu.cl; NULL unless rows are short and the pattern is
    // triangle-free
    lcl_buffer *mirror;
    int64_t rows_max, stages_max;
    int stage_entries, lanes;
    int planes_max; // entries of the longest row of L or U
};

void lcl_schedule_finish(struct lcl_schedule *D);

// Downloads a copy for host code that walks rows, steps and slots, and checks
// that its indices stay within the arrays. Returns LCL_OK, LCL_ESELFTEST (they
// do not: the device is faulty), LCL_EDEVICE or LCL_ENOMEM; on error *L is all
// zero.
enum lcl_status lcl_schedule_download(struct lcl_host_schedule *L,
                                      lcl_context *ctx,
                                      const struct lcl_schedule *D);
