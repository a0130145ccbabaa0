// SPDX-License-Identifier: BSD-3-Clause
// Reference of the schedule (cl/factor/factor.cl.h).
#pragma once

#include "lib/factor/schedule.h"

#include <levelcl/matrix.h>

// Subdomain p has rows part_ptr[p] .. part_ptr[p+1]-1 of B; entries outside it
// are ignored. Rows of a subdomain are sorted by `level`. A step has at most
// `group` rows; with group 1 every row is a step. Up to `lanes` lanes share a
// row in steps with rows longer than LCL_SHORT_ROW; 1: no sharing. The slots
// are followed by 16 * group unused ones, so that a kernel may read ahead.
// Returns LCL_OK, LCL_ERANGE (over 65,535 rows or 2^31 slots in a subdomain)
// or LCL_ENOMEM; *L is then all zero.
enum lcl_status lcl_ref_schedule(struct lcl_host_schedule *L,
                                 const struct lcl_csr *B,
                                 const int64_t *part_ptr, int64_t parts,
                                 const int32_t *level, int group, int lanes);
