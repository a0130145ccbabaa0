// SPDX-License-Identifier: BSD-3-Clause
// What idr.cl, idr_step.cl and their host code share.
#pragma once

#include "krylov_state.cl.h"

// Stopping flags, by the kernel that computes r, u and omega.
#define IDR_STOP_R 0
#define IDR_STOP_U 1
#define IDR_STOP_O 2
#define IDR_STOPS  3

// Own words of state[]: omega, c, f as read by even and by odd steps, m; for s
// shadow vectors.
#define IDR_OMEGA    KRYLOV_OWN
#define IDR_C        (KRYLOV_OWN + 1)
#define IDR_WORDS(s) (1 + 3 * (s) + (s) * (s))
