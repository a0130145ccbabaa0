// SPDX-License-Identifier: BSD-3-Clause
// A step of GMRES by modified Gram-Schmidt; Saad and Schultz, SIAM J. Sci.
// Stat. Comput. 7 (1986), algorithm 1. Column 0 has its inner product by
// gmres_dots; pass k = 1 .. count of gmres_modified, a launch each:
//
//     h_{k-1} = <V_{k-1}, w>;  w = w - h_{k-1} V_{k-1}
//     partial sums of <V_k, w>, and of <w, w> if k = count
//
// A pass reads two columns and w, and writes w; each waits for the sum of the
// one before.
#include "gmres.cl.h"

// Row k of `sums` has one partial sum per group; k is at least 1.
WORK_GROUP
kernel void gmres_modified(long n, long ld, int k, int count,
                           global const stored *V, global double *h,
                           global double *w, global double *sums,
                           global const int *stop, int at)
{
    local double scratch[LCL_GROUP];
    if (stop[at])
        return;
    const int groups = (int)get_num_groups(0);
    global const stored *before = V + (k - 1) * ld, *next = V + k * ld;
    const double h_k =
        group_sum(krylov_share(sums + (k - 1) * (long)groups, groups), scratch);
    double sum = 0;
    for (RANGE(i, n)) {
        const double w_i = w[i] - h_k * before[i];
        w[i] = w_i;
        sum += w_i * (k < count ? next[i] : w_i);
    }
    sum = group_sum(sum, scratch);
    if (get_local_id(0) == 0)
        sums[k * (long)groups + get_group_id(0)] = sum;
    if (krylov_is_lead())
        h[GMRES_H1 + k - 1] = h_k;
}
