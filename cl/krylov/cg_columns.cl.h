// SPDX-License-Identifier: BSD-3-Clause
// What cg_columns.cl and its host code share.
#pragma once

#include "krylov_state.cl.h"

// Stopping flags: BEFORE is that of cg_columns_p.
#define CG_COLUMNS_BEFORE 0
#define CG_COLUMNS_STOP_P 1
#define CG_COLUMNS_STOP_R 2
#define CG_COLUMNS_STOPS  3

// Own words of state[]: some for each column, one after the other for all
// columns, then a ring of squared residual norms for each.
#define CG_COLUMNS_REASON  0 // 0: it goes on
#define CG_COLUMNS_STEP    1 // at which it ended
#define CG_COLUMNS_RHO     2
#define CG_COLUMNS_ALPHA   3 // 0: x and r stay
#define CG_COLUMNS_BETA    4
#define CG_COLUMNS_START   5 // <r, r> at first
#define CG_COLUMNS_BEST    6 // and at best
#define CG_COLUMNS_BEST_AT 7
#define CG_COLUMNS_RINGS   8
#define CG_COLUMNS_WORDS   (CG_COLUMNS_RINGS + KRYLOV_RING_SIZE) // of a column

// Reasons of a column besides those of krylov_state.cl.h.
#define CG_COLUMNS_STAGNATION 9
#define CG_COLUMNS_DIVERGED   10
