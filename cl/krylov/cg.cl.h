// SPDX-License-Identifier: BSD-3-Clause
// What cg.cl and its host code share.
#pragma once

#include "krylov_state.cl.h"

// Stopping flags of the kernels.
#define CG_STOP_P 0
#define CG_STOP_R 1
#define CG_STOPS  2

// Own words of state[]: <r, z> and alpha, of even and of odd iterations each;
// the sum of alpha <r, z>, by which ||x* - x||_A^2 has fallen (Hestenes and
// Stiefel 1952, theorem 6:1).
#define CG_RHO    KRYLOV_OWN
#define CG_ALPHA  (KRYLOV_OWN + 2)
#define CG_ENERGY (KRYLOV_OWN + 4)
#define CG_WORDS  5
