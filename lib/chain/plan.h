// SPDX-License-Identifier: BSD-3-Clause
// The methods of a chain, in the order in which they are tried.
#pragma once

#include "lib/chain/later.h"
#include "lib/operator/operator.h"

#include <levelcl/chain.h>

struct lcl_method {
    struct lcl_precond_params precond;
    struct lcl_solver_params solver;
    const char *variant;      // as in struct lcl_attempt
    enum lcl_dropped dropped; // ANY for the last one
};

struct lcl_plan {
    struct lcl_method method[LCL_CHAIN_MAX];
    int count;
    bool definite; // the matrix looks so: MINRES is for when CG finds it is not
    bool asked;    // the first method has parameters that the caller asks for
    const char *reason; // why the first one was chosen; "": it was named
};

// Plans the methods for A, from the caller's parameters. Returns LCL_OK or a
// status of lcl_operator_look().
enum lcl_status lcl_plan_make(struct lcl_plan *P, lcl_operator *A,
                              const struct lcl_precond_params *precond,
                              const struct lcl_solver_params *solver);

// Operations with entries that the set-up of a method may take after methods
// that took `before`, for a matrix of nnz entries.
int64_t lcl_chain_budget(double before, int64_t nnz);

// Whether two plans for one operator have the same methods.
bool lcl_plan_is_same(const struct lcl_plan *P, const struct lcl_plan *Q);

// Whether a method is tried after factors that have dropped `share` of the
// off-diagonal entries.
bool lcl_method_suits(const struct lcl_method *m, double share);
