// SPDX-License-Identifier: BSD-3-Clause
// clsolve --dry-run: what a solve will need on each device.
#pragma once

#include "tools/clsolve/job.h"

#include <levelcl/estimate.h>

// Estimates for each device of the job and prints them. Returns LCL_OK, or
// LCL_EDEVMEM if the system does not fit one of them.
enum lcl_status dry_run(struct job *job);

void text_estimate(const struct lcl_estimate *estimate,
                   const struct lcl_caps *caps);
// One estimate for each device; false if memory or the standard output failed.
bool json_estimates(const struct lcl_estimate *estimate, const struct job *job);
