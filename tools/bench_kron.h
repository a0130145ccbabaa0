// SPDX-License-Identifier: BSD-3-Clause
// What the two subjects of levelbench kron share.
#pragma once

#include "tools/bench.h"

// bench_set_up() for the second time: the first one compiles.
enum lcl_status bench_kron_set_up(struct bench *B, struct work *w,
                                  const struct lcl_precond_params *params,
                                  struct setup *setup);

// Solves without and with each preconditioner.
enum lcl_status bench_radau(struct bench *B);
