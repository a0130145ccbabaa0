// SPDX-License-Identifier: BSD-3-Clause
// A Krylov method: its needs, and the step that an iteration enqueues. All else
// is common (methods.h): a method is such a table at the end of its file.
#pragma once

#include "lib/vector/operands.h"

#include <levelcl/solver.h>

// The functions that enqueue the steps of a method. A step counts as one
// iteration: it writes one residual to the ring.
struct lcl_pipeline_ops {
    int stops; // length of stop[]
    int words; // number of the method's words of state[], from KRYLOV_OWN on
    // Enqueues step `it` of the cycle, 0 .. most-1, starting at the point where
    // residual `it` becomes known.
    enum lcl_status (*step)(struct lcl_solver *S, int it);
    // Enqueues the computation of residual `it` = most; called once after the
    // last step.
    enum lcl_status (*last)(struct lcl_solver *S, int it);
    // Reads the method's words of a state that the host has got. NULL: nothing.
    enum lcl_status (*look)(struct lcl_solver *S, const double *state);
};

// A kernel, and the offset of its place in the method's struct.
struct lcl_krylov_kernel {
    const char *name;
    size_t at;
};

enum {
    LCL_KRYLOV_KERNELS = 4,
    LCL_KRYLOV_VECTORS = 8,
    LCL_KRYLOV_PRODUCTS = 2
};

// Of an estimate; `each` multiplies the parameter s or m.
struct lcl_krylov_cost {
    double vectors, vectors_each; // besides b, x, r, the best x and the
                                  // backward errors
    double passes, passes_each;   // over vectors in an iteration, besides those
                                  // of products and preconditioner
};

struct lcl_krylov_method {
    struct lcl_solver_facts facts;
    bool drifts;     // rounding may break it down: restarts where CG would not
    bool names_dots; // knows lcl_space_reduce_dots()
    bool columns;    // solves several columns at once (cg_columns.h)
    bool estimates;  // norms of residuals except norm 2
    struct lcl_krylov_cost cost;

    // The method's struct S->state, which begins with its struct lcl_pipeline,
    // and the offsets in it of the members to create. Lists end with 0.
    size_t bytes;
    const char *source; // of the kernels
    struct lcl_krylov_kernel kernels[LCL_KRYLOV_KERNELS];
    size_t vectors[LCL_KRYLOV_VECTORS];
    size_t precond_vectors[LCL_KRYLOV_VECTORS]; // NULL without preconditioner
    size_t dots; // two rows of partial sums; 0: none

    // An iteration: its own launches, the modes of its products, and that of
    // each application of M.
    int launches;
    enum lcl_mode products[LCL_KRYLOV_PRODUCTS];
    enum lcl_mode applications;
    struct lcl_pipeline_ops steps; // none: `cycle` does all

    // Functions of some methods, or NULL. `create` makes the rest of the
    // struct, and `destroy` frees it, even if it is incomplete. `begin` starts
    // a cycle from S->r; `cycle` replaces begin and steps: it runs from S->x
    // with S->r = b - A x, ||r||^2 = S->rr, until a stop occurs; sets S->stop
    // and appends to the history. LCL_STOP_RTOL means that the recurrence met
    // S->target; the caller checks the true residual. x is the last valid
    // iterate whatever the reason.
    enum lcl_status (*create)(struct lcl_solver *S);
    void (*destroy)(struct lcl_solver *S);
    enum lcl_status (*begin)(struct lcl_solver *S);
    enum lcl_status (*cycle)(struct lcl_solver *S);
};
