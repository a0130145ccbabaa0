// SPDX-License-Identifier: BSD-3-Clause
// Preconditioners of Kronecker systems: one table of functions per method.
#pragma once

#include "lib/operator/kron.h"
#include "lib/precond/precond.h"

struct lcl_kron_method {
    const struct lcl_precond_ops *ops; // its create() is not called
    // Sets up M->method and M->info for the sizes and patterns of K; M->system
    // is already set up. On error the caller calls ops->destroy(). NULL:
    // nothing to do.
    enum lcl_status (*create)(struct lcl_precond *M, const struct lcl_kron *K,
                              const struct lcl_precond_params *params);
    // Takes the values of K; called before ops->update(). NULL: not needed.
    enum lcl_status (*take)(struct lcl_precond *M, const struct lcl_kron *K);
};

extern const struct lcl_kron_method lcl_kron_block_jacobi;
extern const struct lcl_kron_method lcl_kron_stages;
