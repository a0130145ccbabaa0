// SPDX-License-Identifier: BSD-3-Clause
// What Krylov methods without a blocking read in an iteration share: the host
// enqueues batches of steps and looks at the residuals of the batch before
// while the next one runs. The kernels' side is in cl/krylov/krylov.cl.h.
#pragma once

#include "lib/krylov/krylov.h"

// A method: its kernels, one table, and what an iteration enqueues. A step is
// what counts as an iteration: it leaves one residual in the ring.
struct lcl_batch_ops {
    int stops; // words of stop[]
    int words; // own words of state[], from LCL_KRYLOV_OWN on
    // Enqueues step `it` of the cycle, 0 .. most-1, from where residual `it`
    // gets known.
    enum lcl_status (*step)(struct lcl_solver *S, int it);
    // Enqueues what residual `it` = most takes to get known; called once after
    // the last step.
    enum lcl_status (*last)(struct lcl_solver *S, int it);
};

struct lcl_batch {
    const struct lcl_batch_ops *ops;
    lcl_buffer *state, *stop; // doubles; int32
    lcl_window *window;       // on the state
};

enum lcl_status lcl_batch_init(struct lcl_batch *B, lcl_context *ctx,
                               const struct lcl_batch_ops *ops);
void lcl_batch_finish(struct lcl_batch *B);

// One cycle of the method of S: state[] and stop[] start as zeros, steps are
// enqueued until something stops them or S->params.max_iters are done. Sets
// S->stop and adds to the history.
enum lcl_status lcl_batch_run(struct lcl_batch *B, struct lcl_solver *S);
