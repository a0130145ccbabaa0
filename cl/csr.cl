// SPDX-License-Identifier: BSD-3-Clause
// y = A x for A in CSR, with the dot products that follow it in a Krylov step:
//     csr_plain:     y = A x
//     csr_dot:       y = A x,      partial sums of <w, y>
//     csr_dot_norm:  y = A x,      partial sums of <w, y> and <y, y>
//     csr_residual:  y = w - A x,  partial sums of <y, y>
//
// Launch: G groups; LCL_LANES lanes share a row, so that they read its entries
//         side by side; group g leaves its sums in sums[g] and sums[G + g],
//         <y, y> always in the second half.
// Determinism: fixed order for a given G.
// `stop[at]` other than 0: the caller has stopped, nothing is done.
#include "wave.cl.h"

#define PLAIN    0
#define DOT      1
#define DOT_NORM 2
#define RESIDUAL 3

#ifndef LCL_LANES
# define LCL_LANES 1 // lanes of a row, power of two up to the wave width
#endif
#ifndef LCL_WIDE
# define LCL_WIDE 0 // 1: 2^32 entries or more, 64-bit row pointers
#endif
#if LCL_WIDE
typedef ulong index_t;
#else
typedef uint index_t;
#endif

static inline double row_dot(index_t from, index_t to, uint lane,
                             global const int *col, global const double *val,
                             global const double *x)
{
    double sum = 0;
    for (index_t k = from + lane; k < to; k += LCL_LANES)
        sum += val[k] * x[col[k]];
    return sum;
}

// What row i adds to the partial sums, once y_i is known.
static inline void finish_row(int mode, long i, double dot,
                              global const double *w, global double *y,
                              double *wy, double *yy)
{
    const double y_i = mode == RESIDUAL ? w[i] - dot : dot;
    y[i] = y_i;
    if (mode == DOT || mode == DOT_NORM)
        *wy += w[i] * y_i;
    if (mode == DOT_NORM || mode == RESIDUAL)
        *yy += y_i * y_i;
}

static inline void multiply(int mode, long n,
                            global const index_t *restrict row_ptr,
                            global const int *restrict col,
                            global const double *restrict val,
                            global const double *restrict x,
                            global const double *restrict w,
                            global double *restrict y,
                            global double *restrict sums, local double *scratch)
{
    double wy = 0, yy = 0;
#if LCL_WIDTH == 1
    for (RANGE(i, n))
        finish_row(mode, i, row_dot(row_ptr[i], row_ptr[i + 1], 0, col, val, x),
                   w, y, &wy, &yy);
#else
    const uint lane = get_local_id(0) % LCL_LANES;
    const uint row = get_local_id(0) / LCL_LANES;
    const uint rows = LCL_GROUP / LCL_LANES;
    for (long first = (long)get_group_id(0) * rows; first < n;
         first += (long)get_num_groups(0) * rows) {
        const long i = first + row;
        double dot = 0;
        if (i < n)
            dot = row_dot(row_ptr[i], row_ptr[i + 1], lane, col, val, x);
        dot = wave_sum(dot, LCL_LANES, scratch);
        if (i < n && lane == 0)
            finish_row(mode, i, dot, w, y, &wy, &yy);
    }
    if (mode == DOT || mode == DOT_NORM)
        wy = group_sum(wy, scratch);
    if (mode == DOT_NORM || mode == RESIDUAL)
        yy = group_sum(yy, scratch);
#endif
    if (get_local_id(0) != 0)
        return;
    if (mode == DOT || mode == DOT_NORM)
        sums[get_group_id(0)] = wy;
    if (mode == DOT_NORM || mode == RESIDUAL)
        sums[get_num_groups(0) + get_group_id(0)] = yy;
}

#define KERNEL(name, mode)                                                     \
 WORK_GROUP                                                                    \
 kernel void name(                                                             \
     long n, global const index_t *restrict row_ptr,                           \
     global const int *restrict col, global const double *restrict val,        \
     global const double *restrict x, global const double *restrict w,         \
     global double *restrict y, global double *restrict sums,                  \
     global const int *stop, int at)                                           \
 {                                                                             \
  local double scratch[LCL_GROUP];                                             \
  if (stop[at])                                                                \
   return;                                                                     \
  multiply(mode, n, row_ptr, col, val, x, w, y, sums, scratch);                \
 }

KERNEL(csr_plain, PLAIN)
KERNEL(csr_dot, DOT)
KERNEL(csr_dot_norm, DOT_NORM)
KERNEL(csr_residual, RESIDUAL)
