// SPDX-License-Identifier: BSD-3-Clause
// Converts the values of a factor from fp64 slots to the format stored for its
// application:
//     float            (LCL_STORAGE 2, fp32)
//     words of bf16    (LCL_STORAGE 3, bf16), including the column of the slot
//
// Data:   factor.cl.h; one result per slot of a plane, nothing between
//         subdomains.
// Launch: one group per subdomain.
// Result: counts[1] and counts[2], the halves of one number, are raised by the
//         number of values lost in the format.
#include "factor.cl.h"
#include "stored.cl.h"
#include "wave.cl.h"

#ifndef LCL_STORAGE
# define LCL_STORAGE 3
#endif
#ifndef LCL_BLOCK
# define LCL_BLOCK 1 // rows and columns of a block, 1 to 8
#endif
#define ENTRIES (LCL_BLOCK * LCL_BLOCK)

#if LCL_STORAGE == 2

// Values that a lane looks at before it converts them: on a CPU, loops over
// values of which none is lost are a few vector instructions.
# if LCL_GROUP == 1
#  define CHUNK 256
# else
#  define CHUNK 1
# endif

// Converts `count` values; returns the number of lost ones.
static inline int store_values(global float *stored, global const double *val,
                               uint count)
{
    int lost = 0;
    for (uint i = 0; i < count; ++i)
        lost += lcl_stored_loses(val[i], LCL_FP32_LIMIT);
    if (lost == 0)
        for (uint i = 0; i < count; ++i)
            stored[i] = convert_float_rte(val[i]);
    else
        for (uint i = 0; i < count; ++i)
            stored[i] = lcl_fp32_of(val[i]);
    return lost;
}

WORK_GROUP
kernel void store(global const struct lcl_part *parts,
                  global const struct lcl_step *steps, global const ushort *col,
                  global const double *val, global float *stored,
                  global int *counts)
{
    const struct lcl_part p = parts[get_group_id(0)];
    const ulong count = (ulong)p.slots * ENTRIES;
    int lost = 0;
    val += p.slot * ENTRIES;
    stored += p.slot * ENTRIES;
    for (ulong i = get_local_id(0) * CHUNK; i < count; i += LCL_GROUP * CHUNK) {
        const uint few = CHUNK == 1 ? 1 : (uint)min((ulong)CHUNK, count - i);
        lost += store_values(stored + i, val + i, few);
    }
    if (lost > 0)
        lcl_stored_count(counts, lost);
}

#else

# define STORED_WORDS LCL_BF16_WORDS(ENTRIES)

static inline uint store_half(double a, int *lost)
{
    *lost += lcl_stored_loses(a, LCL_BF16_LIMIT);
    return lcl_bf16_of(a);
}

// Converts `planes` planes of a step, starting at a slot of the subdomain.
// Returns the number of lost values.
static inline int store_planes(global const ushort *col,
                               global const double *val, global uint *stored,
                               uint slot, uint rows, uint planes)
{
    int lost = 0;
    for (uint i = get_local_id(0); i < rows * planes; i += LCL_GROUP) {
        const uint lane = i % rows, plane = slot + i - lane;
        global const double *a = val + (ulong)plane * ENTRIES + lane;
        global uint *word = stored + (ulong)plane * STORED_WORDS + lane;
        word[0] = col[plane + lane] | store_half(a[0], &lost) << 16;
        for (uint k = 1; k < STORED_WORDS; ++k) {
            const uint low = store_half(a[(2 * k - 1) * rows], &lost);
            const uint high =
                2 * k < ENTRIES ? store_half(a[2 * k * rows], &lost) : 0;
            word[k * rows] = low | high << 16;
        }
    }
    return lost;
}

WORK_GROUP
kernel void store(global const struct lcl_part *parts,
                  global const struct lcl_step *steps, global const ushort *col,
                  global const double *val, global uint *stored,
                  global int *counts)
{
    const struct lcl_part p = parts[get_group_id(0)];
    int lost = 0;
    col += p.slot;
    val += p.slot * ENTRIES;
    stored += p.slot * STORED_WORDS;
    for (uint t = 0; t < p.steps; ++t) {
        const struct lcl_step s = steps[p.step + t];
        lost += store_planes(col, val, stored, s.lower, s.rows, s.lower_planes);
        lost += store_planes(col, val, stored, s.upper, s.rows, s.upper_planes);
    }
    if (lost > 0)
        lcl_stored_count(counts, lost);
}
#endif
