// SPDX-License-Identifier: BSD-3-Clause
// What the kernels of GMRES and their host code share.
//
// h[]: coefficients of the two passes of a step (H1, H2), y = R^-1 g
// (SOLUTION), the right-hand side g (RIGHT_SIDE), rotations (COSINE, SINE) and
// the packed columns of the upper triangle R; at most m columns.
#pragma once

#include "krylov_state.cl.h"

// Values of LCL_STORAGE.
#define GMRES_FP64 1
#define GMRES_FP32 2

// Stopping flags: of the kernel that made the first column, and of the steps.
#define GMRES_STOP_BEGIN 0
#define GMRES_STOP_STEP  1
#define GMRES_STOPS      2

// Own words of state[]: finished columns, 1 / nu, whether the space is
// exhausted, number of restarts, <r, r> at the last one.
#define GMRES_COLUMNS   KRYLOV_OWN
#define GMRES_INV_NU    (KRYLOV_OWN + 1)
#define GMRES_EXHAUSTED (KRYLOV_OWN + 2)
#define GMRES_RESTARTS  (KRYLOV_OWN + 3)
#define GMRES_START     (KRYLOV_OWN + 4)
#define GMRES_WORDS     5

#define GMRES_H1            0
#define GMRES_H2(m)         (m)
#define GMRES_SOLUTION(m)   (2 * (m))
#define GMRES_RIGHT_SIDE(m) (3 * (m))
#define GMRES_COSINE(m)     (4 * (m) + 1)
#define GMRES_SINE(m)       (5 * (m) + 1)
#define GMRES_TRIANGLE(m)   (6 * (m) + 1)
#define GMRES_COLUMN(m, j)  (GMRES_TRIANGLE(m) + (j) * ((j) + 1) / 2)
