// SPDX-License-Identifier: BSD-3-Clause
// Shared by the kernels for y = A x: the modes, and the processing of a row
// of the result. Each kernel exists for four modes:
//     NAME_plain:     y = A x
//     NAME_dot:       y = A x,      partial sums of <w, y>
//     NAME_dot_norm:  y = A x,      partial sums of <w, y> and <y, y>
//     NAME_residual:  y = w - A x,  partial sums of <y, y>
// Group g of G stores its sums in sums[g] and sums[G + g], <y, y> always in the
// second half. If the stopping flag `stop[at]` is nonzero, a kernel does
// nothing. If the spec sets VECTORS, there is instead
//     NAME_many:      Y = A X for VECTORS vectors, vector q at
//                     x[(first + q) ldx] and y[(first + q) ldy]
#pragma once

#include "index.cl.h"
#include "wave.cl.h"

#define MODE_APPLY          0
#define MODE_APPLY_DOT      1
#define MODE_APPLY_DOT_NORM 2
#define MODE_RESIDUAL       3
#define MODE_APPLY_ADD      4 // y = A x + w; only product_sums.cl

#ifndef VECTORS
# define VECTORS 1
# define MANY    0
#else
# define MANY 1
#endif

// Running sums of a work-item.
struct spmv_sums {
    double wy, yy;
};

// w_i if the mode needs it; call it before the loop over the row, so that
// the load is issued early.
INLINE double spmv_operand(int mode, global const double *w, long i)
{
    return mode == MODE_APPLY ? 0 : w[i];
}

// Stores row i, whose product is `dot`, and updates the sums.
INLINE void spmv_row(int mode, long i, double dot, double w_i, global double *y,
                     struct spmv_sums *s)
{
    const double y_i = mode == MODE_RESIDUAL    ? w_i - dot
                       : mode == MODE_APPLY_ADD ? dot + w_i
                                                : dot;
    y[i] = y_i;
    if (mode == MODE_APPLY_DOT || mode == MODE_APPLY_DOT_NORM)
        s->wy += w_i * y_i;
    if (mode == MODE_APPLY_DOT_NORM || mode == MODE_RESIDUAL)
        s->yy += y_i * y_i;
}

// Stores the group's sums that the mode asks for.
static inline void spmv_store(int mode, struct spmv_sums s, global double *sums)
{
    if (get_local_id(0) != 0)
        return;
    if (mode == MODE_APPLY_DOT || mode == MODE_APPLY_DOT_NORM)
        sums[get_group_id(0)] = s.wy;
    if (mode == MODE_APPLY_DOT_NORM || mode == MODE_RESIDUAL)
        sums[get_num_groups(0) + get_group_id(0)] = s.yy;
}

// Adds up and stores the group's sums; all work-items call it after the last
// row.
INLINE void spmv_finish(int mode, struct spmv_sums s, global double *sums,
                        local double *scratch)
{
    if (mode == MODE_APPLY_DOT || mode == MODE_APPLY_DOT_NORM)
        s.wy = group_sum(s.wy, scratch);
    if (mode == MODE_APPLY_DOT_NORM || mode == MODE_RESIDUAL)
        s.yy = group_sum(s.yy, scratch);
    spmv_store(mode, s, sums);
}

// The same for a mode that is an argument of the kernel: PoCL 6 confuses a sum
// over sub-groups that only some modes use.
INLINE void spmv_finish_any(int mode, struct spmv_sums s, global double *sums,
                            local double *scratch)
{
    if (mode != MODE_APPLY) {
        s.wy = group_sum(s.wy, scratch);
        s.yy = group_sum(s.yy, scratch);
    }
    spmv_store(mode, s, sums);
}

// A kernel over n rows (or block rows) in storage order that calls the file's
// multiply().
#define SPMV_ROWS_KERNEL(name, mode)                                           \
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
