// SPDX-License-Identifier: BSD-3-Clause
// The values of a factor as they are stored for its application: rounded to
// nearest, ties to even, from fp64 slots to
//     float            (LCL_STORAGE 2, fp32)
//     words of bf16    (LCL_STORAGE 3, bf16), the column of the slot among them
// What is too large becomes infinite; in bf16 what is below 2^-126 becomes 0.
//
// Data:   factor.cl.h; one result for each slot of a plane, nothing between
//         subdomains.
// Launch: one group a subdomain.
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

WORK_GROUP
kernel void store(global const struct lcl_part *parts,
                  global const struct lcl_step *steps, global const ushort *col,
                  global const double *val, global float *stored)
{
    const struct lcl_part p = parts[get_group_id(0)];
    const ulong count = (ulong)p.slots * ENTRIES;
    val += p.slot * ENTRIES;
    stored += p.slot * ENTRIES;
    for (ulong i = get_local_id(0); i < count; i += LCL_GROUP)
        stored[i] = convert_float_rte(val[i]);
}

#else

# define WORDS LCL_BF16_WORDS(ENTRIES)

// `planes` planes of a step, from a slot of the subdomain on.
static inline void store_planes(global const ushort *col,
                                global const double *val, global uint *stored,
                                uint slot, uint rows, uint planes)
{
    for (uint i = get_local_id(0); i < rows * planes; i += LCL_GROUP) {
        const uint lane = i % rows, plane = slot + i - lane;
        global const double *a = val + (ulong)plane * ENTRIES + lane;
        global uint *word = stored + (ulong)plane * WORDS + lane;
        word[0] = col[plane + lane] | lcl_bf16_of(a[0]) << 16;
        for (uint k = 1; k < WORDS; ++k) {
            const uint low = lcl_bf16_of(a[(2 * k - 1) * rows]);
            const uint high =
                2 * k < ENTRIES ? lcl_bf16_of(a[2 * k * rows]) : 0;
            word[k * rows] = low | high << 16;
        }
    }
}

WORK_GROUP
kernel void store(global const struct lcl_part *parts,
                  global const struct lcl_step *steps, global const ushort *col,
                  global const double *val, global uint *stored)
{
    const struct lcl_part p = parts[get_group_id(0)];
    col += p.slot;
    val += p.slot * ENTRIES;
    stored += p.slot * WORDS;
    for (uint t = 0; t < p.steps; ++t) {
        const struct lcl_step s = steps[p.step + t];
        store_planes(col, val, stored, s.lower, s.rows, s.lower_planes);
        store_planes(col, val, stored, s.upper, s.rows, s.upper_planes);
    }
}
#endif
