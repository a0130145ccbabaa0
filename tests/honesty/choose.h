// SPDX-License-Identifier: BSD-3-Clause
// Random questions about a system: how it is solved, and until when.
#pragma once

#include "tests/honesty/trial.h"

// Columns, steps, devices.
void choose_shape(struct trial *T, struct rng *g, bool few);
// Solver, preconditioner, tolerances.
void choose_options(struct trial *T, struct rng *g, bool few);
