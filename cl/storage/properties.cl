// SPDX-License-Identifier: BSD-3-Clause
// Properties of a square matrix by rows. Over the rows of group g of G,
// with sums over j /= i:
//
//     sums[g]       number of rows with a_ii > 0
//
//     sums[G+g]     number of rows with a_ii < 0
//
//     sums[2G+g]    number of rows with sum_j |a_ij| > PROPERTIES_CLOSE |a_ii|
//
//     sums[3G+g]    number of rows with sum_j |a_ij| > PROPERTIES_LOOSE |a_ii|
//
//     sums[4G+g]    sum of the |a_ij| whose sign is opposite to that of a_ii
//                   (below 0 if a_ii is 0)
//
//     sums[5G+g]    sum of |a_ij|
//
//     sums[6G+g]    number of a_ij /= 0
//
//     sums[7G+g]    sum over rows of the square of that number
//
//     sums[8G+g]    sum of the exponents of a_ii over rows with
//                   |a_ii| < PROPERTIES_PENALTY sum_j |a_ij|, and as
//                   sums[9G+g] their number
//
//     sums[10G+g]   sum over the other rows of |a_ii| times its exponent, and
//                   as sums[11G+g] of |a_ii|
//
//     sums[12G+g]   sum of a_ij (u_i w_j - w_i u_j), j = i included, for two
//                   vectors of fixed pseudo-random numbers
//
//     sums[13G+g]   sum of |a_ij|, j = i included, the scale of that
//
// The sums 12 add up to <u, A w> - <w, A u>: rounding error if A is symmetric,
// otherwise of the size of the differences of its entries, unless the terms
// cancel by chance.
//
// Launch: G groups; LANES_PER_ROW lanes share a row.
// Layout: that of csr.cl and, for LCL_BLOCK > 1, of bsr.cl.
// Determinism: fixed order for a given G.
#include "index.cl.h"
#include "properties.cl.h"
#include "wave.cl.h"

#ifndef LCL_BLOCK
# define LCL_BLOCK 1
#endif
#ifndef LANES_PER_ROW
# define LANES_PER_ROW 1 // power of two up to the wave width
#endif

struct row {
    double diagonal, above, below; // sums of the a_ij > 0 and of the -a_ij > 0
    double couplings;
    double difference; // of the asymmetry
};

// The lane's share of row `r` of block row i, whose blocks are from .. to-1.
static inline struct row properties_share(long i, uint r, ulong from, ulong to,
                                          uint lane, global const int *col,
                                          global const double *val)
{
    const ulong row = (ulong)i * LCL_BLOCK + r;
    const uint hi = properties_hash(row);
    const double ui = properties_u(hi), wi = properties_w(hi);
    struct row s = {0, 0, 0, 0, 0};
    for (ulong t = from * LCL_BLOCK + lane; t < to * LCL_BLOCK;
         t += LANES_PER_ROW) {
        const ulong k = t / LCL_BLOCK;
        const uint c = (uint)(t - k * LCL_BLOCK);
        const double a = val[(k * LCL_BLOCK + r) * LCL_BLOCK + c];
        const bool own = col[k] == i && c == r;
        s.diagonal += own ? a : 0.0;
        s.above += own ? 0.0 : fmax(a, 0.0);
        s.below += own ? 0.0 : fmax(-a, 0.0);
        s.couplings += own || a == 0 ? 0.0 : 1.0;
        const uint hj = properties_hash((ulong)col[k] * LCL_BLOCK + c);
        s.difference += a * (ui * properties_w(hj) - wi * properties_u(hj));
    }
    return s;
}

// All sums but the asymmetry, which every lane adds up on its own.
static inline void add_row(struct row s, double *sum)
{
    const double all = s.above + s.below;
    sum[0] += s.diagonal > 0 ? 1.0 : 0.0;
    sum[1] += s.diagonal < 0 ? 1.0 : 0.0;
    sum[2] += all > PROPERTIES_CLOSE * fabs(s.diagonal) ? 1.0 : 0.0;
    sum[3] += all > PROPERTIES_LOOSE * fabs(s.diagonal) ? 1.0 : 0.0;
    sum[4] += s.diagonal < 0 ? s.above : s.below;
    sum[5] += all;
    sum[6] += s.couplings;
    sum[7] += s.couplings * s.couplings;
    const double d = fabs(s.diagonal), e = properties_exponent(as_ulong(d));
    const bool alone = d > 0 && d >= PROPERTIES_PENALTY * all;
    sum[PROPERTIES_SIZES] += alone || d == 0 ? 0.0 : e;
    sum[PROPERTIES_SIZES + 1] += alone || d == 0 ? 0.0 : 1.0;
    sum[PROPERTIES_SIZES + 2] += alone ? d * e : 0.0;
    sum[PROPERTIES_SIZES + 3] += alone ? d : 0.0;
    sum[PROPERTIES_ASYMMETRY + 1] += all + d;
}

WORK_GROUP
kernel void properties(long n, global const index_t *restrict row_ptr,
                       global const int *restrict col,
                       global const double *restrict val, global double *sums)
{
    double sum[PROPERTIES_SUMS];
    for (DOWNWARDS(q, PROPERTIES_SUMS))
        sum[q] = 0;
#if LCL_WIDTH == 1
    for (RANGE(i, n))
        for (uint r = 0; r < LCL_BLOCK; ++r) {
            const struct row s =
                properties_share(i, r, row_ptr[i], row_ptr[i + 1], 0, col, val);
            add_row(s, sum);
            sum[PROPERTIES_ASYMMETRY] += s.difference;
        }
    for (uint q = 0; q < PROPERTIES_SUMS; ++q)
        sums[q * get_num_groups(0) + get_group_id(0)] = sum[q];
#else
    local double scratch[LCL_GROUP];
    const uint lane = get_local_id(0) % LANES_PER_ROW;
    const uint team = get_local_id(0) / LANES_PER_ROW;
    const uint teams = LCL_GROUP / LANES_PER_ROW;
    for (long first = (long)get_group_id(0) * teams; first < n;
         first += (long)get_num_groups(0) * teams) {
        const long i = first + team;
        const ulong from = i < n ? row_ptr[i] : 0;
        const ulong to = i < n ? row_ptr[i + 1] : 0;
        for (DOWNWARDS(r, LCL_BLOCK)) {
            struct row s = properties_share(i, r, from, to, lane, col, val);
            sum[PROPERTIES_ASYMMETRY] += s.difference;
            s.diagonal = wave_sum(s.diagonal, LANES_PER_ROW, scratch);
            s.above = wave_sum(s.above, LANES_PER_ROW, scratch);
            s.below = wave_sum(s.below, LANES_PER_ROW, scratch);
            s.couplings = wave_sum(s.couplings, LANES_PER_ROW, scratch);
            if (lane == 0 && i < n)
                add_row(s, sum);
        }
    }
    for (DOWNWARDS(q, PROPERTIES_SUMS)) {
        const double all = group_sum(sum[q], scratch);
        if (get_local_id(0) == 0)
            sums[q * get_num_groups(0) + get_group_id(0)] = all;
    }
#endif
}
