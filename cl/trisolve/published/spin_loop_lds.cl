// SPDX-License-Identifier: BSD-3-Clause
// The published synchronisation-free triangular solve: one wave per row, which
// waits for the rows it needs, partial sums of the rows in local memory.
// Entries are blocks of LCL_BLOCK rows; a row of a vector is LCL_BLOCK numbers.
// Mehta et al., arXiv 2508.04917, Algorithm 4.1.
//     spin_loop_lds         (L D) x = b
//     spin_loop_lds_upper   U x = b, unit U
//
// Data:   strict triangles in CSR, columns counted from the first row of the
//         subdomain. Blocks are row-major; inv_d holds those of D^-1.
// Launch: one group per subdomain of at most SUBDOMAIN_ROWS rows. Rows are
//         assigned to the waves in turn, in the order of the matrix, order[k]
//         being the k-th of a subdomain; the entries of a row to the lanes of
//         its wave. done[i] counts the lanes that have added to row i and then
//         marks it as solved: atomic operations on a flag with fences around
//         it, as in the probe of forward progress. A lane waits for rows of
//         other waves, which come earlier. A barrier ends the rows of each
//         turn, so that items only ever wait for earlier items of the group,
//         the case that the probe verifies. FREE_TURNS: no barrier, as
//         published, for devices known to schedule waves in turn.
//         The launch itself resets done[].
// Width 1: one item per subdomain, in order, without waiting.
// Determinism: none, the order of additions varies; bitwise at width 1.
// b may be x. If the stopping flag `stop[at]` is nonzero, the kernels do
// nothing.
#include "atomic.cl.h"
#include "wave.cl.h"

#ifndef FREE_TURNS
# define FREE_TURNS 0 // 1: no barrier between turns
#endif
#ifndef SUBDOMAIN_ROWS
# define SUBDOMAIN_ROWS 64 // rows of a subdomain, their sums in local memory
#endif
#ifndef LCL_BLOCK
# define LCL_BLOCK 1 // rows and columns of a block, 1 to 8
#endif
#define ENTRIES (LCL_BLOCK * LCL_BLOCK)

// The subdomain's part of all arrays; row numbers count from its first row.
struct triangle {
    global const uint *row_ptr;
    global const ushort *col;
    global const double *val;
    global const double *inv_d; // NULL: D is 1
    global const double *b;
    volatile global double *x;
    volatile global int *done;
    volatile local double *sum;
};

// v += M w
INLINE void add_product(double *v, global const double *M, const double *w)
{
#pragma unroll
    for (uint r = 0; r < LCL_BLOCK; ++r)
#pragma unroll
        for (uint c = 0; c < LCL_BLOCK; ++c)
            v[r] += M[r * LCL_BLOCK + c] * w[c];
}

// sum += M_ij x_j for entry k
INLINE void add_entry(double *sum, const struct triangle *t, uint k)
{
    volatile global const double *x = t->x + t->col[k] * LCL_BLOCK;
    double x_j[LCL_BLOCK];
#pragma unroll
    for (uint c = 0; c < LCL_BLOCK; ++c)
        x_j[c] = x[c];
    add_product(sum, t->val + (ulong)k * ENTRIES, x_j);
}

// x_i = D_i^-1 (b_i - sum)
INLINE void finish_row(const struct triangle *t, uint i, const double *sum)
{
    double y[LCL_BLOCK], scaled[LCL_BLOCK] = {0};
#pragma unroll
    for (uint c = 0; c < LCL_BLOCK; ++c)
        y[c] = t->b[i * LCL_BLOCK + c] - sum[c];
    if (t->inv_d)
        add_product(scaled, t->inv_d + i * ENTRIES, y);
#pragma unroll
    for (uint c = 0; c < LCL_BLOCK; ++c)
        t->x[i * LCL_BLOCK + c] = t->inv_d ? scaled[c] : y[c];
}

#if LCL_WIDTH == 1

# define END_TURN()

static inline void reset(const struct triangle *t, uint rows)
{
}

static inline void solve_row(const struct triangle *t, uint i)
{
    double sum[LCL_BLOCK] = {0};
    for (uint k = t->row_ptr[i]; k < t->row_ptr[i + 1]; ++k)
        add_entry(sum, t, k);
    finish_row(t, i, sum);
}

#else

# if FREE_TURNS
#  define END_TURN()
# else
#  define END_TURN() GROUP_BARRIER_GLOBAL()
# endif

# define SOLVED (LCL_WIDTH + 1) // value of done[i] once x_i is stored

static inline void reset(const struct triangle *t, uint rows)
{
    for (uint i = get_local_id(0); i < rows * LCL_BLOCK; i += LCL_GROUP)
        t->sum[i] = 0;
    for (uint i = get_local_id(0); i < rows; i += LCL_GROUP)
        atomic_xchg(&t->done[i], 0);
}

static inline void wait_for(const struct triangle *t, uint j)
{
    while (atomic_add(&t->done[j], 0) != SOLVED)
        ;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
}

// The sum of row i over all lanes.
INLINE void total(double *sum, const struct triangle *t, uint i)
{
# pragma unroll
    for (uint c = 0; c < LCL_BLOCK; ++c)
        sum[c] = t->sum[i * LCL_BLOCK + c];
}

// The lane that finishes last solves the row.
static inline void solve_row(const struct triangle *t, uint i)
{
    const uint lane = get_local_id(0) % LCL_WIDTH;
    const uint first = t->row_ptr[i], last = t->row_ptr[i + 1];
    const int lanes = clamp((int)(last - first), 1, LCL_WIDTH);
    double sum[LCL_BLOCK] = {0};
    if ((int)lane >= lanes)
        return;
    for (uint k = first + lane; k < last; k += LCL_WIDTH) {
        wait_for(t, t->col[k]);
        add_entry(sum, t, k);
    }
# pragma unroll
    for (uint c = 0; c < LCL_BLOCK; ++c)
        add_local((local double *)&t->sum[i * LCL_BLOCK + c], sum[c]);
    mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (atomic_add(&t->done[i], 1) < lanes - 1)
        return;
    mem_fence(CLK_LOCAL_MEM_FENCE);
    total(sum, t, i);
    finish_row(t, i, sum);
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    atomic_xchg(&t->done[i], SOLVED);
}
#endif

#define WAVES (LCL_GROUP / LCL_WIDTH)

WORK_GROUP
kernel void spin_loop_lds(global const uint *part_ptr,
                          global const ushort *order,
                          global const uint *row_ptr, global const ushort *col,
                          global const double *val, global const double *inv_d,
                          global const double *b, volatile global double *x,
                          volatile global int *done, global const int *stop,
                          int at)
{
    local double sum[SUBDOMAIN_ROWS * LCL_BLOCK];
    const uint p = get_group_id(0), wave = get_local_id(0) / LCL_WIDTH;
    const uint first = part_ptr[p], rows = part_ptr[p + 1] - first;
    const ulong start = (ulong)first * LCL_BLOCK;
    const struct triangle t = {
        row_ptr + first, col,       val,          inv_d + start * LCL_BLOCK,
        b + start,       x + start, done + first, sum};
    if (stop[at])
        return;
    reset(&t, rows);
    GROUP_BARRIER_GLOBAL();
    for (uint turn = 0; turn < rows; turn += WAVES) {
        if (turn + wave < rows)
            solve_row(&t, order[first + turn + wave]);
        END_TURN();
    }
}

WORK_GROUP
kernel void spin_loop_lds_upper(
    global const uint *part_ptr, global const ushort *order,
    global const uint *row_ptr, global const ushort *col,
    global const double *val, global const double *b, volatile global double *x,
    volatile global int *done, global const int *stop, int at)
{
    local double sum[SUBDOMAIN_ROWS * LCL_BLOCK];
    const uint p = get_group_id(0), wave = get_local_id(0) / LCL_WIDTH;
    const uint first = part_ptr[p], rows = part_ptr[p + 1] - first;
    const ulong start = (ulong)first * LCL_BLOCK;
    const struct triangle t = {row_ptr + first, col,       val,          0,
                               b + start,       x + start, done + first, sum};
    if (stop[at])
        return;
    reset(&t, rows);
    GROUP_BARRIER_GLOBAL();
    for (uint turn = 0; turn < rows; turn += WAVES) {
        if (turn + wave < rows)
            solve_row(&t, order[first + rows - 1 - turn - wave]);
        END_TURN();
    }
}
