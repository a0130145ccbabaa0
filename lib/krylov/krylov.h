// SPDX-License-Identifier: BSD-3-Clause
// What Krylov methods share: the system, the vectors b, x and r, the history,
// and one table of functions a method.
#pragma once

#include "lib/precond/precond.h"

#include <levelcl/solver.h>

struct lcl_krylov_ops {
    // Allocates S->method. On error the caller calls destroy().
    enum lcl_status (*create)(struct lcl_solver *S);
    // Runs from S->x with S->r = b - A x, ||r||^2 = S->rr, until something
    // stops it; sets S->stop and adds to the history. LCL_STOP_RTOL means that
    // the recurrence met S->target; the true residual is the caller's to check.
    // x is the last sound iterate whatever the reason.
    enum lcl_status (*cycle)(struct lcl_solver *S);
    void (*destroy)(struct lcl_solver *S); // S->method, which may be NULL
    // Enqueues what x has to gain before a cycle, S->r being b - A x; NULL:
    // nothing. *changed tells whether that was anything.
    enum lcl_status (*start)(struct lcl_solver *S, bool *changed);
    bool symmetric; // other matrices are refused
};

// Words of state[], as in krylov.cl.h.
enum {
    LCL_KRYLOV_STEPS = 0,
    LCL_KRYLOV_REASON = 1,
    LCL_KRYLOV_BEST = 2, // two pairs: ||r||^2 and step of the kept iterate
    LCL_KRYLOV_RING = 8,
    LCL_KRYLOV_RING_SIZE = 256,
    LCL_KRYLOV_OWN = LCL_KRYLOV_RING + LCL_KRYLOV_RING_SIZE,
};

// The best iterate seen, lib/krylov/best.h.
struct lcl_best {
    lcl_kernel *kernel;
    int groups;
    lcl_buffer *x;
    double rr; // ||r||^2 of x
    int at;    // iteration of x
    int next;  // step of the cycle from which the next checkpoint is due
    int slot;  // pair of words that the next checkpoint reads
};

struct lcl_solver {
    lcl_context *ctx;
    lcl_precond *M;
    const struct lcl_krylov_ops *ops;
    struct lcl_solver_params params; // no zeros left but atol and monitor
    lcl_buffer *b, *x, *r;           // n, the system's numbering
    lcl_buffer *sums;                // partial sums: two of one a group
    double *host_sums;
    double norm_b, rr;
    double start_rr; // of the caller's x
    double target;   // of ||r||^2
    double start;    // when the solve began
    enum lcl_stop stop;
    int iterations, restarts;
    bool exhausted; // GMRES: in the last cycle
    double *history;
    int history_count, history_room;
    int launches; // of an iteration; 0: not told
    double best;  // smallest ||r||^2 so far, and when it was
    int best_at;
    struct lcl_best kept; // an iterate for solves that fail
    int x_iteration;      // the iteration whose iterate x is
    void *method;
};

extern const struct lcl_krylov_ops lcl_bicgstab;
extern const struct lcl_krylov_ops lcl_cg;
extern const struct lcl_krylov_ops lcl_cg_published;
extern const struct lcl_krylov_ops lcl_idr;
extern const struct lcl_krylov_ops lcl_gmres;
extern const struct lcl_krylov_ops lcl_fgmres;

// Notes ||r||^2 after `iteration` iterations of the solve; each is noted once.
enum lcl_status lcl_krylov_note(struct lcl_solver *S, int iteration, double rr);

// Why the host would stop now: LCL_STOP_STAGNATION, LCL_STOP_MONITOR or
// LCL_STOP_NONE. Calls the monitor.
enum lcl_stop lcl_krylov_watch(struct lcl_solver *S);

// S->r = b - A x; *norm2 = ||r||^2, added up in a fixed order.
enum lcl_status lcl_krylov_true_residual(struct lcl_solver *S, double *norm2);

// For methods that create their kernels and vectors: those of one source, with
// the other fields of `spec`, and vectors of n doubles.
struct lcl_krylov_kernel {
    lcl_kernel **kernel;
    const char *name;
};
enum lcl_status lcl_krylov_kernels(lcl_context *ctx, struct lcl_spec spec,
                                   const struct lcl_krylov_kernel *all,
                                   int count);
enum lcl_status lcl_krylov_vectors(const struct lcl_solver *S,
                                   lcl_buffer **const *all, int count);
