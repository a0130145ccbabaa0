// SPDX-License-Identifier: BSD-3-Clause
// dag_vc_ILDU0_fused: x = (L D U)^-1 b on all subdomains in one launch, as
// published: vertex-centric DAG traversal over CSR rows, one work-item per row,
// the subdomain's vector in local memory, lower solve, scaling and upper solve
// fused. Entries are blocks of LCL_BLOCK rows; a row of a vector is LCL_BLOCK
// numbers.
// Mehta et al., arXiv 2508.04917, Algorithm 4.3, sections 4.2.3, 4.3 and 4.4.
//
// Data:   strict unit triangles in CSR on the rows of a subdomain; columns
//         ascend and count from its first row. The rows of each triangle are
//         sorted by its levels: level l of subdomain p is the rows order[k], k
//         = level_ptr[first_level[p] + l] .. level_ptr[... + 1] - 1; row_ptr[k]
//         is that of row order[k]. Blocks are row-major; inv_d holds those of
//         D^-1.
// Launch: one group per subdomain of at most SUBDOMAIN_ROWS rows.
// Width 1: one item per subdomain, in order, in place.
// Determinism: bitwise; one sum per row, in column order.
// If the stopping flag `stop[at]` is nonzero, the kernels do nothing.
#include "wave.cl.h"

#ifndef SUBDOMAIN_ROWS
# define SUBDOMAIN_ROWS 64 // rows of a subdomain held in local memory
#endif
#ifndef LCL_BLOCK
# define LCL_BLOCK 1 // rows and columns of a block, 1 to 8
#endif
#define ENTRIES (LCL_BLOCK * LCL_BLOCK)

// VECTOR(y, x): declares y, the subdomain's part of x or room for a local copy.
#if LCL_WIDTH == 1
# define SPACE        global
# define VECTOR(y, x) global double *y = x
#else
# define SPACE        local
# define VECTOR(y, x) local double y[SUBDOMAIN_ROWS * LCL_BLOCK]
#endif

INLINE void read_row(double *v, SPACE const double *y, uint row)
{
#pragma unroll
    for (uint c = 0; c < LCL_BLOCK; ++c)
        v[c] = y[row * LCL_BLOCK + c];
}

INLINE void write_row(SPACE double *y, uint row, const double *v)
{
#pragma unroll
    for (uint c = 0; c < LCL_BLOCK; ++c)
        y[row * LCL_BLOCK + c] = v[c];
}

// v += s M w
INLINE void add_product(double *v, double s, global const double *M,
                        const double *w)
{
#pragma unroll
    for (uint r = 0; r < LCL_BLOCK; ++r)
#pragma unroll
        for (uint c = 0; c < LCL_BLOCK; ++c)
            v[r] += s * M[r * LCL_BLOCK + c] * w[c];
}

// y_i -= sum_j M_ij y_j over the entries first .. last-1 of row i
INLINE void solve_row(uint i, uint first, uint last, global const ushort *col,
                      global const double *val, SPACE double *y)
{
    double sum[LCL_BLOCK], y_j[LCL_BLOCK];
    read_row(sum, y, i);
    for (uint k = first; k < last; ++k) {
        read_row(y_j, y, col[k]);
        add_product(sum, -1, val + (ulong)k * ENTRIES, y_j);
    }
    write_row(y, i, sum);
}

// y = T^-1 y for a unit triangle T, level by level
INLINE void solve(global const uint *first_level, global const uint *level_ptr,
                  global const ushort *order, global const uint *row_ptr,
                  global const ushort *col, global const double *val,
                  SPACE double *y)
{
    const uint p = get_group_id(0), end = first_level[p + 1] - 1;
    for (uint l = first_level[p]; l < end; ++l) {
        const uint to = level_ptr[l + 1];
        for (uint k = level_ptr[l] + get_local_id(0); k < to; k += LCL_GROUP)
            solve_row(order[k], row_ptr[k], row_ptr[k + 1], col, val, y);
        GROUP_BARRIER();
    }
}

// y_i = D_i^-1 y_i
INLINE void scale_row(uint i, global const double *inv_d, SPACE double *y)
{
    double old[LCL_BLOCK], scaled[LCL_BLOCK] = {0};
    read_row(old, y, i);
    add_product(scaled, 1, inv_d + i * ENTRIES, old);
    write_row(y, i, scaled);
}

WORK_GROUP
kernel void dag_vc_ILDU0_fused(
    global const uint *part_ptr, global const uint *lower_first,
    global const uint *lower_level, global const ushort *lower_order,
    global const uint *lower_ptr, global const ushort *lower_col,
    global const double *lower, global const uint *upper_first,
    global const uint *upper_level, global const ushort *upper_order,
    global const uint *upper_ptr, global const ushort *upper_col,
    global const double *upper, global const double *inv_d,
    global const double *b, global double *x, global const int *stop, int at)
{
    const uint lid = get_local_id(0), p = get_group_id(0);
    const uint first = part_ptr[p], rows = part_ptr[p + 1] - first;
    const ulong start = (ulong)first * LCL_BLOCK;
    VECTOR(y, x + start);
    if (stop[at])
        return;
    for (uint i = lid; i < rows * LCL_BLOCK; i += LCL_GROUP)
        y[i] = b[start + i];
    GROUP_BARRIER();
    solve(lower_first, lower_level, lower_order, lower_ptr, lower_col, lower,
          y);
    for (uint i = lid; i < rows; i += LCL_GROUP)
        scale_row(i, inv_d + start * LCL_BLOCK, y);
    GROUP_BARRIER();
    solve(upper_first, upper_level, upper_order, upper_ptr, upper_col, upper,
          y);
#if LCL_WIDTH > 1
    for (uint i = lid; i < rows * LCL_BLOCK; i += LCL_GROUP)
        x[start + i] = y[i];
#endif
}
