// SPDX-License-Identifier: BSD-3-Clause
// Which entries of A make W = A Z and E = Z^T A Z (cl/multilevel/coarse.cl),
// found once for a pattern, on the device.
#pragma once

#include "lib/operator/spmv.h"

// Rows and columns are those of blocks. Run k is made of the blocks
// run_first[k] .. run_first[k+1]-1 of A, all in one row and with columns in one
// aggregate; row i has the runs run_ptr[i] .. run_ptr[i+1]-1. order[] has the
// runs by the aggregate of their columns, then by that of their row; those of
// entry m of E are entry_ptr[m] .. entry_ptr[m+1]-1 of it, those of column q of
// E col_ptr[q] .. col_ptr[q+1]-1.
struct lcl_coarse_pattern {
    int64_t n, parts, aggregates, runs, entries;
    lcl_buffer *part_ptr; // parts + 1, int32
    lcl_buffer *part_agg; // parts, int32: aggregate of a subdomain
    lcl_buffer *agg_ptr;  // aggregates + 1, int32
    lcl_buffer
        *agg_parts;      // parts, int32: subdomains of an aggregate, ascending
    lcl_buffer *run_ptr; // n + 1, uint32
    lcl_buffer *run_first; // runs + 1, uint32
    lcl_buffer *run_agg;   // runs, int32: aggregate of the columns
    lcl_buffer *run_row;   // runs, int32; NULL until find_rows()
    lcl_buffer *order;     // runs, uint32
    lcl_buffer *entry_ptr; // entries + 1, uint32
    lcl_buffer *entry_row; // entries, int32: aggregates of row and column
    lcl_buffer *entry_col;
    lcl_buffer *col_ptr; // aggregates + 1, uint32
};

// Subdomain p holds rows part_ptr[p] .. part_ptr[p+1]-1 of B (of blocks, where
// B has blocks), whose columns ascend in each row and whose values are not
// looked at. There will be at most `most` aggregates.
// Enqueues the last kernels. Returns LCL_OK, LCL_EUNSUPPORTED (B is wide),
// LCL_ESELFTEST (counts that cannot be: the device is wrong), LCL_EDEVMEM,
// LCL_EDEVICE, LCL_EBUILD or LCL_ENOMEM; *C is then all zero.
enum lcl_status lcl_coarse_pattern_init(struct lcl_coarse_pattern *C,
                                        lcl_context *ctx,
                                        const struct lcl_device_matrix *B,
                                        const int64_t *part_ptr, int64_t parts,
                                        int64_t most);
// Finds run_row unless that was done. Returns LCL_OK, LCL_EDEVMEM, LCL_EDEVICE,
// LCL_EBUILD or LCL_ENOMEM.
enum lcl_status lcl_coarse_pattern_find_rows(struct lcl_coarse_pattern *C,
                                             lcl_context *ctx);
void lcl_coarse_pattern_finish(struct lcl_coarse_pattern *C);
uint64_t lcl_coarse_pattern_bytes(const struct lcl_coarse_pattern *C);
