// SPDX-License-Identifier: BSD-3-Clause
// What cg_pipelined.cl and its host code share.
#pragma once

#include "krylov_state.cl.h"

// Stopping flags: iteration `it` sets flag it % 2.
#define CG_PIPELINED_STOPS 2

// Own words of state[]: <r, u> and alpha, of even and of odd iterations each.
#define CG_PIPELINED_GAMMA KRYLOV_OWN
#define CG_PIPELINED_ALPHA (KRYLOV_OWN + 2)
#define CG_PIPELINED_WORDS 4

// Sums of an iteration: <r, u>, <w, u>, <r, r>.
#define CG_PIPELINED_SUMS 3
