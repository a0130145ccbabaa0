// SPDX-License-Identifier: BSD-3-Clause
// Statistics of the couplings a_ij, j /= i, of a matrix:
//     survey_rows   weight[2i] = sum of |a_ij| over the couplings of the sign
//                   opposite to a_ii, weight[2i+1] = sum over all; adds 1 to
//                   the bin of max_j |a_ij| / min_j |a_ij|, the minimum over
//                   those of at least COUPLINGS_NOISE times the maximum; rows
//                   of zeros have no bin
//     add_weights   pairs of sums of COUPLINGS_EACH consecutive pairs, in order
//
// Data:   cl/multilevel/couplings.cl.h
// Launch: any number of groups; survey_rows LANES_PER_ROW lanes per row.
// Determinism: bitwise: all atomic operations count.
#include "couplings.cl.h"
#include "row_team.cl.h"

#pragma OPENCL FP_CONTRACT OFF

INLINE void count_bin(volatile local uint *bins, uint bin)
{
#if LCL_WIDTH == 1
    ++bins[bin];
#else
    atomic_inc(&bins[bin]);
#endif
}

WORK_GROUP
kernel void survey_rows(long n, global const index_t *restrict row_ptr,
                        global const int *restrict col,
                        global const double *restrict val,
                        global double *restrict weight,
                        volatile global uint *result)
{
    local uint bins[COUPLINGS_BINS];
    local double scratch[LCL_GROUP];
    for (GROUP_DOWNWARDS(b, COUPLINGS_BINS))
        bins[b] = 0;
    GROUP_BARRIER();
    for (ROWS(first, n)) {
        const long i = row_of(first);
        const struct span s = span_of(i, i < n, row_ptr);
        double opposite[SHARES], all[SHARES], d = 0, most = 0, least = INFINITY;
        uint share = 0;
        for (DOWNWARDS(q, SHARES))
            opposite[q] = all[q] = 0;
        for (index_t k = s.from + team_lane(); k < s.to; k += LANES_PER_ROW) {
            d += col[k] == i ? val[k] : 0.0;
            most = fmax(most, col[k] == i ? 0.0 : fabs(val[k]));
        }
        d = team_sum(d, scratch);
        most = team_max(most, scratch);
        for (index_t k = s.from + team_lane(); k < s.to; k += LANES_PER_ROW) {
            const double a = col[k] == i ? 0.0 : val[k], size = fabs(a);
            all[share] += size;
            opposite[share] += (d < 0 ? a > 0 : a < 0) ? size : 0.0;
            if (size > 0 && size >= COUPLINGS_NOISE * most)
                least = fmin(least, size);
            share = (share + 1) % SHARES;
        }
        least = -team_max(-least, scratch);
        const double opposite_sum = row_sum(opposite, scratch);
        const double all_sum = row_sum(all, scratch);
        if (team_lane() == 0 && i < n) {
            weight[2 * i] = opposite_sum;
            weight[2 * i + 1] = all_sum;
            if (most > 0)
                count_bin(bins, couplings_bin(as_ulong(most / least)));
        }
    }
    GROUP_BARRIER();
    for (GROUP_DOWNWARDS(b, COUPLINGS_BINS))
        if (bins[b] > 0)
            atomic_add(&result[COUPLINGS_FIRST + b], bins[b]);
}

WORK_GROUP
kernel void add_weights(long n, global const double *restrict in,
                        global double *restrict out)
{
    for (RANGE(i, (n + COUPLINGS_EACH - 1) / COUPLINGS_EACH)) {
        const long from = i * COUPLINGS_EACH;
        const long to = min(n, from + COUPLINGS_EACH);
        double opposite = 0, all = 0;
        for (long k = from; k < to; ++k) {
            opposite += in[2 * k];
            all += in[2 * k + 1];
        }
        out[2 * i] = opposite;
        out[2 * i + 1] = all;
    }
}
