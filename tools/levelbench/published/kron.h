// SPDX-License-Identifier: BSD-3-Clause
// Shared by the subjects with Kronecker systems.
#pragma once

#include "tools/clsolve/kron_name.h"
#include "tools/levelbench/bench.h"

// A system by name. It must not move, since K points into it.
struct kron_problem {
    struct lcl_kron_data D;
    struct problem P;
};

// Generates it, with the right-hand side K * 1; the name must live as long.
enum lcl_status bench_kron_load(struct kron_problem **out,
                                const struct bench *B, const char *name);
void bench_kron_unload(struct kron_problem **problem); // accepts NULL inside

// Runs `fn` with the tolerances of the paper unless options set others.
enum lcl_status bench_kron_run(struct bench *B,
                               enum lcl_status (*fn)(struct bench *B,
                                                     void *arg),
                               void *arg);

// Solves of a step of Radau IIA by each product, without and with each
// preconditioner.
enum lcl_status bench_radau(struct bench *B);
