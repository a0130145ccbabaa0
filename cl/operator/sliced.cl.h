// SPDX-License-Identifier: BSD-3-Clause
// A matrix in slices of ROWS rows: what slices.cl, which makes them, and
// sliced.cl, which multiplies, agree on. With blocks of B rows, rows, columns
// and entries are those of blocks.
//
// Slot k of a slice holds one entry of each of its rows, side by side, lane l
// that of the slice's row l; a block is B^2 such runs of values. `start` holds,
// for each slice and for the end, how many near and how many far slots lie
// before it. The near slots of a slice come first: their columns are 16-bit
// offsets from base_of(slice). Far slots have 32-bit columns. A slice has as
// many slots as its longest row has entries, and as many far ones as one of its
// rows has entries out of reach of 16 bits; a near entry that finds no near
// slot takes a far one. A slot that a row does not fill has the value 0 and a
// column that its row has anyway, or else the base.
#pragma once

#include "spmv.cl.h"

#ifndef LCL_BLOCK
# define LCL_BLOCK 1 // rows and columns of a block
#endif
#define B LCL_BLOCK

// rows of a slice: at width 1 a vector, as wide as CPUs have them
#if LCL_WIDTH == 1
# define ROWS 8
#else
# define ROWS LCL_WIDTH
#endif

// What near columns count from: the slice's first row, or the last column where
// there are fewer columns than rows.
static inline int base_of(long slice, int last_col)
{
    return (int)min(slice * ROWS, (long)last_col);
}
