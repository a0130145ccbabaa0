// SPDX-License-Identifier: BSD-3-Clause
// Which entries of A make W = A Z and E = Z^T A Z (cl/multilevel/coarse.cl),
// found once for a pattern, on the device.
#pragma once

#include "lib/multilevel/runs.h"

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
