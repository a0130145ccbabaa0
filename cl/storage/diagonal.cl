// SPDX-License-Identifier: BSD-3-Clause
// Where the diagonal of a matrix is, and the inverse of a positive diagonal
// made of it.
//
// Data:   CSR or BSR with ascending columns, blocks by rows.
// Launch: any number of groups, one item per block row.
// Determinism: exact; sums in the order of the entries.
#include "spmv.cl.h"

#ifndef LCL_BLOCK
# define LCL_BLOCK 1
#endif

// place[i] is the index of a_ii among the values, or -1 if the pattern lacks
// it.
WORK_GROUP
kernel void diagonal_places(long rows, global const index_t *restrict row_ptr,
                            global const int *restrict col,
                            global long *restrict place)
{
    for (RANGE(i, rows)) {
        index_t low = row_ptr[i], high = row_ptr[i + 1];
        const index_t end = high;
        while (low < high) {
            const index_t middle = low + (high - low) / 2;
            if (col[middle] < i)
                low = middle + 1;
            else
                high = middle;
        }
        const bool found = low < end && col[low < end ? low : 0] == i;
        for (int r = 0; r < LCL_BLOCK; ++r)
            place[i * LCL_BLOCK + r] =
                found ? ((long)low * LCL_BLOCK + r) * LCL_BLOCK + r : -1;
    }
}

// An entry this small relative to another one of its row does not count as the
// diagonal of an elimination.
#define SMALL 0.01

static inline double diagonal_at(long i, global const long *place,
                                 global const double *val)
{
    return place[i] < 0 ? 0.0 : val[place[i]];
}

// inv_d[i] = 1 / |a_ii|. If a_ii is small beside an entry of its row, as in the
// second rows of a saddle point, it is the larger of |a_ii| and the diagonal of
// the Schur complement, sum_j a_ij^2 / |a_jj| over all other j whose a_jj is
// not small beside a_ij: D^-1/2 A D^-1/2 has rows of one scale then. If this is
// not a normal number, 1. A definite matrix has a_ij^2 <= a_ii a_jj, so that no
// summand exceeds |a_ii|.
WORK_GROUP
kernel void invert_absolute(long n, global const index_t *restrict row_ptr,
                            global const int *restrict col,
                            global const double *restrict val,
                            global const long *restrict place,
                            global double *restrict inv_d)
{
    for (RANGE(row, n)) {
        const long i = row / LCL_BLOCK, r = row - i * LCL_BLOCK;
        const double own = fabs(diagonal_at(row, place, val));
        double sum = 0, largest = 0;
        for (ulong k = row_ptr[i]; k < row_ptr[i + 1]; ++k)
            for (int c = 0; c < LCL_BLOCK; ++c) {
                const long j = (long)col[k] * LCL_BLOCK + c;
                const double a =
                    fabs(val[((long)k * LCL_BLOCK + r) * LCL_BLOCK + c]);
                const double d = fabs(diagonal_at(j, place, val));
                const bool counts = j != row && a > 0 && d >= SMALL * a;
                // d is not 0 if it counts
                sum += counts ? a * (a / fmax(d, 0x1p-1022)) : 0.0;
                largest = fmax(largest, a);
            }
        const double d = own < SMALL * largest ? fmax(own, sum) : own;
        inv_d[row] = isnormal(d) ? 1.0 / fmax(d, 0x1p-1022) : 1.0;
    }
}
