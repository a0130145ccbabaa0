// SPDX-License-Identifier: BSD-3-Clause
// Blocks of ildu0_block.cl, row-major: copies, products and inverses. In slots
// the entries of a block have a distance; with one work-item they are
// neighbours, and loops over them are vector code.
#pragma once

#include "factor.cl.h"
#include "pivot.cl.h"
#include "wave.cl.h"

#ifndef LCL_BLOCK
# define LCL_BLOCK 3 // rows and columns of a block, 1 to 8
#endif
#define ENTRIES (LCL_BLOCK * LCL_BLOCK)

#if LCL_GROUP > 1
# pragma OPENCL FP_CONTRACT OFF // the same factors from ildu0_block_team.cl
#endif

// ------------------------------------------------------------------- blocks

static inline void read_block(double *m, global const double *from, uint stride)
{
#pragma unroll
    for (uint e = 0; e < ENTRIES; ++e)
        m[e] = from[e * stride];
}

#if LCL_GROUP == 1

// Copies a block of the matrix, 0 if it is not stored; returns the largest
// magnitude.
INLINE double copy_block(global double *to, uint stride,
                         global const double *val, uint source)
{
    global const double *from = val + (ulong)source * ENTRIES;
    ulong largest = 0; // magnitudes have the order of their bits
    if (source >= LCL_FILL) {
        for (uint e = 0; e < ENTRIES; ++e)
            to[e] = 0;
        return 0;
    }
# pragma unroll
    for (uint e = 0; e < ENTRIES; ++e) {
        to[e] = from[e];
        largest = max(largest, as_ulong(fabs(from[e])));
    }
    return as_double(largest);
}

// product = m u, row by row, whose entries are neighbours.
INLINE void product_of(double *product, const double *m, global const double *u)
{
# pragma unroll
    for (uint r = 0; r < LCL_BLOCK; ++r) {
# pragma unroll
        for (uint c = 0; c < LCL_BLOCK; ++c)
            product[r * LCL_BLOCK + c] = 0;
# pragma unroll
        for (uint k = 0; k < LCL_BLOCK; ++k)
# pragma unroll
            for (uint c = 0; c < LCL_BLOCK; ++c)
                product[r * LCL_BLOCK + c] +=
                    m[r * LCL_BLOCK + k] * u[k * LCL_BLOCK + c];
    }
}

// to = m u; `to` may be the same array as u.
INLINE void block_times(global double *to, uint to_stride, const double *m,
                        global const double *u, uint u_stride)
{
    double product[ENTRIES];
    product_of(product, m, u);
# pragma unroll
    for (uint e = 0; e < ENTRIES; ++e)
        to[e] = product[e];
}

// to += m u
INLINE void add_product(global double *to, uint to_stride, const double *m,
                        global const double *u, uint u_stride)
{
    double product[ENTRIES];
    product_of(product, m, u);
# pragma unroll
    for (uint e = 0; e < ENTRIES; ++e)
        to[e] += product[e];
}

#else

// Copies a block of the matrix, 0 if it is not stored; returns the largest
// magnitude.
static inline double copy_block(global double *to, uint stride,
                                global const double *val, uint source)
{
    double largest = 0;
    for (uint e = 0; e < ENTRIES; ++e) {
        const double a =
            source < LCL_FILL ? val[(ulong)source * ENTRIES + e] : 0.0;
        to[e * stride] = a;
        largest = fmax(largest, fabs(a));
    }
    return largest;
}

// product = m v
static inline void times(double *product, const double *m, const double *v)
{
# pragma unroll
    for (uint r = 0; r < LCL_BLOCK; ++r) {
        product[r] = 0;
# pragma unroll
        for (uint k = 0; k < LCL_BLOCK; ++k)
            product[r] += m[r * LCL_BLOCK + k] * v[k];
    }
}

// Column c of m u.
static inline void product_column(double *column, const double *m,
                                  global const double *u, uint stride, uint c)
{
    double u_c[LCL_BLOCK];
# pragma unroll
    for (uint k = 0; k < LCL_BLOCK; ++k)
        u_c[k] = u[(k * LCL_BLOCK + c) * stride];
    times(column, m, u_c);
}

// to = m u; `to` may be the same array as u.
static inline void block_times(global double *to, uint to_stride,
                               const double *m, global const double *u,
                               uint u_stride)
{
    double column[LCL_BLOCK];
    for (uint c = 0; c < LCL_BLOCK; ++c) {
        product_column(column, m, u, u_stride, c);
# pragma unroll
        for (uint r = 0; r < LCL_BLOCK; ++r)
            to[(r * LCL_BLOCK + c) * to_stride] = column[r];
    }
}

// to += m u
static inline void add_product(global double *to, uint to_stride,
                               const double *m, global const double *u,
                               uint u_stride)
{
    double column[LCL_BLOCK];
    for (uint c = 0; c < LCL_BLOCK; ++c) {
        product_column(column, m, u, u_stride, c);
# pragma unroll
        for (uint r = 0; r < LCL_BLOCK; ++r)
            to[(r * LCL_BLOCK + c) * to_stride] += column[r];
    }
}

#endif

// ------------------------------------------------------------------ inverses

// The unused row with the largest entry in column k; bits of `used` mark used
// rows.
static inline uint find_pivot(const double *m, uint used, uint k)
{
    double most = 0;
    uint p = LCL_BLOCK;
#pragma unroll
    for (uint r = 0; r < LCL_BLOCK; ++r) {
        const double size = fabs(m[r * LCL_BLOCK + k]);
        if (!(used >> r & 1) && (p == LCL_BLOCK || size > most)) {
            most = size;
            p = r;
        }
    }
    return p;
}

// row = row p of m
static inline void take_row(double *row, const double *m, uint p)
{
#pragma unroll
    for (uint c = 0; c < LCL_BLOCK; ++c) {
        row[c] = 0;
#pragma unroll
        for (uint r = 0; r < LCL_BLOCK; ++r)
            row[c] = r == p ? m[r * LCL_BLOCK + c] : row[c];
    }
}

// Eliminates column k of m with row p and puts the transformed column p of the
// identity in its place. `row` is row p of m with 1 in column k, `inverse` the
// inverse of its pivot.
static inline void exchange(double *m, const double *row, double inverse,
                            uint k, uint p)
{
#pragma unroll
    for (uint r = 0; r < LCL_BLOCK; ++r) {
        const bool own = r == p;
        const double factor = (own ? -1.0 : m[r * LCL_BLOCK + k]) * inverse;
#pragma unroll
        for (uint c = 0; c < LCL_BLOCK; ++c) {
            const double old = own || c == k ? 0.0 : m[r * LCL_BLOCK + c];
            m[r * LCL_BLOCK + c] = old - factor * row[c];
        }
    }
}

// Inverts m in place by Gauss-Jordan elimination; the pivot of column k is the
// largest entry of the rows without a pivot so far. Rows are not swapped, so
// that the compiler knows every index: the result at (r, c) belongs to row
// inverse_row[r] and column inverse_column[c] of the inverse. Returns whether a
// pivot was small.
static inline bool invert_block(double *m, uint *inverse_row,
                                uint *inverse_column, double largest,
                                double tol, int policy)
{
    bool small, any_small = false;
    uint used = 0;
#pragma unroll
    for (uint k = 0; k < LCL_BLOCK; ++k) {
        const uint p = find_pivot(m, used, k);
        double row[LCL_BLOCK];
        take_row(row, m, p);
        const double d = repair(row[k], row[k], largest, tol, policy, &small);
        any_small |= small;
        row[k] = 1;
        exchange(m, row, 1.0 / d, k, p);
        inverse_column[k] = p;
#pragma unroll
        for (uint r = 0; r < LCL_BLOCK; ++r)
            inverse_row[r] = r == p ? k : inverse_row[r];
        used |= 1u << p;
    }
    return any_small;
}
