// SPDX-License-Identifier: BSD-3-Clause
// Subdomains: the rows of a matrix, distributed over parts.
#pragma once

#include <levelcl/matrix.h>

#include <stdbool.h>

// Part p has the rows row[part_ptr[p]] .. row[part_ptr[p+1]-1] of a matrix with
// n rows. Positions in `row` are the rows of the subdomains' own numbering.
struct lcl_subdomains {
    int64_t n;
    int64_t parts;
    int64_t *part_ptr; // parts + 1
    int32_t *row;      // part_ptr[parts]
    bool weighted;     // METIS used edge weights
};

// Allocates n rows in `parts` parts. Returns LCL_OK or LCL_ENOMEM; part_ptr is
// all zero on success.
enum lcl_status lcl_subdomains_allocate(struct lcl_subdomains *P, int64_t n,
                                        int64_t parts,
                                        const struct lcl_log *log);
void lcl_subdomains_finish(struct lcl_subdomains *P);
