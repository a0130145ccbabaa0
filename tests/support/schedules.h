// SPDX-License-Identifier: BSD-3-Clause
// Schedules on the device compared with those of the reference.
#pragma once

#include "lib/factor/schedule.h"

// Fails at the first difference of a size or of an array.
void test_expect_schedule(lcl_context *ctx, const struct lcl_schedule *D,
                          const struct lcl_host_schedule *E);
