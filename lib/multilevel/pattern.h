// SPDX-License-Identifier: BSD-3-Clause
// Finds the entries of A that form W = A Z and E = Z^T A Z
// (cl/multilevel/coarse.cl), once per pattern, on the device.
#pragma once

#include "lib/multilevel/runs.h"
#include "lib/partition/subdomains.h"
#include "lib/vector/numbering.h"

// B is numbered by P, and the columns of each row ascend; the values are not
// read. Makes at most `most` aggregates: the aggregates of P if their number
// permits, otherwise aggregates of strongly coupled subdomains. Does not wait
// for its last kernels. Returns LCL_OK, LCL_EUNSUPPORTED (B is wide),
// LCL_ESELFTEST (impossible counts: the device is faulty), LCL_EDEVMEM,
// LCL_EDEVICE, LCL_EBUILD or LCL_ENOMEM; on error *C is all zero.
enum lcl_status lcl_coarse_pattern_init(struct lcl_coarse_pattern *C,
                                        lcl_context *ctx,
                                        const struct lcl_device_matrix *B,
                                        const struct lcl_subdomains *P,
                                        int64_t most);
// Computes run_row on the first call. Returns LCL_OK, LCL_EDEVMEM, LCL_EDEVICE,
// LCL_EBUILD or LCL_ENOMEM.
enum lcl_status lcl_coarse_pattern_find_rows(struct lcl_coarse_pattern *C,
                                             lcl_context *ctx);

// The pattern of subdomains that each have unknowns of their own, in the order
// of their first rows in the caller's numbering N, without runs: part_agg has
// their places in this order. Statuses as lcl_buffer_create(); the caller
// finishes *C in any case.
enum lcl_status lcl_coarse_pattern_init_parts(struct lcl_coarse_pattern *C,
                                              lcl_context *ctx,
                                              const struct lcl_subdomains *P,
                                              const struct lcl_numbering *N);

// run_row[k] = row[i], or i if `row` is NULL, for the runs of row i of n rows.
// Enqueued. Returns LCL_OK, LCL_EDEVICE, LCL_EBUILD or LCL_ENOMEM.
enum lcl_status lcl_coarse_rows_of_runs(lcl_buffer *run_row, lcl_context *ctx,
                                        int64_t n, const lcl_buffer *row,
                                        const lcl_buffer *run_ptr);

void lcl_coarse_pattern_finish(struct lcl_coarse_pattern *C);
uint64_t lcl_coarse_pattern_bytes(const struct lcl_coarse_pattern *C);
