// SPDX-License-Identifier: BSD-3-Clause
// The factors of all subdomains on the device.
#pragma once

#include "host/buffer.h"
#include "host/program.h"
#include "lib/factor/layout.h"

#include <levelcl/precond.h>

struct lcl_factor {
    lcl_context *ctx;
    enum lcl_pivot pivot;
    double pivot_tol;
    bool positive;                   // pivots have to be: IC(0) of scalars
    enum lcl_factor_storage storage; // never DEFAULT
    bool falls_back; // to fp64 where values would lose their meaning
    int block; // rows and columns of an entry; rows and slots count blocks
    int64_t n, parts, slots, rows_max, sweeps_max;
    int sweep_entries, lanes; // of its sweeps, lib/factor/layout.h
    int planes_max;
    int group;
    lcl_kernel *kernel, *store_kernel;
    // Read by whoever applies the factor.
    lcl_buffer *part, *step, *sweep, *col;
    lcl_buffer *val;    // fp64; NULL where `stored` is made without
    lcl_buffer *stored; // the values in another form (lib/factor/store.h) or
                        // NULL
    // Used by the factorisation alone.
    lcl_buffer *step_of, *source, *diagonal, *shift, *repaired, *bad;
    lcl_buffer
        *pair; // of a pattern without triangles (cl/factor/dilu.cl) or NULL
    lcl_buffer *inv_d;  // NULL where the kernel needs none
    lcl_buffer *counts; // 3 int32: pivots repaired, and the values that lose
                        // their meaning as they are stored, low half first
    int32_t *small;     // parts: pivots repaired
    double *shifts;     // parts
    bool shifted;       // `shift` is not all zero
};
