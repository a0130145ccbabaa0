// SPDX-License-Identifier: BSD-3-Clause
// The packed-level layout of the factors of all subdomains (cl/factor.cl.h),
// made once for a pattern.
#pragma once

#include <levelcl/matrix.h>

#include <stdint.h>

#include "cl/factor.cl.h"

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
    int sweep_entries;            // entries a row of the longest sweep
};

// Subdomain p holds rows part_ptr[p] .. part_ptr[p+1]-1 of B, whose entries
// outside it are ignored. Inside a subdomain rows are sorted by `level`. A step
// has at most `group` rows; with group 1 every row is a step. The slots end
// with 8 * group that nobody uses, so that a kernel may read ahead. Returns
// LCL_OK, LCL_ERANGE (over 65,535 rows or 2^31 entries in a subdomain) or
// LCL_ENOMEM; *L is then all zero.
enum lcl_status lcl_layout_init(struct lcl_layout *L, const struct lcl_csr *B,
                                const int64_t *part_ptr, int64_t parts,
                                const int32_t *level, int group,
                                const struct lcl_log *log);
void lcl_layout_finish(struct lcl_layout *L);
