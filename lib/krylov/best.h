// SPDX-License-Identifier: BSD-3-Clause
// The best iterate seen so far, for solves that fail: the start of each cycle
// and checkpoints within it, compared by the residuals of the recurrence. The
// kernel is `keep_best` of cl/common/vector.cl.
#pragma once

#include "lib/krylov/krylov.h"

enum lcl_status lcl_best_init(struct lcl_best *B, const struct lcl_solver *S);
void lcl_best_finish(struct lcl_best *B);

// Call before a cycle: keeps S->x if it is the first or S->rr is the smallest
// so far.
enum lcl_status lcl_best_begin(struct lcl_solver *S);

// Call when x is the iterate of step `it`, whose residual is in the ring of
// `state`: enqueues a checkpoint if one is due, which does nothing if stop[at]
// is set.
enum lcl_status lcl_best_checkpoint(struct lcl_solver *S, int it,
                                    lcl_buffer *state, const lcl_buffer *stop,
                                    int at);

// The same for methods whose residual the host knows: S->x is the iterate of
// S->iterations.
enum lcl_status lcl_best_offer(struct lcl_solver *S, double rr);

// Reads the results of the checkpoints from `state`, for a cycle that began
// after `first` iterations.
void lcl_best_look(struct lcl_best *B, const double *state, int first);

// After a failure: swaps S->x with the best iterate if its true residual is
// smaller than S->rr, that of S->x; S->x_iteration is set to its iteration.
enum lcl_status lcl_best_restore(struct lcl_solver *S);
