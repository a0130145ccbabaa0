// SPDX-License-Identifier: BSD-3-Clause
// Measures the asymmetry of A with two vectors u and w of fixed pseudo-random
// numbers in [-1, 1), entry by entry. Over the rows of group g:
//     sums[g]      = sum of a_ij (u_i w_j - w_i u_j)
//     sums[G + g]  = sum of |a_ij| (|u_i w_j| + |w_i u_j|), its scale
// The first sums add up to <u, A w> - <w, A u>: rounding error if A is
// symmetric, otherwise of the size of the differences of its entries, unless
// the terms cancel by chance.
//
// Launch: G groups; LANES_PER_ROW lanes share a block row.
// Layout: that of csr.cl and, for LCL_BLOCK > 1, of bsr.cl.
// Determinism: fixed order for a given G.
#include "index.cl.h"
#include "wave.cl.h"

#ifndef LCL_BLOCK
# define LCL_BLOCK 1 // rows and columns of a block
#endif

#ifndef LANES_PER_ROW
# define LANES_PER_ROW 1 // power of two up to the wave width
#endif

#define AREA (LCL_BLOCK * LCL_BLOCK)

// Number i of a pseudo-random sequence that depends on `salt`;
// lib/ref/symmetry.c has the same function.
static inline double random_at(ulong i, uint salt)
{
    uint h = (uint)i * 0x9e3779b1u + salt;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return (int)(h ^ (h >> 16)) * 0x1p-31;
}

#define RANDOM_U(i) random_at(i, 0x51ed270bu)
#define RANDOM_W(i) random_at(i, 0xb5297a4du)

// The difference and the scale summed over the entries from .. to-1 of block
// row i, every `step`-th value.
static inline double2 add_row(ulong i, index_t from, index_t to, uint lane,
                              uint step, global const int *col,
                              global const double *val)
{
    const ulong end = (ulong)to * AREA;
    double2 sum = 0;
    for (ulong t = (ulong)from * AREA + lane; t < end; t += step) {
        const ulong k = t / AREA;
        const uint place = (uint)(t - k * AREA), r = place / LCL_BLOCK;
        const ulong row = i * LCL_BLOCK + r;
        const ulong column = (ulong)col[k] * LCL_BLOCK + place - r * LCL_BLOCK;
        const double a = val[t];
        const double uw = RANDOM_U(row) * RANDOM_W(column);
        const double wu = RANDOM_W(row) * RANDOM_U(column);
        sum += (double2)(a * (uw - wu), fabs(a) * (fabs(uw) + fabs(wu)));
    }
    return sum;
}

WORK_GROUP
kernel void symmetry(long n, global const index_t *restrict row_ptr,
                     global const int *restrict col,
                     global const double *restrict val, global double *sums)
{
    double2 sum = 0;
#if LCL_WIDTH == 1
    for (RANGE(i, n))
        sum += add_row(i, row_ptr[i], row_ptr[i + 1], 0, 1, col, val);
#else
    local double scratch[LCL_GROUP];
    const uint lid = get_local_id(0), teams = LCL_GROUP / LANES_PER_ROW;
    const long step = (long)get_num_groups(0) * teams;
    for (long i = (long)get_group_id(0) * teams + lid / LANES_PER_ROW; i < n;
         i += step)
        sum += add_row(i, row_ptr[i], row_ptr[i + 1], lid % LANES_PER_ROW,
                       LANES_PER_ROW, col, val);
    sum.x = group_sum(sum.x, scratch);
    sum.y = group_sum(sum.y, scratch);
#endif
    if (get_local_id(0) != 0)
        return;
    sums[get_group_id(0)] = sum.x;
    sums[get_num_groups(0) + get_group_id(0)] = sum.y;
}
