// SPDX-License-Identifier: BSD-3-Clause
// What bicgstab.cl and its host code share.
#pragma once

#include "krylov_state.cl.h"

// Stopping flags of the kernels.
#define BICGSTAB_STOP_P 0
#define BICGSTAB_STOP_S 1
#define BICGSTAB_STOP_X 2
#define BICGSTAB_STOPS  3

// Own words of state[]: rho of even and of odd iterations, alpha, omega; then
// their imaginary parts.
#define BICGSTAB_RHO       KRYLOV_OWN
#define BICGSTAB_ALPHA     (KRYLOV_OWN + 2)
#define BICGSTAB_OMEGA     (KRYLOV_OWN + 3)
#define BICGSTAB_IMAGINARY 4
#define BICGSTAB_WORDS     8
