// SPDX-License-Identifier: BSD-3-Clause
// Symbolic phase, a program of three parts: reorder.cl.h, schedule.cl.h, and
// here, first in time, the order of the rows.
//     invert        inverse[perm[i]] = i
//     reverse, fold twisted ordering, from both ends of each subdomain
//     census        kept and dropped entries of each subdomain
//     levels        Mehta et al., arXiv 2508.04917, Algorithm 4.2
//     order         rows of a subdomain by level, longer ones first
//
// Rows, columns and entries are those of blocks if LCL_BLOCK is not 1.
//
// Data:   row i of the new numbering is row perm[i] of A; rows part_ptr[p] ..
//         part_ptr[p+1]-1 are subdomain p, in A's order until `order` runs.
// Launch: invert any number of groups, all others one group per subdomain.
//         `levels` and `order` hold 8 bytes per row in local memory, for at
//         most SUBDOMAIN_ROWS rows, or with GLOBAL_ROWS in global memory.
// Width 1: one item per subdomain, in order.
// Determinism: bitwise, except the order of long_rows, which affects no result.
#include "reorder.cl.h"
#include "schedule.cl.h"
#include "sort.cl.h"
#include "symbolic.cl.h"
#include "wave.cl.h"

#ifndef SUBDOMAIN_ROWS
# define SUBDOMAIN_ROWS 64 // rows of a subdomain held in local memory
#endif
#ifndef GLOBAL_ROWS
# define GLOBAL_ROWS 0 // 1: they are in global memory
#endif

// ARRAY(name, type, room): an array for the rows of a subdomain, in local
// memory or from `room` on.
#if GLOBAL_ROWS || LCL_WIDTH == 1
# define SPACE                   global
# define ARRAY(name, type, room) global type *name = (global type *)(room)
# define ARRAY_BARRIER()         GROUP_BARRIER_GLOBAL()
#else
# define SPACE                   local
# define ARRAY(name, type, room) local type name[SUBDOMAIN_ROWS]
# define ARRAY_BARRIER()         GROUP_BARRIER()
#endif

#ifndef LCL_BLOCK
# define LCL_BLOCK 1 // rows and columns of a block; an entry is a block
#endif
#define ENTRY_VALUES (LCL_BLOCK * LCL_BLOCK)

#ifndef PATTERN_ONLY
# define PATTERN_ONLY 0 // 1: `census` counts entries and reads no values
#endif

// Where the rows of a group's subdomain start and end.
static inline int2 subdomain_of(global const int *part_ptr)
{
    return (int2)(part_ptr[get_group_id(0)], part_ptr[get_group_id(0) + 1]);
}

static inline bool holds(int2 s, int j)
{
    return j >= s.x && j < s.y;
}

WORK_GROUP
kernel void invert(long n, global const int *perm, global int *inverse)
{
    for (RANGE(i, n))
        inverse[perm[i]] = (int)i;
}

// ------------------------------------------------------------------- census

// Entry k; for a block its Frobenius norm with the sign of its trace.
static inline double value_of(global const double *val, uint k)
{
#if PATTERN_ONLY
    return 0;
#elif LCL_BLOCK == 1
    return val[k];
#else
    double sum = 0, trace = 0;
    val += (ulong)k * ENTRY_VALUES;
    for (uint e = 0; e < ENTRY_VALUES; ++e) {
        sum += val[e] * val[e];
        trace += e % (LCL_BLOCK + 1) == 0 ? val[e] : 0.0;
    }
    return copysign(sqrt(sum), trace);
#endif
}

// Adds row i to the census C. Returns its number of entries left of the
// diagonal in the lower 16 bits, right of it in the upper 16 bits.
static inline uint count_row(struct lcl_census *C, int i, int2 s, uint2 r,
                             global const int *col, global const int *inverse,
                             global const double *val)
{
    uint sides = 0;
    double diagonal = 0, positive = 0, negative = 0;
    C->entries += r.y - r.x;
    for (uint k = r.x; k < r.y; ++k) {
        const int j = inverse[col[k]];
        const double value = value_of(val, k), weight = fabs(value);
        diagonal = j == i ? value : diagonal;
        positive += j != i && value > 0 ? weight : 0.0;
        negative += j != i && value < 0 ? weight : 0.0;
        if (!holds(s, j)) {
            C->dropped_weight += weight;
            continue;
        }
        ++C->kept;
        C->diagonals += j == i;
        C->kept_weight += j == i ? 0.0 : weight;
        sides += j < i ? 1 : j > i ? 1 << 16 : 0;
    }
    C->signs |= (diagonal > 0 ? 1 : 0) | (diagonal < 0 ? 2 : 0);
    // No branch: PoCL 6 aborts (its issue 1608) on sums that one branch uses.
    // No divisor is 0, even if the compiler drops a selection: the host may
    // trap floating-point exceptions.
    const double all = diagonal != 0 ? positive + negative : 0.0;
    const double size = fmax(fabs(diagonal), fmax(all, 1.0) * 0x1p-1022);
    C->couplings += all / size;
    C->opposite += (diagonal > 0   ? negative
                    : diagonal < 0 ? positive
                                   : 0.0) /
                   size;
    return sides;
}

static inline void merge(struct lcl_census *C,
                         local const struct lcl_census *other)
{
    C->entries += other->entries;
    C->kept += other->kept;
    C->diagonals += other->diagonals;
    C->kept_weight += other->kept_weight;
    C->dropped_weight += other->dropped_weight;
    C->couplings += other->couplings;
    C->opposite += other->opposite;
    C->signs |= other->signs;
}

// One item adds up the sums of the items in order, without group_sum(), whose
// scratch memory PoCL 3.1 would share among all groups here. long_rows lists
// the long_count[0] rows of A longer than SYMBOLIC_SHORT_ROW.
WORK_GROUP
kernel void census(global const int *part_ptr, global const int *perm,
                   global const int *inverse, global const uint *row_ptr,
                   global const int *col, global const double *val,
                   global uint *sides, global struct lcl_census *census,
                   global int *long_rows, global int *long_count)
{
    local struct lcl_census sums[LCL_GROUP];
    const int2 s = subdomain_of(part_ptr);
    struct lcl_census C = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    for (int i = s.x + (int)get_local_id(0); i < s.y; i += LCL_GROUP) {
        const uint2 r = symbolic_run(row_ptr, perm, i);
        sides[i] = count_row(&C, i, s, r, col, inverse, val);
        if (r.y - r.x > SYMBOLIC_SHORT_ROW)
            long_rows[atomic_inc(long_count)] = perm[i];
    }
    sums[get_local_id(0)] = C;
    GROUP_BARRIER();
    if (get_local_id(0) != 0)
        return;
    for (uint l = 1; l < LCL_GROUP; ++l)
        merge(&C, &sums[l]);
    census[get_group_id(0)] = C;
}

// ------------------------------------------------------------------- levels

// level(i) = 0 if row i depends on no row of its subdomain, else 1 + the
// largest level it depends on: row i depends on j < i where a_ij or a_ji is
// stored. Pair number first + t of `start` holds the numbers of rows and of
// steps before level t; a step has at most step_rows rows, a power of two.
#if LCL_WIDTH == 1

// Settles the level of row i and raises those of the later rows that it stores.
// Earlier rows are settled; those that store row i have raised its level.
static inline int settle_row(int i, int2 s, uint2 r, global const int *col,
                             global const int *inverse, global int *level)
{
    int own = level[i];
    for (uint k = r.x; k < r.y; ++k) {
        const int j = inverse[col[k]];
        if (holds(s, j) && j < i)
            own = max(own, level[j] + 1);
    }
    for (uint k = r.x; k < r.y; ++k) {
        const int j = inverse[col[k]];
        if (holds(s, j) && j > i)
            level[j] = max(level[j], own + 1);
    }
    level[i] = own;
    return own;
}

WORK_GROUP
kernel void levels(global const int *part_ptr, global const int *perm,
                   global const int *inverse, global const uint *row_ptr,
                   global const int *col, global int *level, global int *start,
                   global struct lcl_census *census, int step_rows,
                   global ulong *room)
{
    const int2 s = subdomain_of(part_ptr);
    int last = 0;
    for (int i = s.x; i < s.y; ++i)
        level[i] = 0;
    for (int i = s.x; i < s.y; ++i)
        last = max(last, settle_row(i, s, symbolic_run(row_ptr, perm, i), col,
                                    inverse, level));
    census[get_group_id(0)].levels = last + 1;
    census[get_group_id(0)].steps = s.y - s.x; // step_rows is 1
}
#else

# define UNKNOWN 0xffff

// Whether every row that row i stores left of its diagonal has its level. The
// first *seen of them have had theirs before.
static inline bool is_ready(int i, int2 s, uint2 r, global const int *col,
                            global const int *inverse,
                            SPACE const ushort *known, SPACE ushort *seen)
{
    for (uint k = r.x + *seen; k < r.y; ++k) {
        const int j = inverse[col[k]];
        if (holds(s, j) && j < i && known[j - s.x] == UNKNOWN) {
            *seen = (ushort)min(k - r.x, 0xffffu);
            return false;
        }
    }
    return true;
}

// Adds `change` to the wait counts of the rows that row i stores right of its
// diagonal.
static inline void tell_later(int change, int i, int2 s, uint2 r,
                              global const int *col, global const int *inverse,
                              SPACE int *waits)
{
    for (uint k = r.x; k < r.y; ++k) {
        const int j = inverse[col[k]];
        if (holds(s, j) && j > i)
            atomic_add(&waits[j - s.x], change);
    }
}

// A row waits for the earlier rows that store it and for those that it stores.
// The former decrement its wait count once they have a level; it polls the
// latter with is_ready(). `room` has 8 bytes per row.
WORK_GROUP
kernel void levels(global const int *part_ptr, global const int *perm,
                   global const int *inverse, global const uint *row_ptr,
                   global const int *col, global int *level, global int *start,
                   global struct lcl_census *census, int step_rows,
                   global ulong *room)
{
    const int lid = (int)get_local_id(0);
    const int2 s = subdomain_of(part_ptr);
    const int rows = s.y - s.x;
    ARRAY(waits, int, room + s.x);
    ARRAY(known, ushort, (global int *)(room + s.x) + rows);
    ARRAY(seen, ushort, (global ushort *)(room + s.x) + 3 * rows);
    local int left;
    int levels = 0, steps = 0;
    for (int i = lid; i < rows; i += LCL_GROUP) {
        known[i] = UNKNOWN;
        seen[i] = 0;
        waits[i] = 0;
    }
    if (lid == 0)
        left = rows;
    ARRAY_BARRIER();
    for (int i = s.x + lid; i < s.y; i += LCL_GROUP)
        tell_later(1, i, s, symbolic_run(row_ptr, perm, i), col, inverse,
                   waits);
    ARRAY_BARRIER();
    while (left > 0) {
        const int rest = left;
        if (lid == 0) {
            start[2 * (long)(s.x + levels)] = rows - rest;
            start[2 * (long)(s.x + levels) + 1] = steps;
        }
        for (int i = s.x + lid; i < s.y; i += LCL_GROUP)
            if (known[i - s.x] == UNKNOWN)
                level[i] =
                    waits[i - s.x] == 0 &&
                            is_ready(i, s, symbolic_run(row_ptr, perm, i), col,
                                     inverse, known, &seen[i - s.x])
                        ? levels
                        : UNKNOWN;
        ARRAY_BARRIER();
        for (int i = s.x + lid; i < s.y; i += LCL_GROUP)
            if (known[i - s.x] == UNKNOWN && level[i] == levels) {
                known[i - s.x] = (ushort)levels;
                atomic_dec(&left);
                tell_later(-1, i, s, symbolic_run(row_ptr, perm, i), col,
                           inverse, waits);
            }
        ARRAY_BARRIER();
        steps += (rest - left + step_rows - 1) / step_rows;
        ++levels;
    }
    if (lid == 0) {
        census[get_group_id(0)].levels = (uint)levels;
        census[get_group_id(0)].steps = (uint)steps;
    }
}
#endif

// ---------------------------------------------------------------- both ends

// Reverses the rows of each subdomain.
WORK_GROUP
kernel void reverse(global const int *part_ptr, global const int *perm,
                    global int *reversed)
{
    const int2 s = subdomain_of(part_ptr);
    for (int i = s.x + (int)get_local_id(0); i < s.y; i += LCL_GROUP)
        reversed[i] = perm[s.x + s.y - 1 - i];
}

// The minimum of a row's level and of its level in the reversed order.
WORK_GROUP
kernel void fold(global const int *part_ptr, global const int *from_the_end,
                 global int *level)
{
    const int2 s = subdomain_of(part_ptr);
    for (int i = s.x + (int)get_local_id(0); i < s.y; i += LCL_GROUP)
        if (from_the_end[s.x + s.y - 1 - i] < level[i])
            level[i] = from_the_end[s.x + s.y - 1 - i];
}

// ------------------------------------------------------------------- order

// Level, then entries inside the subdomain descending, then number.
static inline ulong key_of(int level, uint sides, uint row)
{
    const uint entries = (sides & 0xffff) + (sides >> 16);
    const uint shortness = entries < 0xffff ? 0xffff ^ entries : 0;
    return (ulong)level << 32 | shortness << 16 | row;
}

// Sorts the rows of each subdomain and permutes perm, inverse, level and sides.
// `room` has space for two keys per row at width 1, else for one.
WORK_GROUP
kernel void order(global const int *part_ptr, global const int *old_perm,
                  global const int *old_level, global const uint *old_sides,
                  global int *perm, global int *inverse, global int *level,
                  global uint *sides, global ulong *room)
{
    const int2 s = subdomain_of(part_ptr);
    const uint lid = get_local_id(0), rows = (uint)(s.y - s.x);
#if LCL_WIDTH == 1
    global ulong *key = room + 2 * (ulong)s.x;
#else
    ARRAY(key, ulong, room + s.x);
#endif
    for (uint i = lid; i < rows; i += LCL_GROUP)
        key[i] = key_of(old_level[s.x + i], old_sides[s.x + i], i);
    ARRAY_BARRIER();
#if LCL_WIDTH == 1
    key = merge_sort(key, key + rows, rows);
#else
    uint top = 1, stride = 1;
    while (top < rows) {
        for (uint t = lid; t < pairs_at(stride, rows); t += LCL_GROUP) {
            const uint low = low_of(t, stride);
            const uint high = high_of(low, stride, top);
            if (high >= rows || key[low] <= key[high])
                continue;
            const ulong larger = key[low];
            key[low] = key[high];
            key[high] = larger;
        }
        ARRAY_BARRIER();
        stride /= 2;
        if (stride == 0)
            stride = top *= 2;
    }
#endif
    for (int i = s.x + (int)lid; i < s.y; i += LCL_GROUP) {
        const ulong k = key[i - s.x];
        const int from = s.x + (int)(k & 0xffff);
        perm[i] = old_perm[from];
        inverse[perm[i]] = i;
        level[i] = (int)(k >> 32);
        sides[i] = old_sides[from];
    }
}
