// SPDX-License-Identifier: BSD-3-Clause
// What minres.cl and its host code share.
#pragma once

#include "krylov_state.cl.h"

// Stopping flags of the kernels.
#define MINRES_STOP_V 0
#define MINRES_STOP_X 1
#define MINRES_STOPS  2

// Own words of state[]: alpha, then the scalars of even and of odd iterations.
#define MINRES_ALPHA   KRYLOV_OWN
#define MINRES_SCALARS (KRYLOV_OWN + 1)
#define MINRES_COUNT   6 // of an iteration
#define MINRES_WORDS   (1 + 2 * MINRES_COUNT)
