// SPDX-License-Identifier: BSD-3-Clause
// The norms 1 and max of residuals, which the solver may be asked to stop by.
// With norm 2 all functions do nothing. The kernels are in cl/krylov/norm.cl.
#pragma once

#include "host/launch.h"
#include "lib/vector/gathering.h"

#include <levelcl/solver.h>

struct lcl_norm {
    enum lcl_norm_type type;
    struct lcl_space space;
    lcl_kernel *share, *square;
    int launches; // of lcl_norm_post() on one device
    double *host; // as long as a row of sums
    lcl_buffer *sums;
    lcl_buffer *own, *all; // the norm of this rank and of all; one rank: NULL
    struct lcl_gathering gathering;
};

// *N is fit for lcl_norm_finish() in any case.
enum lcl_status lcl_norm_init(struct lcl_norm *N, const struct lcl_space *V,
                              enum lcl_norm_type type);
void lcl_norm_finish(struct lcl_norm *N);

// *squared = the square of the norm of r; blocking, collective.
enum lcl_status lcl_norm_measure(const struct lcl_norm *N, const lcl_buffer *r,
                                 double *squared);

// Enqueues the same for the next kernel that judges a residual, which r has
// unless stop[at] is set; collective.
enum lcl_status lcl_norm_post(const struct lcl_norm *N, const lcl_buffer *r,
                              lcl_buffer *state, const lcl_buffer *stop,
                              int at);
