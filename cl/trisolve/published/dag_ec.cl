// SPDX-License-Identifier: BSD-3-Clause
// The published triangular solves by edge-centric DAG traversal: one work-item
// per entry of a level, sums by atomic addition, a barrier after each level.
// Entries are blocks of LCL_BLOCK rows; a row of a vector is LCL_BLOCK numbers.
// Mehta et al., arXiv 2508.04917, sections 4.2.4, 4.3 and 4.4.
//     dag_ec_lower         (L D) y = b, rows divided level by level
//     dag_ec_unit          L y = b or U x = b, unit triangles
//     dag_ec_scale         D x = b
//     dag_ec_ILDU0_fused   L D U x = b in one launch
//
// Data:   strict triangles in CSR on the rows of a subdomain; columns and rows
//         of entries count from its first row. The rows of each triangle are
//         sorted by its levels: level l of subdomain p is the rows order[k], k
//         = level_ptr[first_level[p] + l] .. level_ptr[... + 1] - 1, and its
//         entries are a range as well; row_ptr[k] is that of row order[k].
//         Blocks are row-major; inv_d holds those of D^-1.
// Launch: one group per subdomain. Its vector, at most SUBDOMAIN_ROWS rows, is
//         in local memory, and LCL_ADD selects the addition in local memory.
//         With GLOBAL_VECTOR the vector stays in x, and the addition is
//         red.global.add.f64 on NVIDIA, otherwise a loop of 64-bit compare and
//         swap.
// Width 1: one item per subdomain, in order, in place.
// Determinism: none, the order of additions varies; bitwise at width 1.
// b may be x. If the stopping flag `stop[at]` is nonzero, the kernels do
// nothing.
#include "atomic.cl.h"
#include "wave.cl.h"

#ifndef GLOBAL_VECTOR
# define GLOBAL_VECTOR 0 // 1: the vector stays in global memory
#endif
#ifndef SUBDOMAIN_ROWS
# define SUBDOMAIN_ROWS 64 // rows of a subdomain held in local memory
#endif
#ifndef LCL_BLOCK
# define LCL_BLOCK 1 // rows and columns of a block, 1 to 8
#endif
#define ENTRIES (LCL_BLOCK * LCL_BLOCK)

// VECTOR(y, x): declares y, the subdomain's part of x or room for a local copy.
#if GLOBAL_VECTOR || LCL_WIDTH == 1
# define SPACE          global
# define VECTOR(y, x)   global double *y = x
# define ADD            add_global
# define WAIT_FOR_ALL() GROUP_BARRIER_GLOBAL()
#else
# define SPACE          local
# define VECTOR(y, x)   local double y[SUBDOMAIN_ROWS * LCL_BLOCK]
# define ADD            add_local
# define WAIT_FOR_ALL() GROUP_BARRIER()
#endif

// The number of rows of the group's subdomain.
static inline uint rows_of(global const uint *part_ptr)
{
    const uint p = get_group_id(0);
    return part_ptr[p + 1] - part_ptr[p];
}

// Its levels in a triangle: from x to y - 1.
static inline uint2 levels_of(global const uint *first_level)
{
    const uint p = get_group_id(0);
    return (uint2)(first_level[p], first_level[p + 1] - 1);
}

// Index of its first component in a vector.
static inline ulong start_of(global const uint *part_ptr)
{
    return (ulong)part_ptr[get_group_id(0)] * LCL_BLOCK;
}

static inline void load(global const double *b, uint rows, SPACE double *y)
{
    for (uint i = get_local_id(0); i < rows * LCL_BLOCK; i += LCL_GROUP)
        y[i] = b[i];
}

static inline void store(SPACE const double *y, uint rows, global double *x)
{
#if !GLOBAL_VECTOR && LCL_WIDTH > 1
    for (uint i = get_local_id(0); i < rows * LCL_BLOCK; i += LCL_GROUP)
        x[i] = y[i];
#endif
}

// Component r of M v
static inline double product(global const double *M, const double *v, uint r)
{
    double sum = 0;
#pragma unroll
    for (uint c = 0; c < LCL_BLOCK; ++c)
        sum += M[r * LCL_BLOCK + c] * v[c];
    return sum;
}

// y_i -= M_ij y_j for the entries first .. last-1
INLINE void subtract(uint first, uint last, global const ushort *row,
                     global const ushort *col, global const double *val,
                     SPACE double *y)
{
    for (uint k = first + get_local_id(0); k < last; k += LCL_GROUP) {
        double y_j[LCL_BLOCK];
#pragma unroll
        for (uint c = 0; c < LCL_BLOCK; ++c)
            y_j[c] = y[col[k] * LCL_BLOCK + c];
        for (uint r = 0; r < LCL_BLOCK; ++r)
            ADD(&y[row[k] * LCL_BLOCK + r],
                -product(val + (ulong)k * ENTRIES, y_j, r));
    }
}

// y_i = D_i^-1 y_i
INLINE void divide_row(uint i, global const double *inv_d, SPACE double *y)
{
    double y_i[LCL_BLOCK];
#pragma unroll
    for (uint c = 0; c < LCL_BLOCK; ++c)
        y_i[c] = y[i * LCL_BLOCK + c];
    for (uint r = 0; r < LCL_BLOCK; ++r)
        y[i * LCL_BLOCK + r] = product(inv_d + i * ENTRIES, y_i, r);
}

// The same for all rows.
INLINE void divide(uint rows, global const double *inv_d, SPACE double *y)
{
    for (uint i = get_local_id(0); i < rows; i += LCL_GROUP)
        divide_row(i, inv_d, y);
}

WORK_GROUP
kernel void dag_ec_lower(global const uint *part_ptr,
                         global const uint *first_level,
                         global const uint *level_ptr,
                         global const uint *row_ptr, global const ushort *row,
                         global const ushort *col, global const double *val,
                         global const ushort *order, global const double *inv_d,
                         global const double *b, global double *x,
                         global const int *stop, int at)
{
    const uint2 levels = levels_of(first_level);
    const uint rows = rows_of(part_ptr);
    const ulong start = start_of(part_ptr);
    VECTOR(y, x + start);
    if (stop[at])
        return;
    load(b + start, rows, y);
    WAIT_FOR_ALL();
    for (uint l = levels.x; l < levels.y; ++l) {
        const uint from = level_ptr[l], to = level_ptr[l + 1];
        subtract(row_ptr[from], row_ptr[to], row, col, val, y);
        WAIT_FOR_ALL();
        for (uint k = from + get_local_id(0); k < to; k += LCL_GROUP)
            divide_row(order[k], inv_d + start * LCL_BLOCK, y);
        WAIT_FOR_ALL();
    }
    store(y, rows, x + start);
}

// y = T^-1 y for a unit triangle T, level by level
INLINE void solve(global const uint *first_level, global const uint *level_ptr,
                  global const uint *row_ptr, global const ushort *row,
                  global const ushort *col, global const double *val,
                  SPACE double *y)
{
    const uint2 levels = levels_of(first_level);
    for (uint l = levels.x; l < levels.y; ++l) {
        subtract(row_ptr[level_ptr[l]], row_ptr[level_ptr[l + 1]], row, col,
                 val, y);
        WAIT_FOR_ALL();
    }
}

WORK_GROUP
kernel void dag_ec_unit(global const uint *part_ptr,
                        global const uint *first_level,
                        global const uint *level_ptr,
                        global const uint *row_ptr, global const ushort *row,
                        global const ushort *col, global const double *val,
                        global const double *b, global double *x,
                        global const int *stop, int at)
{
    const uint rows = rows_of(part_ptr);
    const ulong start = start_of(part_ptr);
    VECTOR(y, x + start);
    if (stop[at])
        return;
    load(b + start, rows, y);
    WAIT_FOR_ALL();
    solve(first_level, level_ptr, row_ptr, row, col, val, y);
    store(y, rows, x + start);
}

WORK_GROUP
kernel void dag_ec_scale(global const uint *part_ptr,
                         global const double *inv_d, global const double *b,
                         global double *x, global const int *stop, int at)
{
    const uint rows = rows_of(part_ptr);
    const ulong start = start_of(part_ptr);
    VECTOR(y, x + start);
    if (stop[at])
        return;
    load(b + start, rows, y);
    WAIT_FOR_ALL();
    divide(rows, inv_d + start * LCL_BLOCK, y);
    WAIT_FOR_ALL();
    store(y, rows, x + start);
}

WORK_GROUP
kernel void dag_ec_ILDU0_fused(
    global const uint *part_ptr, global const uint *lower_first,
    global const uint *lower_level, global const uint *lower_ptr,
    global const ushort *lower_row, global const ushort *lower_col,
    global const double *lower, global const uint *upper_first,
    global const uint *upper_level, global const uint *upper_ptr,
    global const ushort *upper_row, global const ushort *upper_col,
    global const double *upper, global const double *inv_d,
    global const double *b, global double *x, global const int *stop, int at)
{
    const uint rows = rows_of(part_ptr);
    const ulong start = start_of(part_ptr);
    VECTOR(y, x + start);
    if (stop[at])
        return;
    load(b + start, rows, y);
    WAIT_FOR_ALL();
    solve(lower_first, lower_level, lower_ptr, lower_row, lower_col, lower, y);
    divide(rows, inv_d + start * LCL_BLOCK, y);
    WAIT_FOR_ALL();
    solve(upper_first, upper_level, upper_ptr, upper_row, upper_col, upper, y);
    store(y, rows, x + start);
}
