// SPDX-License-Identifier: BSD-3-Clause
// The smoothed prolongator of an aggregation (Vanek, Mandel, Brezina, Computing
// 56 (1996), section 3):
//     P = (I - w D_F^-1 A_F) T,   w = 4 / (3 lambda)
// where A_F has the couplings of the filtered matrix and the diagonal D_F; t_iq
// = 1 if row i is in aggregate q. Columns of length 1 would span the same
// space, but their entries are rounded: where couplings of 1e6 meet couplings
// of 1, constants on the large ones would have large residuals.
//     count_prolongator number of entries of each row of P
//     fill_prolongator  the rows of P
//     scale_values      x *= factor
// and, with inv_d = D^-1,
//     lambda_start      x = pseudo-random numbers, inv_d, and partial maxima of
//                       sum_j |a_ij| / |a_ii|, which bounds the eigenvalues
//     lambda_step       y = D^-1 A x, partial sums of x^2 and of y^2
//     lambda_finish     lambda = 1.1 sqrt(sum y^2 / sum x^2), at most the bound
//
// Data:   A in CSR; strong[k] of each entry; aggregate -1: a row without
//         couplings, whose row of P is empty.
// Launch: lambda_finish one group, the others any number of groups; those of
//         the prolongator of one wave, or several if shuffles need no barrier,
//         with LANES_PER_ROW lanes for a row.
// Determinism: bitwise; sums of integers in any order, others in a fixed order
//              for a given number of groups.
#include "wave.cl.h"

#ifndef LANES_PER_ROW
# define LANES_PER_ROW 1 // power of two up to the wave width
#endif

struct rows {
    global const uint *row_ptr;
    global const int *col;
    global const double *val;
    global const uchar *strong;
    global const int *aggregate;
};

// The complement of the smallest aggregate above `last` among those of row i
// and of the lane's neighbours in A_F; 0: none.
static inline uint next_of(struct rows A, long i, uint from, uint to, int last)
{
    uint next = A.aggregate[i] > last ? ~(uint)A.aggregate[i] : 0u;
    for (uint k = from; k < to; k += LANES_PER_ROW) {
        const int q = A.strong[k] ? A.aggregate[A.col[k]] : -1;
        next = max(next, q > last ? ~(uint)q : 0u);
    }
    return next;
}

// The lane's part of sum_j a_ij over the neighbours j in aggregate q.
static inline double part_of(struct rows A, uint from, uint to, int q)
{
    double sum = 0;
    for (uint k = from; k < to; k += LANES_PER_ROW)
        if (A.strong[k] && A.aggregate[A.col[k]] == q)
            sum += A.val[k];
    return sum;
}

WORK_GROUP
kernel void count_prolongator(long n, global const uint *row_ptr,
                              global const int *col, global const double *val,
                              global const uchar *strong,
                              global const int *aggregate, global uint *count)
{
    local double scratch[LCL_GROUP];
    const struct rows A = {row_ptr, col, val, strong, aggregate};
    const uint lane = get_local_id(0) % LANES_PER_ROW;
    const uint rows = LCL_GROUP / LANES_PER_ROW;
    for (GROUP_RANGE(first, n, rows)) {
        const long i = first + get_local_id(0) / LANES_PER_ROW;
        const bool present = i < n && aggregate[min(i, n - 1)] >= 0;
        const uint from = present ? row_ptr[i] + lane : 0;
        const uint to = present ? row_ptr[i + 1] : 0;
        uint found = 0;
        int last = -1;
        bool more = true;
        while (more) {
            uint next = present ? next_of(A, i, from, to, last) : 0;
            next = wave_largest(next, LANES_PER_ROW, scratch);
            found += next > 0;
            last = next > 0 ? (int)~next : last;
            more = wave_largest(next, LCL_WIDTH, scratch) > 0;
        }
        if (i < n && lane == 0)
            count[i] = found;
    }
}

WORK_GROUP
kernel void fill_prolongator(long n, global const uint *row_ptr,
                             global const int *col, global const double *val,
                             global const uchar *strong,
                             global const int *aggregate,
                             global const double *inv_diag,
                             global const double *lambda,
                             global const uint *p_ptr, global int *p_col,
                             global double *p_val)
{
    local double scratch[LCL_GROUP];
    const struct rows A = {row_ptr, col, val, strong, aggregate};
    const double w = 4 / (3 * lambda[0]);
    const uint lane = get_local_id(0) % LANES_PER_ROW;
    const uint rows = LCL_GROUP / LANES_PER_ROW;
    for (GROUP_RANGE(first, n, rows)) {
        const long i = first + get_local_id(0) / LANES_PER_ROW;
        const bool present = i < n && aggregate[min(i, n - 1)] >= 0;
        const uint from = present ? row_ptr[i] + lane : 0;
        const uint to = present ? row_ptr[i + 1] : 0;
        uint out = present ? p_ptr[i] : 0;
        int last = -1;
        bool more = true;
        while (more) {
            uint next = present ? next_of(A, i, from, to, last) : 0;
            next = wave_largest(next, LANES_PER_ROW, scratch);
            const int q = (int)~next;
            double entry = next > 0 ? part_of(A, from, to, q) : 0;
            entry = wave_sum(entry, LANES_PER_ROW, scratch);
            if (next > 0 && lane == 0) {
                const double own = q != aggregate[i]  ? 0
                                   : inv_diag[i] == 0 ? 1
                                                      : 1 - w;
                p_col[out] = q;
                p_val[out] = own - w * inv_diag[i] * entry;
            }
            out += next > 0;
            last = next > 0 ? q : last;
            more = wave_largest(next, LCL_WIDTH, scratch) > 0;
        }
    }
}

WORK_GROUP
kernel void scale_values(long count, double factor, global double *x)
{
    for (RANGE(i, count))
        x[i] *= factor;
}

// ------------------------------------------------------------------- lambda

// A number in [-1, 1) that depends on i alone.
static inline double random_at(uint i)
{
    uint h = i * 0x9e3779b1u + 0x51ed270bu;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return (int)(h ^ (h >> 16)) * 0x1p-31;
}

WORK_GROUP
kernel void lambda_start(long n, global const uint *row_ptr,
                         global const int *col, global const double *val,
                         global double *x, global double *inv_d,
                         global double *bounds)
{
    local double scratch[LCL_GROUP];
    double most = 0;
    for (RANGE(i, n)) {
        double d = 0, sum = 0;
        for (uint k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
            d = col[k] == i ? val[k] : d;
            sum += fabs(val[k]);
        }
        const double inverse = 1 / (d == 0 ? 1 : d);
        x[i] = random_at((uint)i);
        inv_d[i] = inverse;
        most = fmax(most, sum * fabs(inverse));
    }
    scratch[get_local_id(0)] = most;
    GROUP_BARRIER();
    for (uint l = 0; l < LCL_GROUP; ++l)
        most = fmax(most, scratch[l]);
    if (get_local_id(0) == 0)
        bounds[get_group_id(0)] = most;
}

WORK_GROUP
kernel void lambda_step(long n, global const uint *row_ptr,
                        global const int *col, global const double *val,
                        global const double *inv_d, global const double *x,
                        global double *y, global double *sums)
{
    local double scratch[LCL_GROUP];
    const uint lane = get_local_id(0) % LANES_PER_ROW;
    const uint rows = LCL_GROUP / LANES_PER_ROW;
    double xx = 0, yy = 0;
    for (GROUP_RANGE(first, n, rows)) {
        const long i = first + get_local_id(0) / LANES_PER_ROW;
        double dot = 0;
        for (uint k = i < n ? row_ptr[i] + lane : 0;
             k < (i < n ? row_ptr[i + 1] : 0); k += LANES_PER_ROW)
            dot += val[k] * x[col[k]];
        dot = wave_sum(dot, LANES_PER_ROW, scratch);
        if (i < n && lane == 0) {
            dot *= inv_d[i];
            y[i] = dot;
            xx += x[i] * x[i];
            yy += dot * dot;
        }
    }
    xx = group_sum(xx, scratch);
    yy = group_sum(yy, scratch);
    if (get_local_id(0) == 0) {
        sums[get_group_id(0)] = xx;
        sums[get_num_groups(0) + get_group_id(0)] = yy;
    }
}

WORK_GROUP
kernel void lambda_finish(int sums_of, global const double *sums, int bounds_of,
                          global const double *bounds, global double *lambda)
{
    local double scratch[LCL_GROUP];
    const uint lid = get_local_id(0);
    double xx = 0, yy = 0, bound = 0;
    for (int g = lid; g < sums_of; g += LCL_GROUP) {
        xx += sums[g];
        yy += sums[sums_of + g];
    }
    for (int g = lid; g < bounds_of; g += LCL_GROUP)
        bound = fmax(bound, bounds[g]);
    xx = group_sum(xx, scratch);
    yy = group_sum(yy, scratch);
    GROUP_BARRIER();
    scratch[lid] = bound;
    GROUP_BARRIER();
    for (uint l = 0; l < LCL_GROUP; ++l)
        bound = fmax(bound, scratch[l]);
    const double found = xx > 0 ? 1.1 * sqrt(yy / xx) : 1;
    if (lid == 0)
        lambda[0] = found > 0 && found < bound ? found : bound > 0 ? bound : 1;
}
