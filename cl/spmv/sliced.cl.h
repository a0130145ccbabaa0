// SPDX-License-Identifier: BSD-3-Clause
// A matrix in slices of ROWS rows: the layout that slices.cl writes and
// sliced.cl multiplies with. For blocks of B = LCL_BLOCK rows, "row", "column"
// and "entry" mean those of blocks.
//
// Slot k of a slice holds one entry of each row side by side, that of the
// slice's row l at lane l; a slot of blocks has B^2 such runs of values.
// `start` holds, for each slice and for the end, the numbers of near and of far
// slots before it. The near slots of a slice come first: their columns are
// 16-bit offsets from base_of(slice). Far slots have 32-bit columns. A slice
// has as many slots as its longest row has entries, and as many far slots as
// the maximum number of entries of a row beyond the reach of 16 bits; near
// entries that find no near slot take a far one. Padding slots have the value 0
// and a column that occurs in their row anyway, or else the base.
#pragma once

#include "spmv.cl.h"

#ifndef LCL_BLOCK
# define LCL_BLOCK 1 // rows and columns of a block
#endif
#define AREA (LCL_BLOCK * LCL_BLOCK)

// rows of a slice; at width 1 the widest vector of doubles of a CPU
#if LCL_WIDTH == 1
# define ROWS 8
#else
# define ROWS LCL_WIDTH
#endif

// Base of the near columns: the slice's first row, but at most the last column,
// for matrices with fewer columns than rows.
static inline int base_of(long slice, int last_col)
{
    return (int)min(slice * ROWS, (long)last_col);
}
