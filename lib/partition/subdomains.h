// SPDX-License-Identifier: BSD-3-Clause
// Subdomains: the rows of a matrix, distributed over parts that may overlap.
#pragma once

#include "host/buffer.h"

#include <levelcl/precond.h>

#include <stdbool.h>
#include <stdint.h>

// Part p has the rows row[part_ptr[p]] .. row[part_ptr[p+1]-1] of a matrix with
// n rows. A row may be in several parts and is owned by exactly one of them.
// Positions in `row` number the rows of all subdomains: the extended rows.
struct lcl_subdomains {
    int64_t n;
    int64_t parts;
    int64_t *part_ptr;            // parts + 1
    int32_t *row;                 // part_ptr[parts]; NULL: only on the device
    lcl_buffer *device;           // the same; NULL: only on the host
    uint8_t *owned;               // 1 or 0 for each extended row; NULL: all 1
    int64_t aggregates;           // of the tree of matchings
    int32_t *aggregate;           // parts, ascending; NULL: there is no tree
    enum lcl_partition_type type; // how they were made
    bool weighted;                // METIS or MATCH used edge weights
};

// Allocates n rows in `parts` parts, none of which repeats. Returns LCL_OK or
// LCL_ENOMEM; part_ptr is all zero on success.
enum lcl_status lcl_subdomains_allocate(struct lcl_subdomains *P, int64_t n,
                                        int64_t parts,
                                        const struct lcl_log *log);
void lcl_subdomains_finish(struct lcl_subdomains *P);

// Makes P->row if it is only on the device.
enum lcl_status lcl_subdomains_download(struct lcl_subdomains *P,
                                        const struct lcl_log *log);

// Number of extended rows.
static inline int64_t lcl_subdomains_rows(const struct lcl_subdomains *P)
{
    return P->part_ptr[P->parts];
}
