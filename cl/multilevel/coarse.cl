// SPDX-License-Identifier: BSD-3-Clause
// Coarse correction with Nicolaides vectors: column (q, c) of Z is 1 in
// component c of the rows of aggregate q, 0 elsewhere.
//     coarse_w:         W = A Z
//     coarse_e:         E = Z^T W
//     coarse_restrict:  t = Z^T r          (restriction)
//     coarse_deflate:   t = Z^T r - W^T z, in t from aggregate `first` on;
//                       t = -W^T z if agg_ptr is NULL
//     coarse_residual:  y = r - W e
//     coarse_prolong:   x = x + Z e        (prolongation)
//     coarse_prolong_dot:  the same, and partial sums of <r, x>
//
// Data:   lib/multilevel/pattern.h. A has row-major blocks of LCL_BLOCK x
//         LCL_BLOCK values; a run is a maximal chain of consecutive blocks in a
//         row of A whose columns belong to one aggregate; W holds the sum of
//         each run.
// Launch: coarse_restrict and coarse_deflate one group per aggregate,
//         coarse_prolong one group per subdomain, coarse_e one group per value
//         of E that may be nonzero (at width 1 any number of groups), the
//         others any number of groups.
// Determinism: bitwise; sums depend only on the group size.
// If the stopping flag `stop[at]` is nonzero, the kernels do nothing.
#include "wave.cl.h"

#ifndef LCL_BLOCK
# define LCL_BLOCK 1 // rows and columns of a block, up to the group's size
#endif
#define AREA (LCL_BLOCK * LCL_BLOCK)

// Work-items that sum up vectors: a multiple of LCL_BLOCK, so that each always
// has the same component.
#if LCL_WIDTH == 1
# define ACTIVE LCL_BLOCK
#else
# define ACTIVE (LCL_GROUP / LCL_BLOCK * LCL_BLOCK)
#endif

// ------------------------------------------------------------------- values

WORK_GROUP
kernel void coarse_w(long runs, global const uint *run_first,
                     global const double *val, global double *w)
{
    const long values = runs * AREA;
    for (RANGE(t, values)) {
        const long k = t / AREA, place = t - k * AREA;
        double sum = 0;
        for (uint m = run_first[k]; m < run_first[k + 1]; ++m)
            sum += val[(ulong)m * AREA + place];
        w[t] = sum;
    }
}

static inline double sum_runs(global const uint *order, uint from, uint to,
                              uint stride, uint place, global const double *w)
{
    double sum = 0;
    for (uint m = from; m < to; m += stride)
        sum += w[(ulong)order[m] * AREA + place];
    return sum;
}

// Index in E, whose rows are `stride` apart, of value t of the entries; without
// entry_row they follow each other.
static inline ulong place_in_e(long t, long stride, global const int *entry_row,
                               global const int *entry_col)
{
    if (!entry_row)
        return t;
    const long m = t / AREA, place = t - m * AREA;
    const long i = place / LCL_BLOCK, j = place - i * LCL_BLOCK;
    return (entry_row[m] * (long)LCL_BLOCK + i) * stride +
           entry_col[m] * (long)LCL_BLOCK + j;
}

// `values` is the number of values of all entries.
WORK_GROUP
kernel void coarse_e(long values, long stride, global const uint *entry_ptr,
                     global const int *entry_row, global const int *entry_col,
                     global const uint *order, global const double *w,
                     global double *E)
{
#if LCL_WIDTH == 1
    for (RANGE(t, values)) {
        const long m = t / AREA;
        E[place_in_e(t, stride, entry_row, entry_col)] =
            sum_runs(order, entry_ptr[m], entry_ptr[m + 1], 1, t - m * AREA, w);
    }
#else
    local double scratch[LCL_GROUP];
    const long t = get_group_id(0), m = t / AREA;
    double sum = sum_runs(order, entry_ptr[m] + get_local_id(0),
                          entry_ptr[m + 1], LCL_GROUP, t - m * AREA, w);
    sum = group_sum(sum, scratch);
    if (get_local_id(0) == 0)
        E[place_in_e(t, stride, entry_row, entry_col)] = sum;
#endif
}

// ------------------------------------------------------------------- vectors

// This item's share of the sum of r over an aggregate, for component
// `lane` % LCL_BLOCK.
static inline double sum_aggregate(global const int *agg_ptr,
                                   global const int *agg_parts,
                                   global const int *part_ptr, uint lane,
                                   global const double *r)
{
    const int q = get_group_id(0);
    double sum = 0;
    if (!agg_ptr) // no rows
        return sum;
    for (int m = agg_ptr[q]; m < agg_ptr[q + 1]; ++m) {
        const int p = agg_parts[m];
        const long end = part_ptr[p + 1] * (long)LCL_BLOCK;
        for (long i = part_ptr[p] * (long)LCL_BLOCK + lane; i < end;
             i += ACTIVE)
            sum += r[i];
    }
    return sum;
}

// This item's share of W^T z.
static inline double sum_column(global const uint *col_ptr,
                                global const uint *order,
                                global const int *run_row,
                                global const double *w, uint lane,
                                global const double *z)
{
    const int q = get_group_id(0);
    const ulong end = (ulong)col_ptr[q + 1] * LCL_BLOCK;
    double sum = 0;
    for (ulong i = (ulong)col_ptr[q] * LCL_BLOCK + lane; i < end; i += ACTIVE) {
        const ulong m = i / LCL_BLOCK, k = order[m];
        global const double *column = w + k * AREA + (i - m * LCL_BLOCK);
        global const double *block = z + run_row[k] * (long)LCL_BLOCK;
        for (uint u = 0; u < LCL_BLOCK; ++u)
            sum += column[u * LCL_BLOCK] * block[u];
    }
    return sum;
}

#if LCL_WIDTH > 1
// The sum over the items of the same component.
static inline double total(double v, local double *scratch)
{
# if LCL_BLOCK == 1
    return group_sum(v, scratch);
# else
    const uint lid = get_local_id(0);
    double sum = 0;
    scratch[lid] = v;
    GROUP_BARRIER();
    for (uint l = lid % LCL_BLOCK; l < ACTIVE; l += LCL_BLOCK)
        sum += scratch[l];
    return sum;
# endif
}
#endif

WORK_GROUP
kernel void coarse_restrict(global const int *restrict agg_ptr,
                            global const int *restrict agg_parts,
                            global const int *restrict part_ptr,
                            global const double *restrict r,
                            global double *restrict t, global const int *stop,
                            int at)
{
    if (stop[at])
        return;
    t += (long)get_group_id(0) * LCL_BLOCK;
#if LCL_WIDTH == 1
    for (uint c = 0; c < LCL_BLOCK; ++c)
        t[c] = sum_aggregate(agg_ptr, agg_parts, part_ptr, c, r);
#else
    local double scratch[LCL_GROUP];
    const uint lid = get_local_id(0);
    double sum = 0;
    if (lid < ACTIVE)
        sum = sum_aggregate(agg_ptr, agg_parts, part_ptr, lid, r);
    sum = total(sum, scratch);
    if (lid < LCL_BLOCK)
        t[lid] = sum;
#endif
}

WORK_GROUP
kernel void coarse_deflate(
    long first, global const int *restrict agg_ptr,
    global const int *restrict agg_parts, global const int *restrict part_ptr,
    global const uint *restrict col_ptr, global const uint *restrict order,
    global const int *restrict run_row, global const double *restrict w,
    global const double *restrict r, global const double *restrict z,
    global double *restrict t, global const int *stop, int at)
{
    if (stop[at])
        return;
    t += (first + (long)get_group_id(0)) * LCL_BLOCK;
#if LCL_WIDTH == 1
    for (uint c = 0; c < LCL_BLOCK; ++c)
        t[c] = sum_aggregate(agg_ptr, agg_parts, part_ptr, c, r) -
               sum_column(col_ptr, order, run_row, w, c, z);
#else
    local double scratch[LCL_GROUP];
    const uint lid = get_local_id(0);
    double sum = 0;
    if (lid < ACTIVE)
        sum = sum_aggregate(agg_ptr, agg_parts, part_ptr, lid, r) -
              sum_column(col_ptr, order, run_row, w, lid, z);
    sum = total(sum, scratch);
    if (lid < LCL_BLOCK)
        t[lid] = sum;
#endif
}

// y may be r. Row i of W is row[i] of the vectors, if `row` is there.
WORK_GROUP
kernel void coarse_residual(long n, global const int *restrict row,
                            global const uint *restrict run_ptr,
                            global const int *restrict run_agg,
                            global const double *restrict w,
                            global const double *restrict e,
                            global const double *r, global double *y,
                            global const int *stop, int at)
{
    if (stop[at])
        return;
    const long rows = n * LCL_BLOCK;
    for (RANGE(i, rows)) {
        const long m = i / LCL_BLOCK, c = i - m * LCL_BLOCK;
        const long own = row ? row[m] * (long)LCL_BLOCK + c : i;
        double sum = r[own];
        for (uint k = run_ptr[m]; k < run_ptr[m + 1]; ++k) {
            global const double *block = w + (ulong)k * AREA + c * LCL_BLOCK;
            global const double *e_q = e + run_agg[k] * (long)LCL_BLOCK;
            for (uint u = 0; u < LCL_BLOCK; ++u)
                sum -= block[u] * e_q[u];
        }
        y[own] = sum;
    }
}

WORK_GROUP
kernel void coarse_prolong(global const int *restrict part_ptr,
                           global const int *restrict part_agg,
                           global const double *restrict e,
                           global double *restrict x, global const int *stop,
                           int at)
{
    if (stop[at])
        return;
    const int p = get_group_id(0);
    const long end = part_ptr[p + 1] * (long)LCL_BLOCK;
    global const double *e_q = e + part_agg[p] * (long)LCL_BLOCK;
    for (long i = part_ptr[p] * (long)LCL_BLOCK + get_local_id(0); i < end;
         i += LCL_GROUP)
        x[i] += e_q[i % LCL_BLOCK];
}

// coarse_prolong, and sums[g] = share of <r, x> of the subdomains of group g.
WORK_GROUP
kernel void coarse_prolong_dot(long parts, global const int *restrict part_ptr,
                               global const int *restrict part_agg,
                               global const double *restrict e,
                               global const double *restrict r,
                               global double *restrict x,
                               global double *restrict sums,
                               global const int *stop, int at)
{
    local double scratch[LCL_GROUP];
    double sum = 0;
    if (stop[at])
        return;
    for (long p = get_group_id(0); p < parts; p += get_num_groups(0)) {
        const long end = part_ptr[p + 1] * (long)LCL_BLOCK;
        global const double *e_q = e + part_agg[p] * (long)LCL_BLOCK;
        for (long i = part_ptr[p] * (long)LCL_BLOCK + get_local_id(0); i < end;
             i += LCL_GROUP) {
            const double x_i = x[i] + e_q[i % LCL_BLOCK];
            x[i] = x_i;
            sum += r[i] * x_i;
        }
    }
    sum = group_sum(sum, scratch);
    if (get_local_id(0) == 0)
        sums[get_group_id(0)] = sum;
}
