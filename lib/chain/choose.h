// SPDX-License-Identifier: BSD-3-Clause
// The method that a matrix suggests.
#pragma once

#include "host/runtime.h"
#include "lib/operator/operator.h"

#include <levelcl/solver.h>

// Whether the caller names something that only subdomains have.
bool lcl_wants_subdomains(const struct lcl_precond_params *p);

// What the choice depends on.
struct lcl_traits {
    const struct lcl_look *look;
    int64_t n; // rows, on all devices
    int block_size;
    bool distributed;
    bool reproducible; // on any number of devices
    bool serial;       // the device is a CPU
    bool modes;        // near-null vectors are given
    int pressure; // its number among the unknowns of a block; -1: none known
};

// Those of an operator with a matrix that was looked at.
static inline struct lcl_traits lcl_traits_of(const lcl_operator *A)
{
    const bool distributed = A->team || A->part;
    const bool serial =
        !distributed && lcl_context_caps(A->range.ctx)->width == 1;
    return (struct lcl_traits){
        .look = &A->look,
        .n = A->range.total,
        .block_size = A->info.block_size,
        .distributed = distributed,
        .reproducible = A->info.communication == LCL_COMMUNICATION_REPRODUCIBLE,
        .serial = serial,
        .pressure = -1,
    };
}

// Whether diagonal entries are 0 or missing; false for blocks.
bool lcl_lacks_diagonals(const struct lcl_traits *T);

// Whether the choice depends on T->pressure (lib/chain/pressure.h).
bool lcl_seeks_pressure(const struct lcl_traits *T,
                        const struct lcl_precond_params *precond,
                        enum lcl_solver_type solver);

// Replaces types that are DEFAULT; *reason is a sentence that says why.
void lcl_choose(struct lcl_precond_params *precond,
                struct lcl_solver_params *solver, const char **reason,
                const struct lcl_traits *T);
