// SPDX-License-Identifier: BSD-3-Clause
// The second subject of levelbench kron: steps of Radau IIA.
#pragma once

#include "tools/bench.h"

// Solves without and with each preconditioner.
enum lcl_status bench_radau(struct bench *B);
