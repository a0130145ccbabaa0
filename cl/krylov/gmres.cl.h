// SPDX-License-Identifier: BSD-3-Clause
// What the two files of GMRES share: how the basis is stored, the words of the
// scalars, the stop flags. lib/krylov/arnoldi.h has the same numbers.
//
// V: columns of `ld` values, ld >= n, column k from V[k * ld] on, of length 1.
// h[]: coefficients of the two passes of a step (H1, H2), y = R^-1 g (Y), the
// right-hand side g (G), rotations (COSINE, SINE) and the columns of the upper
// triangle R, packed; m columns at most.
#pragma once

#include "krylov.cl.h"

#define GMRES_FP64 1
#define GMRES_FP32 2
#ifndef LCL_STORAGE
# define LCL_STORAGE GMRES_FP64
#endif

#if LCL_STORAGE == GMRES_FP32
typedef float stored;
# define STORED(v) convert_float_rte(v)
#else
typedef double stored;
# define STORED(v) (v)
#endif

#define LIMIT 1024 // columns at most
#define WAVES (LCL_GROUP / LCL_WIDTH)

// Stop flags: what has left a first column, and the others.
#define STOP_BEGIN 0
#define STOP_STEP  1

// Own words of state[]: columns that are done, 1 / nu, whether the space is
// exhausted, restarts.
#define COLUMNS   KRYLOV_OWN
#define INV_NU    (KRYLOV_OWN + 1)
#define EXHAUSTED (KRYLOV_OWN + 2)
#define RESTARTS  (KRYLOV_OWN + 3)

#define H1           0
#define H2(m)        (m)
#define Y(m)         (2 * (m))
#define G(m)         (3 * (m))
#define COSINE(m)    (4 * (m) + 1)
#define SINE(m)      (5 * (m) + 1)
#define TRIANGLE(m)  (6 * (m) + 1)
#define COLUMN(m, j) (TRIANGLE(m) + (j) * ((j) + 1) / 2)

// for (EACH(i, first, count)): items go through the loop together, so that some
// have an i beyond the end in its last turn; loops and loads that not all items
// take part in are what the vectoriser of PoCL 3.1 gets wrong.
#define EACH(i, first, count)                                                  \
 int first = 0, i = get_local_id(0);                                           \
 first < (count);                                                              \
 first += LCL_GROUP, i += LCL_GROUP
