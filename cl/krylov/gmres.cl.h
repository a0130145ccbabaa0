// SPDX-License-Identifier: BSD-3-Clause
// Shared by the kernels of GMRES: storage of the basis.
//
// V: columns of `ld` values, ld >= n, norm 1; column k starts at V[k * ld].
// h[], state[], stop[]: gmres_state.cl.h.
#pragma once

#include "gmres_state.cl.h"
#include "krylov.cl.h"
#include "rounding.cl.h"

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

// for (EACH(i, first, count)): all items run every iteration, so that i may lie
// beyond the end in the last one: the vectoriser of PoCL 3.1 miscompiles loops
// and loads that only some items execute.
#define EACH(i, first, count)                                                  \
 int first = 0, i = get_local_id(0);                                           \
 first < (count);                                                              \
 first += LCL_GROUP, i += LCL_GROUP
