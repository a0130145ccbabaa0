// SPDX-License-Identifier: BSD-3-Clause
// Ranks that are threads of this process, one per context.
#pragma once

#include "lib/comm/comm.h"

#include <levelcl/context.h>

typedef struct lcl_team lcl_team;

// A team of `size` ranks, at least 1; messages of rank r go to log[r]. Returns
// LCL_OK or LCL_ENOMEM; on error *out is NULL.
enum lcl_status lcl_team_create(lcl_team **out, int size,
                                const struct lcl_log *log);
void lcl_team_destroy(lcl_team **team); // accepts NULL inside

// Assigns ctx[r] to rank r: functions of the caller that a run calls on the
// thread of rank 0 must not use the other contexts (host/access.h).
void lcl_team_set_contexts(lcl_team *team, lcl_context *const *ctx);

// Enables enqueued sums and exchanges (lib/comm/relay.h) with rank r on ctx[r],
// if a trial succeeds on all ranks. Returns LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_team_connect(lcl_team *team, lcl_context *const *ctx,
                                 bool *connected);

struct lcl_comm *lcl_team_comm(lcl_team *team, int rank);

// Calls fn(arg, rank) on all ranks at once: rank 0 on the calling thread, each
// other rank on a thread of its own that blocks all signals. Failures of
// earlier runs do not affect this one. If fn fails on a rank, the collective
// calls of the others fail as well. Returns the error of the rank that failed
// first, else the largest status of all ranks; LCL_ENOMEM, without a call, if a
// thread cannot be created.
typedef enum lcl_status lcl_team_fn(void *arg, int rank);
enum lcl_status lcl_team_run(lcl_team *team, lcl_team_fn *fn, void *arg);
