// SPDX-License-Identifier: BSD-3-Clause
// The packed-level layout of the factors of all subdomains
// (cl/factor/factor.cl.h), made once for a pattern.
#pragma once

#include "host/buffer.h"

#include <stdbool.h>
#include <stdint.h>

#include "cl/factor/factor.cl.h"

struct lcl_layout {
    int64_t n, parts, steps, sweeps, slots;
    struct lcl_part *part;
    struct lcl_step *step;
    struct lcl_sweep *sweep;
    uint16_t *col;     // slots
    int32_t *source;   // slots: entry, from the subdomain's first; -1: none
    uint16_t *step_of; // n: step of a row, from the subdomain's first
    int32_t *diagonal; // n: entry, from the subdomain's first; -1: missing
    int64_t rows_max, sweeps_max; // of one subdomain
    int sweep_entries;            // entries of a lane in the longest sweep
    int lanes; // at most, in sweeps whose rows are shared; 1: none are
};

void lcl_layout_finish(struct lcl_layout *L);

// Entries of a lane in a sweep at most, where `n` rows have so many entries off
// the diagonal in their subdomains: few where rows are short, since a kernel
// has registers for as many in each sweep.
static inline int lcl_sweep_limit(int64_t entries, int64_t n)
{
    return entries <= 6 * n ? 3 : 7;
}

// Whether it pays that lanes share rows: kernels for it do more in each sweep.
static inline bool lcl_sharing_pays(int64_t sweeps, int64_t without)
{
    return 8 * sweeps <= 7 * without;
}

// The same on the device; what the host knows of it is in `subdomain`.
struct lcl_device_layout {
    int64_t n, nnz, parts, steps, sweeps, slots;
    struct lcl_part *subdomain; // parts, as in `part`
    lcl_buffer *part, *step, *sweep, *col, *source, *step_of, *diagonal;
    // slots: cl/factor/dilu.cl; NULL unless rows are short and without
    // triangles
    lcl_buffer *pair;
    int64_t rows_max, sweeps_max;
    int sweep_entries, lanes;
    int planes_max; // entries of the longest row of L or U
};

void lcl_device_layout_finish(struct lcl_device_layout *D);

// A copy for host code that goes through rows, steps and slots: it will not
// leave the arrays. Returns LCL_OK, LCL_ESELFTEST (it would: the device is
// wrong), LCL_EDEVICE or LCL_ENOMEM; *L is then all zero.
enum lcl_status lcl_layout_download(struct lcl_layout *L, lcl_context *ctx,
                                    const struct lcl_device_layout *D);
