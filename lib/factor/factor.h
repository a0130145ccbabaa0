// SPDX-License-Identifier: BSD-3-Clause
// The factors of all subdomains on the device.
#pragma once

#include "host/buffer.h"
#include "host/program.h"
#include "lib/factor/schedule.h"

#include <levelcl/precond.h>

struct lcl_factor {
    lcl_context *ctx;
    enum lcl_pivot pivot;
    double pivot_tol, relax;
    bool definite; // pivots have the sign of the diagonal: IC(0) of scalars
    enum lcl_factor_storage storage; // never DEFAULT
    bool falls_back; // to fp64 if values are out of the range of `storage`
    uint64_t lost;   // such values, of the last factorisation
    int block; // rows and columns of an entry; rows and slots are counted in
               // blocks
    struct lcl_level_factor *levels; // lib/factor/level_ildu0.h; NULL: packed
    int64_t n, parts, slots, rows_max, stages_max;
    int stage_entries, lanes; // of its stages, lib/factor/schedule.h
    int planes_max;
    int group;
    bool team; // lanes share rows in the factorisation
    lcl_kernel *kernel, *store_kernel;
    // Read by the kernels that apply the factor.
    lcl_buffer *part, *step, *stage, *col;
    lcl_buffer *val;    // fp64; NULL if `stored` is computed without it
    lcl_buffer *stored; // values in another form (lib/factor/store.h) or NULL
    // Used by the factorisation only.
    lcl_buffer *step_of, *source, *diagonal, *shift, *repaired, *bad;
    lcl_buffer *mirror; // NULL unless dilu.cl computes the factors
    lcl_buffer *inv_d;  // NULL if the kernel does not use it
    lcl_buffer *counts; // 3 int32: number of repaired pivots, and number of
                        // values out of the range of `storage`, low half first
    int32_t *small;     // parts: repaired pivots
    double *shifts;     // parts
    bool shifted;       // `shift` is not all zero
};
