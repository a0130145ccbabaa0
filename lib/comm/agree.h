// SPDX-License-Identifier: BSD-3-Clause
// What has to be the same on all ranks.
#pragma once

#include "lib/comm/comm.h"

// Named numbers of the rank. Integers are exact up to 2^53.
struct lcl_common {
    const char *name;
    double value;
};

// Compares the numbers of all ranks with those of rank 0; collective. Returns
// LCL_OK; LCL_EINVAL on all ranks, whose logs name the first number that
// differs, of `what`, and the rank; or a status of the transport.
enum lcl_status lcl_comm_expect_equal(struct lcl_comm *C, const char *what,
                                      const struct lcl_common *all, int count);
