// SPDX-License-Identifier: BSD-3-Clause
// hec_level: level-scheduled solve with a lower triangular matrix in HEC, one
// work-item per row (Chen, Liu, Yang, "Parallel triangular solvers on GPU",
// Algorithm 2):
//     hec_take     the values of the matrix, from those of a factor
//     hec_level    the rows of one level
//     hec_chain    the rows of `levels` levels from `first` on, for levels of
//                  few rows: one launch instead of many
//     hec_wait     all levels in one launch after hec_begin: each row waits for
//                  those that it needs (as in Liu et al., Euro-Par 2016)
//
// Data:   hec.cl.h. Rows are sorted by level: row j is row i = perm[j] of b and
//         y. They are divided by their diagonals t_jj; the last entry of a row,
//         in CSR, is 1/t_jj:
//             x_j = b_i / t_jj - sum_{k<j} (t_jk / t_jj) x_k,   y_i = x_j
//         Empty slots have column n; x[n] is 0. Level l has the rows
//         level_ptr[l] .. level_ptr[l + 1] - 1. An upper triangular matrix is a
//         lower one, its rows and columns in reverse order.
// Launch: hec_chain one group, the others any number of groups; hec_wait only
//         where a work-item may wait for earlier ones of other waves.
// Determinism: bitwise; one sum per row.
// b may be y. If the stopping flag `stop[at]` is nonzero, the solves do
// nothing.
#include "factor.cl.h"
#include "hec.cl.h"

#ifndef ATOMIC_WAITS
# define ATOMIC_WAITS 0 // 1: volatile loads may miss stores of other groups
#endif

// source[k] is the slot of entry k of the sorted rows, of the last entry of a
// row that of -1/t_jj; LCL_PADDING: t_jj is 1.
WORK_GROUP
kernel void hec_take(long n, global const index_t *restrict row_ptr,
                     global const uint *restrict source,
                     global const double *restrict slot_val,
                     global double *restrict val)
{
    for (RANGE(j, n)) {
        const index_t last = row_ptr[j + 1] - 1;
        for (index_t k = row_ptr[j]; k < last; ++k)
            val[k] = slot_val[source[k]];
        val[last] = source[last] == LCL_PADDING ? 1 : -slot_val[source[last]];
    }
}

struct triangle {
    uint width;
    long stride;
    global const int *ell_col;
    global const double *ell_val;
    global const index_t *csr_ptr;
    global const int *csr_col;
    global const double *csr_val;
    global const int *perm;
};

INLINE void solve_row(long j, struct triangle T, global const double *b,
                      global double *x, global double *y)
{
    const index_t last = T.csr_ptr[j + 1] - 1;
    const int i = T.perm[j];
    const double b_i = b[i];
    const double sum = ell_dot(j, T.width, T.stride, T.ell_col, T.ell_val, x) +
                       csr_dot(T.csr_ptr[j], last, T.csr_col, T.csr_val, x);
    x[j] = y[i] = T.csr_val[last] * b_i - sum;
}

WORK_GROUP
kernel void hec_level(global const uint *level_ptr, int first, int levels,
                      uint width, long stride, global const int *ell_col,
                      global const double *ell_val,
                      global const index_t *csr_ptr, global const int *csr_col,
                      global const double *csr_val, global const int *perm,
                      global const double *b, global double *x,
                      global double *y, global const int *stop, int at)
{
    const struct triangle T = {width,   stride,  ell_col, ell_val,
                               csr_ptr, csr_col, csr_val, perm};
    const long from = level_ptr[first];
    if (stop[at])
        return;
    for (RANGE(r, level_ptr[first + 1] - from))
        solve_row(from + r, T, b, x, y);
}

WORK_GROUP
kernel void hec_chain(global const uint *level_ptr, int first, int levels,
                      uint width, long stride, global const int *ell_col,
                      global const double *ell_val,
                      global const index_t *csr_ptr, global const int *csr_col,
                      global const double *csr_val, global const int *perm,
                      global const double *b, global double *x,
                      global double *y, global const int *stop, int at)
{
    const struct triangle T = {width,   stride,  ell_col, ell_val,
                               csr_ptr, csr_col, csr_val, perm};
    if (stop[at])
        return;
    for (int l = first; l < first + levels; ++l) {
        const uint end = level_ptr[l + 1];
        for (uint j = level_ptr[l] + get_local_id(0); j < end; j += LCL_GROUP)
            solve_row(j, T, b, x, y);
        GROUP_BARRIER_GLOBAL();
    }
}

#if LCL_WIDTH > 1

// What no result is: results that are not a number have another sign.
# define MISSING 0xffffffffffffffffUL

WORK_GROUP
kernel void hec_begin(long n, global ulong *x, global int *ticket,
                      global const int *stop, int at)
{
    if (stop[at])
        return;
    for (RANGE(j, n))
        x[j] = MISSING;
    if (get_global_id(0) == 0)
        ticket[0] = 0;
}

# define WAVES (LCL_GROUP / LCL_WIDTH)

# if ATOMIC_WAITS
#  pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#  define LOAD(x)        atom_cmpxchg(x, MISSING, MISSING)
#  define STORE(x, bits) (void)atom_cmpxchg(x, MISSING, bits)
# else
#  define LOAD(x)        (*(x))
#  define STORE(x, bits) (*(x) = (bits))
# endif

# define AT_ONCE 4 // entries whose columns a row waits for together

// sum + sum_k a_k x_{c_k} over the first `count` entries, at least one. All of
// a_k and c_k are read before the wait.
static inline double add_waiting(double sum, uint count, long stride,
                                 global const int *col,
                                 global const double *val,
                                 volatile global ulong *x)
{
    int c[AT_ONCE];
    double a[AT_ONCE];
    ulong bits[AT_ONCE];
    bool missing = true;
    for (uint k = 0; k < AT_ONCE; ++k) {
        const uint at = min(k, count - 1);
        c[k] = col[at * stride];
        a[k] = k < count ? val[at * stride] : 0;
    }
    while (missing) {
        missing = false;
        for (uint k = 0; k < AT_ONCE; ++k)
            bits[k] = LOAD(&x[c[k]]);
        for (uint k = 0; k < AT_ONCE; ++k)
            missing |= bits[k] == MISSING;
    }
    for (uint k = 0; k < AT_ONCE; ++k)
        sum += a[k] * as_double(bits[k]);
    return sum;
}

INLINE void solve_waiting(long j, struct triangle T, global const double *b,
                          volatile global ulong *x, global double *y)
{
    const index_t last = T.csr_ptr[j + 1] - 1;
    const int i = T.perm[j];
    const double scaled = T.csr_val[last] * b[i];
    double ell = 0, csr = 0;
    for (uint k = 0; k < T.width; k += AT_ONCE)
        ell = add_waiting(ell, T.width - k, T.stride,
                          T.ell_col + k * T.stride + j,
                          T.ell_val + k * T.stride + j, x);
    for (index_t k = T.csr_ptr[j]; k < last; k += AT_ONCE)
        csr = add_waiting(csr, (uint)(last - k), 1, T.csr_col + k,
                          T.csr_val + k, x);
    const double x_j = scaled - (ell + csr);
    STORE(&x[j], as_ulong(isnan(x_j) ? (double)NAN : x_j));
    y[i] = x_j;
}

// Wave w has the rows wave_ptr[w] .. wave_ptr[w + 1] - 1, at most one per lane,
// of one level. Groups draw lots of consecutive waves in turn, so that rows
// only wait for rows of groups that have started.
WORK_GROUP
kernel void hec_wait(global const uint *wave_ptr, int waves, uint width,
                     long stride, global const int *ell_col,
                     global const double *ell_val,
                     global const index_t *csr_ptr, global const int *csr_col,
                     global const double *csr_val, global const int *perm,
                     global const double *b, volatile global ulong *x,
                     global double *y, volatile global int *ticket,
                     global const int *stop, int at)
{
    local int drawn;
    const struct triangle T = {width,   stride,  ell_col, ell_val,
                               csr_ptr, csr_col, csr_val, perm};
    const int wave = (int)get_local_id(0) / LCL_WIDTH;
    const uint lane = get_local_id(0) % LCL_WIDTH;
    if (stop[at])
        return;
    for (int first = 0; first < waves;) {
        if (get_local_id(0) == 0)
            drawn = atomic_inc(ticket);
        GROUP_BARRIER();
        first = drawn * WAVES;
        GROUP_BARRIER();
        const int w = min(first + wave, waves - 1);
        const uint j = wave_ptr[w] + lane;
        if (first + wave < waves && j < wave_ptr[w + 1])
            solve_waiting(j, T, b, x, y);
    }
}
#endif
