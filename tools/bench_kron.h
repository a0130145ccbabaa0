// SPDX-License-Identifier: BSD-3-Clause
// What the two subjects of levelbench kron share.
#pragma once

#include "tools/bench.h"

// A system by its name. K points into it: it must not move.
struct kron_problem {
    struct lcl_kron_data D;
    struct problem P; // its sizes are those of the whole, the arrays missing
};

// As bench_set_up(); *upload are the seconds that went into bringing the
// matrices to the device.
enum lcl_status bench_kron_set_up(struct bench *B, struct work *w,
                                  const struct kron_problem *Q,
                                  const struct lcl_precond_params *params,
                                  double *upload);

// Solves without and with each preconditioner.
enum lcl_status bench_radau(struct bench *B, const struct kron_problem *Q);
