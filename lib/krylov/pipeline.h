// SPDX-License-Identifier: BSD-3-Clause
// Shared by Krylov methods without a blocking read per iteration. The host
// enqueues batches of steps and inspects the residuals of the previous batch
// while the next one runs. The device side is in cl/krylov/krylov.cl.h.
#pragma once

#include "lib/krylov/krylov.h"

struct lcl_pipeline {
    const struct lcl_pipeline_ops *ops;
    lcl_buffer *state, *stop; // doubles; int32
    lcl_window *window;       // onto the state
};

enum lcl_status lcl_pipeline_init(struct lcl_pipeline *B, lcl_context *ctx,
                                  const struct lcl_pipeline_ops *ops);
void lcl_pipeline_finish(struct lcl_pipeline *B);

// Enqueues the norm of S->r for the next kernel that judges a residual, unless
// stop[at] is set. Norm 2: nothing. Collective.
enum lcl_status lcl_pipeline_norm(const struct lcl_pipeline *B,
                                  const struct lcl_solver *S, int at);

// Runs one cycle of the method of S: zeroes state[] and stop[], then enqueues
// steps until a stop occurs or S->params.max_iters are done. Sets S->stop and
// appends to the history.
enum lcl_status lcl_pipeline_run(struct lcl_pipeline *B, struct lcl_solver *S);
