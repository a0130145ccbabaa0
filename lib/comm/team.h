// SPDX-License-Identifier: BSD-3-Clause
// Ranks that are threads of this process, one for each context.
#pragma once

#include "lib/comm/comm.h"

#include <levelcl/context.h>

typedef struct lcl_team lcl_team;

// A team of `size` ranks, at least 1; messages of rank r go to log[r]. Returns
// LCL_OK or LCL_ENOMEM; on error *out is NULL.
enum lcl_status lcl_team_create(lcl_team **out, int size,
                                const struct lcl_log *log);
void lcl_team_destroy(lcl_team **team); // accepts NULL inside

// Rank r works with ctx[r]: functions of the caller that a run calls on the
// thread of rank 0 must not use the others (host/access.h).
void lcl_team_set_contexts(lcl_team *team, lcl_context *const *ctx);

// Lets sums and exchanges be enqueued (lib/comm/relay.h), rank r on ctx[r], if
// a trial of it succeeds on all of them. Returns LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_team_connect(lcl_team *team, lcl_context *const *ctx,
                                 bool *connected);

struct lcl_comm *lcl_team_comm(lcl_team *team, int rank);

// Calls fn(arg, rank) on all ranks at once: rank 0 on the calling thread, each
// other one on a thread of its own that blocks all signals. The transport is
// fresh: what failed in an earlier run is forgotten. If fn fails on a rank, so
// do the collective calls of the others. Returns the error of the rank that
// failed first, else the largest status of all ranks; LCL_ENOMEM, without a
// call, if a thread cannot be created.
typedef enum lcl_status lcl_team_fn(void *arg, int rank);
enum lcl_status lcl_team_run(lcl_team *team, lcl_team_fn *fn, void *arg);
