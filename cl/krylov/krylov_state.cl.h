// SPDX-License-Identifier: BSD-3-Clause
// state[] of the Krylov methods, shared by kernels and host: number of finished
// steps, reason why the method ended, two pairs of words that keep_best of
// vector.cl writes, a squared norm, a ring of squared residual norms, and the
// method's own words from KRYLOV_OWN on.
#pragma once

#define KRYLOV_STEPS     0
#define KRYLOV_REASON    1
#define KRYLOV_BEST      2 // two pairs: ||r||^2 and step of the kept iterate
#define KRYLOV_NORM      7 // ||r||^2 in the norm of the tolerance; 0: <r, r>
#define KRYLOV_RING      8
#define KRYLOV_RING_SIZE 256
#define KRYLOV_OWN       (KRYLOV_RING + KRYLOV_RING_SIZE)

// Reasons; 0: the method continues.
#define KRYLOV_CONVERGED       1
#define KRYLOV_BREAKDOWN_RHO   2
#define KRYLOV_BREAKDOWN_ALPHA 3
#define KRYLOV_BREAKDOWN_OMEGA 4
#define KRYLOV_NOT_FINITE      5
#define KRYLOV_INDEFINITE_A    6
#define KRYLOV_INDEFINITE_M    7
#define KRYLOV_BREAKDOWN_SPACE 8
