// SPDX-License-Identifier: BSD-3-Clause
// The subdomain and the level of each row of the factors, for people.
#pragma once

#include "lib/factor/factor.h"

// Sets part[i] and level[i] for the (block) rows of the factors in their own
// order. Level 0 has the rows that depend on no other row of their subdomain,
// through L or U, or `of_lower` through L alone; factors in levels have those
// of L in any case. Waits for the device. Returns LCL_OK, LCL_ESELFTEST (the
// schedule is impossible), LCL_EDEVICE or LCL_ENOMEM.
enum lcl_status lcl_factor_row_levels(const struct lcl_factor *F, int32_t *part,
                                      int32_t *level, bool of_lower);
