// SPDX-License-Identifier: BSD-3-Clause
// Strong couplings of a matrix and the diagonal of its filtered matrix:
//     largest_couplings   root[i] = 1 / sqrt(m_i), m_i = max_{k /= i} |a_ik|; 0
//                         if m_i is 0
//     find_strong         strong[k] = COUPLING_ bits of a_ij, 0 if i = j;
//                         inv_diag[i] = 1 / (a_ii + sum of the a_ij outside the
//                         filtered matrix), or 1 / a_ii (aggregate_diagonal()),
//                         0 if that is not normal; strong_count[i], -1 if m_i
//                         is 0
// With `both`, an entry is also strong if that of the transposed position is.
//
// Launch: any number of groups, LANES_PER_ROW lanes per row.
// Determinism: bitwise.
#include "row_team.cl.h"

#pragma OPENCL FP_CONTRACT OFF

WORK_GROUP
kernel void largest_couplings(long n, global const index_t *restrict row_ptr,
                              global const int *restrict col,
                              global const double *restrict val,
                              global double *restrict root)
{
    local double scratch[LCL_GROUP];
    for (ROWS(first, n)) {
        const long i = row_of(first);
        const struct span s = span_of(i, i < n, row_ptr);
        double m = 0;
        for (index_t k = s.from + team_lane(); k < s.to; k += LANES_PER_ROW)
            if (col[k] != i)
                m = fmax(m, fabs(val[k]));
        m = team_max(m, scratch);
        if (team_lane() == 0 && i < n)
            root[i] = m > 0 ? 1.0 / sqrt(m > 0 ? m : 1.0) : 0.0;
    }
}

// The entry of column j in a row, 0 if there is none.
static inline double entry_at(global const index_t *row_ptr,
                              global const int *col, global const double *val,
                              long row, int j)
{
    index_t low = row_ptr[row], high = row_ptr[row + 1];
    const index_t end = high;
    while (low < high) {
        const index_t middle = low + (high - low) / 2;
        if (col[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && col[low] == j ? val[low] : 0.0;
}

WORK_GROUP
kernel void find_strong(
    long n, double theta, int both, global const index_t *restrict row_ptr,
    global const int *restrict col, global const double *restrict val,
    global const double *restrict root, global uchar *restrict strong,
    global double *restrict inv_diag, global int *restrict strong_count)
{
    local double scratch[LCL_GROUP];
    for (ROWS(first, n)) {
        const long i = row_of(first);
        const struct span s = span_of(i, i < n, row_ptr);
        const double root_i = i < n ? root[i] : 0.0;
        double weak[SHARES], d = 0, count = 0;
        uint share = 0;
        for (DOWNWARDS(q, SHARES))
            weak[q] = 0;
        for (index_t k = s.from + team_lane(); k < s.to; k += LANES_PER_ROW) {
            const int j = col[k];
            const double a = val[k], root_j = root[j];
            bool found =
                j != i && aggregate_is_strong(a, root_i, root_j, theta);
            if (both && j != i && !found)
                found =
                    aggregate_is_strong(entry_at(row_ptr, col, val, j, (int)i),
                                        root_i, root_j, theta);
            const uchar bits =
                j == i ? 0 : aggregate_coupling(found, a, root_i, theta);
            strong[k] = bits;
            count += found;
            d += j == i ? a : 0.0;
            weak[share] += j != i && bits == 0 ? a : 0.0;
            share = (share + 1) % SHARES;
        }
        const double lump = row_sum(weak, scratch);
        d = team_sum(d, scratch);
        count = team_sum(count, scratch);
        if (team_lane() == 0 && i < n) {
            const double df = aggregate_diagonal(d, lump);
            inv_diag[i] = isnormal(df) ? 1.0 / (isnormal(df) ? df : 1.0) : 0.0;
            strong_count[i] = root_i > 0 ? (int)count : -1;
        }
    }
}
