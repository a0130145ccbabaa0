// SPDX-License-Identifier: BSD-3-Clause
// Runs of blocks that form the coarse matrix.
#pragma once

#include "lib/spmv/spmv.h"

// Rows and columns are block rows and block columns. Run k consists of the
// blocks run_first[k] .. run_first[k+1]-1 of A, all in one row and with columns
// in one aggregate; row i has the runs run_ptr[i] .. run_ptr[i+1]-1. order[]
// lists the runs by the aggregate of their columns, then by that of their row.
// Elements entry_ptr[m] .. entry_ptr[m+1]-1 of order[] are the runs of entry m
// of E, elements col_ptr[q] .. col_ptr[q+1]-1 those of column q of E.
struct lcl_coarse_pattern {
    int64_t n, parts, aggregates, runs, entries;
    lcl_buffer *part_ptr; // parts + 1, int32
    lcl_buffer *part_agg; // parts, int32: aggregate of each subdomain
    lcl_buffer *agg_ptr;  // aggregates + 1, int32
    lcl_buffer
        *agg_parts;      // parts, int32: subdomains of an aggregate, ascending
    lcl_buffer *run_ptr; // n + 1, uint32
    lcl_buffer *run_first; // runs + 1, uint32
    lcl_buffer *run_agg;   // runs, int32: aggregate of the run's columns
    lcl_buffer *run_row;   // runs, int32; NULL until find_rows()
    lcl_buffer *order;     // runs, uint32
    lcl_buffer *entry_ptr; // entries + 1, uint32
    lcl_buffer *entry_row; // entries, int32: aggregates of row and column
    lcl_buffer *entry_col;
    lcl_buffer *col_ptr; // aggregates + 1, uint32
};
