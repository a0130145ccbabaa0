// SPDX-License-Identifier: BSD-3-Clause
// Shared by all Krylov methods: the operators, the vectors b, x and r, and the
// history.
#pragma once

#include "cl/krylov/krylov_state.cl.h"
#include "lib/krylov/method.h"
#include "lib/krylov/norm.h"
#include "lib/krylov/patience.h"
#include "lib/krylov/projection.h"
#include "lib/operator/translated.h"
#include "lib/precond/precond.h"

#include <levelcl/solver.h>

#include <stdatomic.h>

enum { LCL_MAX_ITERS = 10000 }; // by default

// The best iterate seen so far, lib/krylov/best.h.
struct lcl_best {
    lcl_kernel *kernel;
    int groups;
    lcl_buffer *x;
    double rr;    // ||r||^2 of x
    int at;       // iteration of x
    int next;     // first step of the cycle at which the next checkpoint is due
    int slot;     // pair of words that the next checkpoint reads
    double scale; // ||r||^2 is this times that of the recurrence
};

// Verdicts on the true residual, lib/krylov/verify.h.
struct lcl_verify {
    lcl_kernel *norms, *scale;
    lcl_buffer *backward; // n
    lcl_buffer *b;        // as the caller gave it, in another unit; or NULL
    lcl_buffer *parts;
    double *host; // `parts`; the results of all ranks
};

struct lcl_solver {
    lcl_context *ctx;
    lcl_operator *A;
    lcl_solver **member;  // on several devices, of each rank; else NULL. Then
                          // only ctx, A, precond and params are used
    lcl_operator *M;      // never NULL, in A's numbering
    lcl_precond *precond; // M belongs to it; NULL: M = I
    // CG with a coarse correction: M is `deflated`, and x = x + `start` (b - A
    // x) precedes a cycle, or, unless precond is current, `additive`. Else
    // NULL.
    lcl_operator *deflated, *additive, *start;
    bool corrects;     // in this solve
    lcl_operator none; // I
    // M and the forms above, if they have another numbering than A
    struct lcl_translated translated[3];
    // Of A's null space. `left` is removed from b; without vectors of its own
    // it is `right`. M projects its results by `projected`.
    struct lcl_projection right_null, left_null;
    struct lcl_projected projected;
    bool at_zero;        // x = 0, and r and rr are its residual
    bool keeps;          // x has to keep its component in the null space
    double norm_removed; // of the component of b that A cannot reach
    const struct lcl_krylov_method *method;
    struct lcl_solver_params params; // zeros resolved, except atol and monitor
    lcl_buffer *b, *x, *r;           // n, A's numbering
    lcl_buffer *correction;          // n; with `start` only
    lcl_kernel *add;                 // adds it to x
    lcl_buffer *sums;                // two partial sums per group
    double *host_sums;
    struct lcl_norm norm;
    struct lcl_verify verify;
    int unit;          // b and x are in units of 2^unit of the caller's
    double norm_b, rr; // in the norm of the tolerance, rr squared
    double backward;   // componentwise backward error of x, of the last verdict
    double backward_before; // of the verdict before the last cycle
    bool rows;              // which decides, in this solve: LCL_NORM_ROWS
    double r_dot_r;         // <r, r> of the last true residual
    double start_rr, start_backward; // of the caller's x
    double relative, absolute;       // tolerances of ||r||^2
    double target;                   // at which a cycle may end
    double started;                  // time at which the solve began
    atomic_bool cancelled;
    const atomic_bool *outer; // of the chain, which resets it; NULL: none
    enum lcl_stop stop;
    int iterations, restarts;
    bool exhausted; // GMRES: in the last cycle
    double *history;
    int history_count, history_room;
    double **histories; // of lcl_solver_solve_many(), `columns` of them
    int columns;
    int column;   // of these, the first one in work; else 0
    int launches; // per iteration, the most of all ranks; 0: unknown
    bool eager;   // a rank looks at the state as soon as it may (pipeline.c)
    double best;  // smallest ||r||^2 so far, and its iteration
    int best_at;
    struct lcl_patience patience;
    struct lcl_best kept; // best iterate, for solves that fail
    int x_iteration;      // iteration that x belongs to
    void *state;          // struct of the method
};

// Records ||r||^2 after `iteration` iterations of the solve, once per
// iteration; repeated calls have no effect.
enum lcl_status lcl_krylov_note(struct lcl_solver *S, int iteration, double rr);

// Sets S->stop, which is NONE, if the host has a reason to stop now:
// stagnation, divergence, lcl_solver_cancel(), the monitor or the convergence
// test, which it calls. Collective.
enum lcl_status lcl_krylov_watch(struct lcl_solver *S);

// The norm of the verdict of this solve.
enum lcl_norm_type lcl_krylov_norm(const struct lcl_solver *S);

// Whether the n elements of v are 0.
bool lcl_krylov_is_zero(const double *v, int64_t n);

// Solves from S->b, whose norm is known, and S->x, and reports. *improved:
// whether S->x should replace the caller's x; a failed solve may not have
// reduced its residual.
enum lcl_status lcl_krylov_solve(struct lcl_solver *S,
                                 struct lcl_report *report, bool *improved);

// After a failure that has not improved the caller's x: reports that one.
void lcl_krylov_keep_start(struct lcl_solver *S);

// Ends a solve: fills *report, which may be NULL, and records the solve in the
// preconditioner. Returns lcl_stop_status() of S->stop.
enum lcl_status lcl_krylov_finish(struct lcl_solver *S,
                                  struct lcl_report *report);

// The histories of several columns: makes room for those of `count` columns,
// keeps that of the last solve, to which a report points, as that of column j,
// and frees all. The first returns LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_krylov_make_histories(struct lcl_solver *S, int count);
void lcl_krylov_keep_history(struct lcl_solver *S, int j);
void lcl_krylov_drop_histories(struct lcl_solver *S);

// Replaces these limits, 0 by the default. On an error p is as before.
enum lcl_status lcl_krylov_set_limits(struct lcl_solver_params *p, double rtol,
                                      double atol, int max_iters,
                                      const struct lcl_log *log);

// Whether the caller, or his time limit, ended the solve: then also that of
// other columns.
static inline bool lcl_krylov_is_interrupted(enum lcl_stop stop)
{
    return stop == LCL_STOP_MONITOR || stop == LCL_STOP_CANCELLED ||
           stop == LCL_STOP_TIME_LIMIT;
}

// Whether S was cancelled since the last call.
static inline bool lcl_krylov_consume_cancel(struct lcl_solver *S)
{
    return atomic_exchange(&S->cancelled, false) ||
           (S->outer && atomic_load(S->outer));
}

// Makes M the preconditioner of the method, with projection where A has a null
// space and the method needs it.
void lcl_krylov_use(struct lcl_solver *S, lcl_operator *M);

// *norm2 = <r, r> from the partial sums of this rank in the second half of
// S->sums, in a fixed order.
enum lcl_status lcl_krylov_sum_residual(struct lcl_solver *S, double *norm2);

// The residual of a restart, in working precision. Gives x its component in the
// null space of A again; S->r = b - A x; *norm2 = ||r||^2 in the norm of the
// tolerance, S->r_dot_r = <r, r>, and S->sums as above.
enum lcl_status lcl_krylov_true_residual(struct lcl_solver *S, double *norm2);

// Enqueues z = M^-1 r.
enum lcl_status lcl_krylov_precondition(struct lcl_solver *S,
                                        const lcl_buffer *r, lcl_buffer *z,
                                        const lcl_buffer *stop, int at);

// Create kernels and vectors of a method: kernels of one source over
// vectors, with the other fields of `spec`, and vectors of n doubles.
enum lcl_status lcl_krylov_kernels(lcl_context *ctx, struct lcl_spec spec,
                                   const struct lcl_kernel_plan *all,
                                   int count);
enum lcl_status lcl_krylov_vectors(const struct lcl_solver *S,
                                   lcl_buffer **const *all, int count);
