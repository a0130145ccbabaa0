// SPDX-License-Identifier: BSD-3-Clause
// Reference of the levels of fill of ILU(k).
#pragma once

#include <stdint.h>

// The level of a position that no elimination fills.
#define LCL_REF_NEVER_FILLED INT32_MAX

// level[i * n + j] is 0 for stored positions and LCL_REF_NEVER_FILLED for all
// others on entry, the level of fill on return (Saad 2003, Section 10.3.3).
void lcl_ref_fill(int32_t *level, int64_t n);
