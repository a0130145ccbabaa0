// SPDX-License-Identifier: BSD-3-Clause
// Reference of the coarse pattern: the entries of A that form W = A Z and E =
// Z^T A Z (cl/multilevel/coarse.cl), computed once per pattern.
#pragma once

#include "lib/partition/subdomains.h"

#include <levelcl/matrix.h>

// Rows and columns are block rows and block columns. Run k consists of the
// blocks run_first[k] .. run_first[k+1]-1 of A, all in one row and with columns
// in one aggregate; row i has the runs run_ptr[i] .. run_ptr[i+1]-1. order[]
// lists the runs by the aggregate of their columns, then by that of their row.
// Elements entry_ptr[m] .. entry_ptr[m+1]-1 of order[] are the runs of entry m
// of E, elements col_ptr[q] .. col_ptr[q+1]-1 those of column q of E.
struct lcl_ref_coarse_pattern {
    int64_t n, parts, aggregates, runs, entries;
    int32_t *part_ptr;   // parts + 1
    int32_t *part_agg;   // parts: aggregate of a subdomain
    int32_t *agg_ptr;    // aggregates + 1
    int32_t *agg_parts;  // parts: subdomains of an aggregate, ascending
    uint32_t *run_ptr;   // n + 1
    uint32_t *run_first; // runs + 1
    int32_t *run_agg;    // runs: aggregate of the columns
    int32_t *run_row;    // runs
    uint32_t *order;     // runs
    uint32_t *entry_ptr; // entries + 1
    int32_t *entry_row;  // entries: aggregates of row and column
    int32_t *entry_col;
    uint32_t *col_ptr; // aggregates + 1
};

// B is numbered by P; its values are not read. Makes at most `most` aggregates:
// those of P, if they are not more, or of strongly coupled subdomains. Returns
// LCL_OK, LCL_ERANGE (2^32 entries or more) or LCL_ENOMEM; *C is then all zero.
enum lcl_status lcl_ref_coarse_pattern_init(struct lcl_ref_coarse_pattern *C,
                                            const struct lcl_csr *B,
                                            const struct lcl_subdomains *P,
                                            int64_t most,
                                            const struct lcl_log *log);
void lcl_ref_coarse_pattern_finish(struct lcl_ref_coarse_pattern *C);
