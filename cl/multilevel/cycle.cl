// SPDX-License-Identifier: BSD-3-Clause
// The kernels of a V-cycle (cycle of lib/multilevel/cycle.h), in fp32. All
// levels are scaled to a unit diagonal: with t_i = sign(a_ii) / sqrt(|a_ii|) of
// a level, the matrices and vectors below are t_i a_ij |t_j|, t_i b_i and x_i /
// |t_i|. Steps (cycle.cl.h) with a matrix in CSR:
//     cycle_first, cycle_residual, cycle_again, cycle_last, cycle_restrict,
//     cycle_prolong, cycle_before, cycle_raise
// Beginning and end:
//     cycle_scale     partial maxima of |t_i x_i| in fp64
//     cycle_enter     y_i = t_i x_i / scale, where scale is a power of two near
//                     the largest of them: fp32 has a small range
//     cycle_dense     y = E x, with a dense matrix E in fp64
//     cycle_leave     y_i = scale |t_i| x_i in fp64
// Values:
//     cycle_diagonal  t of a matrix; 1 where the diagonal is 0 or missing
//     store_level, store_upwards, store_down
//                     scaled values of a matrix as float; lost[0] counts those
//                     out of range. store_level in bf16: the rounded values,
//                     rest_i = the sum of the rounding errors of row i, which a
//                     product adds to the diagonal, so that row sums are kept;
//                     lost[0] = the largest sum of their absolute values, the
//                     bits of a float
//     cycle_spread    E = the scaled values of a matrix
//
// Data:   matrices in CSR, values in the format LCL_STORAGE, sums in fp32;
//         lambda[0] is the largest eigenvalue of the scaled matrix.
// Launch: any number of groups; LANES_PER_ROW lanes share a row.
// Determinism: bitwise; sums over a row have a fixed order.
// If the stopping flag `stop[at]` is nonzero, the kernels do nothing.
#include "cycle.cl.h"
#include "index.cl.h"
#include "stored.cl.h"
#include "wave.cl.h"

#ifndef LANES_PER_ROW
# define LANES_PER_ROW 1 // power of two up to the wave width
#endif
#ifndef LCL_STORAGE
# define LCL_STORAGE LCL_STORED_FP32 // or LCL_STORED_BF16
#endif

#if LCL_STORAGE == LCL_STORED_BF16
typedef ushort stored_t;
# define VALUE(a) as_float((uint)(a) << 16)
#else
typedef float stored_t;
# define VALUE(a) (a)
#endif

struct matrix {
    long n;
    global const index_t *row_ptr;
    global const int *col;
    global const stored_t *val;
    global const float *rest; // of bf16
};

// The lane's share of row i times x, two entries at a time: their loads do not
// wait for each other.
static inline float row_dot(struct matrix A, global const float *x, long i,
                            uint lane)
{
    float dot = 0;
#if LCL_STORAGE == LCL_STORED_BF16
    if (lane == 0)
        dot = A.rest[i] * x[i];
#endif
    const index_t to = A.row_ptr[i + 1];
    for (index_t k = A.row_ptr[i] + lane; k < to; k += 2 * LANES_PER_ROW) {
        const index_t other = min(k + LANES_PER_ROW, to - 1);
        const float a = VALUE(A.val[k]);
        const float c = k + LANES_PER_ROW < to ? VALUE(A.val[other]) : 0.0f;
        const float x_k = x[A.col[k]], x_other = x[A.col[other]];
        dot += a * x_k;
        dot += c * x_other;
    }
    return dot;
}

INLINE void multiply(int step, struct matrix A, struct vectors v,
                     local double *scratch)
{
#if LCL_WIDTH == 1
    for (RANGE(i, A.n))
        finish_row(step, v, i, row_dot(A, operand_of(step, v), i, 0));
#else
    global const float *x = operand_of(step, v);
    const uint lane = get_local_id(0) % LANES_PER_ROW;
    const uint rows = LCL_GROUP / LANES_PER_ROW;
    for (GROUP_RANGE(first, A.n, rows)) {
        const long i = first + get_local_id(0) / LANES_PER_ROW;
        float dot = 0;
        if (i < A.n)
            dot = row_dot(A, x, i, lane);
        dot = (float)wave_sum(dot, LANES_PER_ROW, scratch);
        if (i < A.n && lane == 0)
            finish_row(step, v, i, dot);
    }
#endif
}

#define STEP_KERNEL(name, step)                                                \
 WORK_GROUP                                                                    \
 kernel void name(                                                             \
     long n, global const index_t *restrict row_ptr,                           \
     global const int *restrict col, global const stored_t *restrict val,      \
     global const float *restrict rest, global const double *lambda,           \
     global const float *b, global const float *x, global const float *y,      \
     global float *out, global const int *stop, int at)                        \
 {                                                                             \
  local double scratch[LCL_GROUP];                                             \
  const struct matrix A = {n, row_ptr, col, val, rest};                        \
  const struct vectors v = {b, x, y, out, (float)(1 / lambda[0])};             \
  if (stop[at])                                                                \
   return;                                                                     \
  multiply(step, A, v, scratch);                                               \
 }

STEP_KERNEL(cycle_first, FIRST)
STEP_KERNEL(cycle_residual, RESIDUAL)
STEP_KERNEL(cycle_again, AGAIN)
STEP_KERNEL(cycle_last, LAST)
STEP_KERNEL(cycle_restrict, RESTRICT)
STEP_KERNEL(cycle_prolong, PROLONG)
STEP_KERNEL(cycle_before, BEFORE)
STEP_KERNEL(cycle_raise, RAISE)

// ------------------------------------------------------------------- entry

// The largest value of the group, on each work-item.
INLINE double group_max(double v, local double *scratch)
{
    const uint lid = get_local_id(0);
    scratch[lid] = v;
    GROUP_BARRIER();
    for (uint span = LCL_GROUP; span > 1; span -= span / 2) {
        const uint kept = span - span / 2;
        if (lid < span / 2)
            scratch[lid] = fmax(scratch[lid], scratch[lid + kept]);
        GROUP_BARRIER();
    }
    return scratch[0];
}

WORK_GROUP
kernel void cycle_scale(long n, global const double *t, global const double *x,
                        global double *largest, global const int *stop, int at)
{
    local double scratch[LCL_GROUP];
    double most = 0;
    if (stop[at])
        return;
    for (RANGE(i, n))
        most = fmax(most, fabs(t[i] * x[i]));
    most = group_max(most, scratch);
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
    most = group_max(most, scratch);
    return most > 0 && isfinite(most) ? ldexp(1.0, ilogb(most)) : 1.0;
}

WORK_GROUP
kernel void cycle_enter(long n, global const double *largest, int groups,
                        global const double *t, global const double *x,
                        global float *y, global const int *stop, int at)
{
    local double scratch[LCL_GROUP];
    if (stop[at])
        return;
    const double inverse = 1 / scale_of(largest, groups, scratch);
    for (RANGE(i, n))
        y[i] = (float)(t[i] * x[i] * inverse);
}

WORK_GROUP
kernel void cycle_leave(long n, global const double *largest, int groups,
                        global const double *t, global const float *x,
                        global double *y, global const int *stop, int at)
{
    local double scratch[LCL_GROUP];
    if (stop[at])
        return;
    const double scale = scale_of(largest, groups, scratch);
    for (RANGE(i, n))
        y[i] = scale * (fabs(t[i]) * x[i]);
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
    for (GROUP_RANGE(first, n, waves)) {
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
kernel void cycle_diagonal(long n, global const index_t *row_ptr,
                           global const int *col, global const double *val,
                           global double *t)
{
    for (RANGE(i, n)) {
        double d = 0;
        for (index_t k = row_ptr[i]; k < row_ptr[i + 1]; ++k)
            d = col[k] == i ? val[k] : d;
        t[i] = isnormal(d) ? copysign(1 / sqrt(fabs(d)), d) : 1.0;
    }
}

// What scales entry (i, j), from t of its row and of its column.
#define LEVEL   0
#define UPWARDS 1 // prolongation
#define DOWN    2 // restriction

static inline double scaled(int kind, double a, double t_i, double t_j)
{
    return kind == LEVEL     ? a * t_i * fabs(t_j)
           : kind == UPWARDS ? a * fabs(t_j) / fabs(t_i)
                             : a * t_i / t_j;
}

#if LCL_STORAGE == LCL_STORED_BF16
// Row i in bf16: its rounding errors add up to *rest, their absolute values to
// the result. The values are first rounded to fp32: a_ij and a_ji of a
// symmetric matrix, which errors of fp64 may put on two sides of a tie of bf16,
// become equal.
static inline double round_row(long i, uint lane, global const index_t *row_ptr,
                               global const int *col, global const double *val,
                               global const double *t, global stored_t *out,
                               double *rest)
{
    double lost = 0;
    for (index_t k = row_ptr[i] + lane; k < row_ptr[i + 1];
         k += LANES_PER_ROW) {
        const double a = scaled(LEVEL, val[k], t[i], t[col[k]]);
        const uint bits = lcl_bf16_of(lcl_fp32_of(a));
        const double error = a - lcl_bf16_value(bits);
        out[k] = (ushort)bits;
        *rest += error;
        lost += fabs(error);
    }
    return lost;
}

WORK_GROUP
kernel void store_level(long n, global const index_t *row_ptr,
                        global const int *col, global const double *val,
                        global const double *t, global const double *t_col,
                        global stored_t *out, global float *rest,
                        volatile global uint *lost, int at)
{
    local double scratch[LCL_GROUP];
    const uint lane = get_local_id(0) % LANES_PER_ROW;
    const uint rows = LCL_GROUP / LANES_PER_ROW;
    uint most = 0;
    for (GROUP_RANGE(first, n, rows)) {
        const long i = first + get_local_id(0) / LANES_PER_ROW;
        double sum = 0, loss = 0;
        if (i < n)
            loss = round_row(i, lane, row_ptr, col, val, t, out, &sum);
        sum = wave_sum(sum, LANES_PER_ROW, scratch);
        loss = wave_sum(loss, LANES_PER_ROW, scratch);
        if (i < n && lane == 0)
            rest[i] = lcl_fp32_of(sum);
        most = max(most, as_uint(lcl_fp32_of(loss))); // NaN is the largest
    }
    if (most > 0)
        atomic_max(&lost[at], most);
}
#else
INLINE void store(int kind, long n, global const index_t *row_ptr,
                  global const int *col, global const double *val,
                  global const double *t_row, global const double *t_col,
                  global float *out, volatile global uint *lost)
{
    for (RANGE(u, n * LANES_PER_ROW)) {
        const ulong i = (ulong)u / LANES_PER_ROW;
        const index_t lane = (index_t)((ulong)u % LANES_PER_ROW);
        for (index_t k = row_ptr[i] + lane; k < row_ptr[i + 1];
             k += LANES_PER_ROW) {
            const double a = scaled(kind, val[k], t_row[i], t_col[col[k]]);
            out[k] = lcl_fp32_of(a);
            if (!(fabs(a) < LCL_FP32_LIMIT))
                atomic_inc(lost);
        }
    }
}

# define STORE_KERNEL(name, kind)                                              \
  WORK_GROUP                                                                   \
  kernel void name(long n, global const index_t *row_ptr,                      \
                   global const int *col, global const double *val,            \
                   global const double *t_row, global const double *t_col,     \
                   global float *out, global float *rest,                      \
                   volatile global uint *lost, int at)                         \
  {                                                                            \
   store(kind, n, row_ptr, col, val, t_row, t_col, out, &lost[at]);            \
  }

STORE_KERNEL(store_level, LEVEL)
STORE_KERNEL(store_upwards, UPWARDS)
STORE_KERNEL(store_down, DOWN)
#endif

WORK_GROUP
kernel void cycle_spread(long n, long stride, global const index_t *row_ptr,
                         global const int *col, global const double *val,
                         global const double *t, global double *E)
{
    for (RANGE(i, n))
        for (index_t k = row_ptr[i]; k < row_ptr[i + 1]; ++k)
            E[i * stride + col[k]] = scaled(LEVEL, val[k], t[i], t[col[k]]);
}
