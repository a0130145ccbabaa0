// SPDX-License-Identifier: BSD-3-Clause
// Compares parameters that must be equal on all ranks.
#pragma once

#include "lib/comm/comm.h"

// Named numbers of the rank. Integers are exact up to 2^53.
struct lcl_common {
    const char *name;
    double value;
};

// Compares the numbers of all ranks with those of rank 0; collective. Returns
// LCL_OK; LCL_EINVAL on all ranks if a number differs: each rank logs its name,
// `what`, and the rank that has it; or a status of the transport.
enum lcl_status lcl_comm_expect_equal(struct lcl_comm *C, const char *what,
                                      const struct lcl_common *all, int count);
