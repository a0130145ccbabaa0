// SPDX-License-Identifier: BSD-3-Clause
// What kernels of y = A x share: the products, and what is done with a row of
// the result. Each kernel comes in four products:
//     NAME_plain:     y = A x
//     NAME_dot:       y = A x,      partial sums of <w, y>
//     NAME_dot_norm:  y = A x,      partial sums of <w, y> and <y, y>
//     NAME_residual:  y = w - A x,  partial sums of <y, y>
// Group g of G leaves its sums in sums[g] and sums[G + g], <y, y> always in the
// second half. `stop[at]` other than 0: the caller has stopped, nothing is
// done. Where LCL_VECTORS is defined there is in their place
//     NAME_many:      Y = A X for so many vectors, q at x[(first + q) ldx] and
//                     y[(first + q) ldy]
#pragma once

#include "wave.cl.h"

#define PRODUCT_PLAIN    0
#define PRODUCT_DOT      1
#define PRODUCT_DOT_NORM 2
#define PRODUCT_RESIDUAL 3

#ifdef LCL_VECTORS
# define MANY 1
#else
# define MANY        0
# define LCL_VECTORS 1
#endif
#ifndef LCL_WIDE
# define LCL_WIDE 0 // 1: nearly 2^32 entries or more, 64-bit row pointers
#endif
#if LCL_WIDE
typedef ulong index_t;
#else
typedef uint index_t;
#endif

// What a work-item has added up so far.
struct spmv_sums {
    double wy, yy;
};

// w_i where the product needs it: to be read before the row, not after it.
static inline double spmv_operand(int product, global const double *w, long i)
{
    return product == PRODUCT_PLAIN ? 0 : w[i];
}

// Row i, whose product is known to be `dot`.
static inline void spmv_row(int product, long i, double dot, double w_i,
                            global double *y, struct spmv_sums *s)
{
    const double y_i = product == PRODUCT_RESIDUAL ? w_i - dot : dot;
    y[i] = y_i;
    if (product == PRODUCT_DOT || product == PRODUCT_DOT_NORM)
        s->wy += w_i * y_i;
    if (product == PRODUCT_DOT_NORM || product == PRODUCT_RESIDUAL)
        s->yy += y_i * y_i;
}

// After the last row, by all work-items of the group.
INLINE void spmv_finish(int product, struct spmv_sums s, global double *sums,
                        local double *scratch)
{
    if (product == PRODUCT_DOT || product == PRODUCT_DOT_NORM)
        s.wy = group_sum(s.wy, scratch);
    if (product == PRODUCT_DOT_NORM || product == PRODUCT_RESIDUAL)
        s.yy = group_sum(s.yy, scratch);
    if (get_local_id(0) != 0)
        return;
    if (product == PRODUCT_DOT || product == PRODUCT_DOT_NORM)
        sums[get_group_id(0)] = s.wy;
    if (product == PRODUCT_DOT_NORM || product == PRODUCT_RESIDUAL)
        sums[get_num_groups(0) + get_group_id(0)] = s.yy;
}

// A kernel over n rows, or block rows, as they are stored, around the file's
// own multiply().
#define SPMV_ROWS_KERNEL(name, product)                                        \
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
  multiply(product, n, row_ptr, col, val, x, w, y, sums, scratch);             \
 }
