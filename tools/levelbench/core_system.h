// SPDX-License-Identifier: BSD-3-Clause
// A system and the factors of a preconditioner on subdomains, for one core.
#pragma once

#include "tools/levelbench/core.h"

#include "lib/partition/subdomains.h"

#include <levelcl/precond.h>

// Rows are in the order of the subdomains: row i is row perm[i] of the caller's
// matrix.
struct core_system {
    struct lcl_csr A;
    int32_t *perm;
    struct core_factors M;
};

// Computes in plain C the factors that M has on the device, of the same
// subdomains P of A in the same order of elimination. M is ILU0, ILDU0, ILUK or
// RAS with scalar entries and the labels of P. Statuses as
// lcl_ilu_pattern(), LCL_EDEVICE, LCL_EINVAL (M has other subdomains); *S is
// fit for core_system_finish() in any case.
enum lcl_status core_system_init(struct core_system *S, const struct lcl_csr *A,
                                 const struct lcl_subdomains *P,
                                 const lcl_precond *M,
                                 const struct lcl_log *log);
void core_system_finish(struct core_system *S);

// x = a vector of the caller in the order of the system.
void core_system_gather(const struct core_system *S, const double *given,
                        double *x);
