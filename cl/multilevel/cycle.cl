// SPDX-License-Identifier: BSD-3-Clause
// The kernels of a V-cycle (cycle of lib/multilevel/cycle.h), in fp32: two
// steps of the Chebyshev iteration of the fourth kind before and after the
// coarse correction (Lottes, Numer. Linear Algebra Appl. 30 (2023)), of
// which the first ones start from 0. With s = 1 / lambda:
//     d_1 = (4/3) s D^-1 r,   d_2 = d_1 / 5 + (12/5) s D^-1 (r - A d_1)
//     cycle_first     x = d_1 + d_2 and r = b - A d_1, d = d_2
//     cycle_residual  r = r - A d
//     cycle_restrict  y = R x
//     cycle_prolong   y = y + P x
//     cycle_again     r = b - A x, d = d_1, y = x + d
//     cycle_last      y = y + d_2
//     cycle_scale     partial maxima of |x| in fp64
//     cycle_enter     y = x / scale, where scale is a power of two near the
//                     largest |x|: fp32 has a small range
//     cycle_dense     y = E x, with a dense matrix E in fp64
//     cycle_leave     y = scale x in fp64
//     cycle_store     y = x in fp32; lost[0] counts what is out of its range
//     cycle_diagonal  inv_d of a matrix
//     cycle_spread    E = A, a matrix in CSR
//
// Data:   matrices in CSR, values in fp32; inv_d holds D^-1, lambda[0] the
//         largest eigenvalue of D^-1 A.
// Launch: any number of groups; LANES_PER_ROW lanes share a row.
// Determinism: bitwise; sums over a row have a fixed order.
// If the stopping flag `stop[at]` is nonzero, the kernels do nothing.
#include "wave.cl.h"

#ifndef LANES_PER_ROW
# define LANES_PER_ROW 1 // power of two up to the wave width
#endif
#ifndef LCL_WIDE
# define LCL_WIDE 0 // 1: 64-bit row pointers
#endif
#if LCL_WIDE
typedef ulong index_t;
#else
typedef uint index_t;
#endif

struct matrix {
    long n;
    global const index_t *row_ptr;
    global const int *col;
    global const float *val;
};

// The vectors of a level.
struct vectors {
    global const float *inv_d;
    float s; // 1 / lambda
    global const float *b;
    global const float *x;
    global float *r, *d, *y;
};

// What a kernel does with the product of a row.
#define FIRST    0
#define RESIDUAL 1
#define RESTRICT 2
#define PROLONG  3
#define AGAIN    4
#define LAST     5

// Entry j of the vector of a step: d_1 for FIRST, d for RESIDUAL and LAST, else
// x.
static inline float entry_of(int step, struct vectors v, int j)
{
    return step == FIRST ? 4.0f / 3 * v.s * v.inv_d[j] * v.b[j]
           : step == RESIDUAL || step == LAST ? v.d[j]
                                              : v.x[j];
}

// The lane's share of a row times this vector, two entries at a time: their
// loads do not wait for each other.
static inline float row_dot(int step, struct matrix A, struct vectors v, long i,
                            uint lane)
{
    float dot = 0;
    const index_t to = A.row_ptr[i + 1];
    for (index_t k = A.row_ptr[i] + lane; k < to; k += 2 * LANES_PER_ROW) {
        const index_t other = min(k + LANES_PER_ROW, to - 1);
        const float a = A.val[k];
        const float c = k + LANES_PER_ROW < to ? A.val[other] : 0.0f;
        const float x = entry_of(step, v, A.col[k]);
        const float y = entry_of(step, v, A.col[other]);
        dot += a * x;
        dot += c * y;
    }
    return dot;
}

// d_2 from d_1 and its residual.
static inline float second(struct vectors v, long i, float d, float r)
{
    return d / 5 + 12.0f / 5 * v.s * v.inv_d[i] * r;
}

static inline void finish_row(int step, struct vectors v, long i, float dot)
{
    if (step == FIRST) {
        const float d = 4.0f / 3 * v.s * v.inv_d[i] * v.b[i];
        const float r = v.b[i] - dot, d_2 = second(v, i, d, r);
        v.r[i] = r;
        v.d[i] = d_2;
        v.y[i] = d + d_2;
    } else if (step == RESIDUAL) {
        v.r[i] -= dot;
    } else if (step == RESTRICT) {
        v.y[i] = dot;
    } else if (step == PROLONG) {
        v.y[i] += dot;
    } else if (step == AGAIN) {
        const float r = v.b[i] - dot;
        const float d = 4.0f / 3 * v.s * v.inv_d[i] * r;
        v.r[i] = r;
        v.d[i] = d;
        v.y[i] = v.x[i] + d;
    } else {
        v.y[i] += second(v, i, v.d[i], v.r[i] - dot);
    }
}

INLINE void multiply(int step, struct matrix A, struct vectors v,
                     local double *scratch)
{
#if LCL_WIDTH == 1
    for (RANGE(i, A.n))
        finish_row(step, v, i, row_dot(step, A, v, i, 0));
#else
    const uint lane = get_local_id(0) % LANES_PER_ROW;
    const uint rows = LCL_GROUP / LANES_PER_ROW;
    for (long first = (long)get_group_id(0) * rows; first < A.n;
         first += (long)get_num_groups(0) * rows) {
        const long i = first + get_local_id(0) / LANES_PER_ROW;
        float dot = 0;
        if (i < A.n)
            dot = row_dot(step, A, v, i, lane);
        dot = (float)wave_sum(dot, LANES_PER_ROW, scratch);
        if (i < A.n && lane == 0)
            finish_row(step, v, i, dot);
    }
#endif
}

// LAST reads d of other rows and writes y only, RESIDUAL writes r only.
#define STEP_KERNEL(name, step)                                                \
 WORK_GROUP                                                                    \
 kernel void name(                                                             \
     long n, global const index_t *restrict row_ptr,                           \
     global const int *restrict col, global const float *restrict val,         \
     global const float *restrict inv_d, global const double *lambda,          \
     global const float *b, global const float *x, global float *r,            \
     global float *d, global float *y, global const int *stop, int at)         \
 {                                                                             \
  local double scratch[LCL_GROUP];                                             \
  const struct matrix A = {n, row_ptr, col, val};                              \
  const struct vectors v = {inv_d, (float)(1 / lambda[0]), b, x, r, d, y};     \
  if (stop[at])                                                                \
   return;                                                                     \
  multiply(step, A, v, scratch);                                               \
 }

STEP_KERNEL(cycle_first, FIRST)
STEP_KERNEL(cycle_residual, RESIDUAL)
STEP_KERNEL(cycle_again, AGAIN)
STEP_KERNEL(cycle_last, LAST)

#define MOVE_KERNEL(name, step)                                                \
 WORK_GROUP                                                                    \
 kernel void name(long n, global const index_t *restrict row_ptr,              \
                  global const int *restrict col,                              \
                  global const float *restrict val, global const float *x,     \
                  global float *y, global const int *stop, int at)             \
 {                                                                             \
  local double scratch[LCL_GROUP];                                             \
  const struct matrix A = {n, row_ptr, col, val};                              \
  const struct vectors v = {0, 0, 0, x, 0, 0, y};                              \
  if (stop[at])                                                                \
   return;                                                                     \
  multiply(step, A, v, scratch);                                               \
 }

MOVE_KERNEL(cycle_restrict, RESTRICT)
MOVE_KERNEL(cycle_prolong, PROLONG)

// ------------------------------------------------------------------- entry

WORK_GROUP
kernel void cycle_scale(long n, global const double *x, global double *largest,
                        global const int *stop, int at)
{
    local double scratch[LCL_GROUP];
    double most = 0;
    if (stop[at])
        return;
    for (RANGE(i, n))
        most = fmax(most, fabs(x[i]));
    scratch[get_local_id(0)] = most;
    GROUP_BARRIER();
    for (uint l = 0; l < LCL_GROUP; ++l)
        most = fmax(most, scratch[l]);
    if (get_local_id(0) == 0)
        largest[get_group_id(0)] = most;
}

// A power of two near the largest of `groups` numbers; 1 if all are 0.
INLINE double scale_of(global const double *largest, int groups,
                       local double *scratch)
{
    double most = 0;
    for (int g = get_local_id(0); g < groups; g += LCL_GROUP)
        most = fmax(most, largest[g]);
    scratch[get_local_id(0)] = most;
    GROUP_BARRIER();
    for (uint l = 0; l < LCL_GROUP; ++l)
        most = fmax(most, scratch[l]);
    return most > 0 && isfinite(most) ? ldexp(1.0, ilogb(most)) : 1.0;
}

WORK_GROUP
kernel void cycle_enter(long n, global const double *largest, int groups,
                        global const double *x, global float *y,
                        global const int *stop, int at)
{
    local double scratch[LCL_GROUP];
    if (stop[at])
        return;
    const double inverse = 1 / scale_of(largest, groups, scratch);
    for (RANGE(i, n))
        y[i] = (float)(x[i] * inverse);
}

WORK_GROUP
kernel void cycle_leave(long n, global const double *largest, int groups,
                        global const float *x, global double *y,
                        global const int *stop, int at)
{
    local double scratch[LCL_GROUP];
    if (stop[at])
        return;
    const double scale = scale_of(largest, groups, scratch);
    for (RANGE(i, n))
        y[i] = scale * x[i];
}

// ------------------------------------------------------------------- coarsest

// One wave per row.
WORK_GROUP
kernel void cycle_dense(long n, long stride, global const double *E,
                        global const float *x, global float *y,
                        global const int *stop, int at)
{
    local double scratch[LCL_GROUP];
    const uint lane = get_local_id(0) % LCL_WIDTH,
               waves = LCL_GROUP / LCL_WIDTH;
    if (stop[at])
        return;
    for (long first = (long)get_group_id(0) * waves; first < n;
         first += (long)get_num_groups(0) * waves) {
        const long i = first + get_local_id(0) / LCL_WIDTH;
        double dot = 0;
        for (long j = lane; j < n && i < n; j += LCL_WIDTH)
            dot += E[i * stride + j] * x[j];
        dot = wave_sum(dot, LCL_WIDTH, scratch);
        if (i < n && lane == 0)
            y[i] = (float)dot;
    }
}

// ------------------------------------------------------------------- values

WORK_GROUP
kernel void cycle_store(long n, global const double *x, global float *y,
                        volatile global int *lost)
{
    for (RANGE(i, n)) {
        const bool fits = fabs(x[i]) <= FLT_MAX;
        y[i] = fits ? (float)x[i] : 0.0f;
        if (!fits)
            atomic_inc(lost);
    }
}

// inv_d_i = 1 / a_ii, 1 where that is 0 or missing.
WORK_GROUP
kernel void cycle_diagonal(long n, global const index_t *row_ptr,
                           global const int *col, global const double *val,
                           global float *inv_d, volatile global int *lost)
{
    for (RANGE(i, n)) {
        double d = 0;
        for (index_t k = row_ptr[i]; k < row_ptr[i + 1]; ++k)
            d = col[k] == i ? val[k] : d;
        const bool fits = d == 0 || fabs(d) >= 1.0 / FLT_MAX;
        inv_d[i] = fits && d != 0 ? (float)(1 / d) : 1.0f;
        if (!fits)
            atomic_inc(lost);
    }
}

WORK_GROUP
kernel void cycle_spread(long n, long stride, global const index_t *row_ptr,
                         global const int *col, global const double *val,
                         global double *E)
{
    for (RANGE(i, n))
        for (index_t k = row_ptr[i]; k < row_ptr[i + 1]; ++k)
            E[i * stride + col[k]] = val[k];
}
