// SPDX-License-Identifier: BSD-3-Clause
// The phases of a running solve, from the times of its launches.
#pragma once

#include "tools/levelbench/bench.h"

#include "lib/operator/operator.h"

// Seconds on the device.
struct phases {
    double product;       // kernels of the product
    double copies;        // transfers of the product
    double precond;       // kernels of the preconditioner
    double communication; // kernels of the product's exchange, and waiting
    double method;        // kernels of the Krylov method
    double other;         // other kernels: norms, the verdict
    double between;       // between kernels: copies, sums over devices, waiting
};

// An operator whose launches have their own label.
struct labelled {
    struct lcl_operator_ops ops; // first: leads from the operator to the label
    const struct lcl_operator_ops *own;
    lcl_operator *A;
    int label;
};

// The labelled operators of one device: the operator, its part with own columns
// if it has one, and the preconditioner.
struct phases_trace {
    lcl_context *ctx;
    struct labelled whole, part, precond;
};

// Begins to trace the launches of A's context. A, M and *T must not move until
// phases_end(), which must follow in any case and may follow an error.
enum lcl_status phases_begin(struct phases_trace *T, lcl_operator *A,
                             lcl_operator *M);
// `solver`: the type, which identifies the kernels of the method.
enum lcl_status phases_end(struct phases_trace *T, enum lcl_solver_type solver,
                           struct phases *out);

// A solve of B's problem by S from x = 0, and its phases. It must not compile
// anything.
enum lcl_status phases_solve(const struct bench *B, const struct work *w,
                             lcl_solver *S, struct lcl_report *report,
                             struct phases *out);

double phases_sum(const struct phases *p);
// *out = the maximum of both, phase by phase.
void phases_maximum(struct phases *out, const struct phases *p);
