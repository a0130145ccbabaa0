// SPDX-License-Identifier: BSD-3-Clause
// Tests a relay on its device: many sums and messages with known results,
// enqueued at once. They reveal a device whose writes reach the host in another
// order, or too late.
#pragma once

#include "lib/comm/relay.h"

typedef struct lcl_trial lcl_trial;

// All ranks create a trial each, run it, and destroy it after all runs have
// ended. Return LCL_OK, LCL_EDEVMEM, LCL_EDEVICE or LCL_ENOMEM; on error of the
// creation *out is NULL or may be destroyed.
enum lcl_status lcl_trial_create(lcl_trial **out, lcl_relay *R);
void lcl_trial_destroy(lcl_trial **trial); // accepts NULL inside

// *right = whether this rank has received the expected results.
enum lcl_status lcl_trial_run(lcl_trial *T, bool *right);
