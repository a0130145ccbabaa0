// SPDX-License-Identifier: BSD-3-Clause
// A slot of a factor without blocks (factor.cl.h) in the format LCL_STORAGE:
// a value, and for bf16 its column in the lower half of the same word.
#pragma once

#include "stored.cl.h"

#ifndef LCL_STORAGE
# define LCL_STORAGE LCL_STORED_FP64 // enum lcl_factor_storage
#endif

#if LCL_STORAGE == LCL_STORED_FP64
typedef double stored_t;
#elif LCL_STORAGE == LCL_STORED_FP32
typedef float stored_t;
#else
typedef uint stored_t;
#endif

static inline double slot_value(stored_t slot)
{
#if LCL_STORAGE == LCL_STORED_BF16
    return lcl_bf16_value(slot >> 16);
#else
    return slot;
#endif
}

// The column of a slot; bf16 does not read `col`, the array of columns.
#if LCL_STORAGE == LCL_STORED_BF16
# define SLOT_COLUMN(slot, col) ((slot)&0xffffu)
#else
# define SLOT_COLUMN(slot, col) (col)
#endif

// Stores a value, for bf16 with its column; returns 1 if the value is lost in
// the format.
static inline int slot_store(global stored_t *slot, double a, uint column)
{
#if LCL_STORAGE == LCL_STORED_FP64
    *slot = a;
    return 0;
#elif LCL_STORAGE == LCL_STORED_FP32
    const bool lost = lcl_stored_loses(a, LCL_FP32_LIMIT);
    if (lost) // rare
        *slot = lcl_fp32_of(a);
    else
        *slot = convert_float_rte(a);
    return lost;
#else
    *slot = column | lcl_bf16_of(a) << 16;
    return lcl_stored_loses(a, LCL_BF16_LIMIT);
#endif
}
