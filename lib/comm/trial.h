// SPDX-License-Identifier: BSD-3-Clause
// Whether a relay works on its device: sums and messages whose results are
// known, many of them and enqueued at once, so that a device whose writes the
// host sees in another order, or too late, shows it.
#pragma once

#include "lib/comm/relay.h"

typedef struct lcl_trial lcl_trial;

// All ranks create a trial each, run it, and destroy it when all have ended.
// Return LCL_OK, LCL_EDEVMEM, LCL_EDEVICE or LCL_ENOMEM; on error of the
// creation *out is NULL or fit for the destruction.
enum lcl_status lcl_trial_create(lcl_trial **out, lcl_relay *R);
void lcl_trial_destroy(lcl_trial **trial); // accepts NULL inside

// *right = whether this rank has got what it should.
enum lcl_status lcl_trial_run(lcl_trial *T, bool *right);
