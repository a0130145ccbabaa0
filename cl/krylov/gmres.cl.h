// SPDX-License-Identifier: BSD-3-Clause
// Shared by gmres.cl and gmres_step.cl: storage of the basis, layout of the
// scalars, stopping flags. lib/krylov/arnoldi.h has the same numbers.
//
// V: columns of `ld` values, ld >= n, norm 1; column k starts at V[k * ld].
// h[]: coefficients of the two passes of a step (H1, H2), y = R^-1 g
// (SOLUTION), the right-hand side g (RIGHT_SIDE), rotations (COSINE, SINE) and
// the packed columns of the upper triangle R; at most m columns.
#pragma once

#include "krylov.cl.h"
#include "rounding.cl.h"

#define GMRES_FP64 1
#define GMRES_FP32 2
#ifndef LCL_STORAGE
# define LCL_STORAGE GMRES_FP64
#endif

#if LCL_STORAGE == GMRES_FP32
typedef float stored;
# define STORED(v) narrowed(v)
#else
typedef double stored;
# define STORED(v) (v)
#endif

#define LIMIT 1024 // maximum number of columns
#define WAVES (LCL_GROUP / LCL_WIDTH)

// Stopping flags: of the kernel that made the first column, and of the steps.
#define STOP_BEGIN 0
#define STOP_STEP  1

// Own words of state[]: finished columns, 1 / nu, whether the space is
// exhausted, number of restarts, <r, r> at the last one.
#define COLUMNS   KRYLOV_OWN
#define INV_NU    (KRYLOV_OWN + 1)
#define EXHAUSTED (KRYLOV_OWN + 2)
#define RESTARTS  (KRYLOV_OWN + 3)
#define START     (KRYLOV_OWN + 4)

#define H1            0
#define H2(m)         (m)
#define SOLUTION(m)   (2 * (m))
#define RIGHT_SIDE(m) (3 * (m))
#define COSINE(m)     (4 * (m) + 1)
#define SINE(m)       (5 * (m) + 1)
#define TRIANGLE(m)   (6 * (m) + 1)
#define COLUMN(m, j)  (TRIANGLE(m) + (j) * ((j) + 1) / 2)

// for (EACH(i, first, count)): all items run every iteration, so that i may lie
// beyond the end in the last one: the vectoriser of PoCL 3.1 miscompiles loops
// and loads that only some items execute.
#define EACH(i, first, count)                                                  \
 int first = 0, i = get_local_id(0);                                           \
 first < (count);                                                              \
 first += LCL_GROUP, i += LCL_GROUP
