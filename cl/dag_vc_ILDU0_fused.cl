// SPDX-License-Identifier: BSD-3-Clause
// dag_vc_ILDU0_fused: x = (L D U)^-1 b on all subdomains in one launch, as
// published: vertex-centric DAG traversal over CSR rows, the subdomain's vector
// in local memory, lower solve, scaling and upper solve fused.
// Mehta et al., arXiv 2508.04917, Algorithm 4.3, sections 4.2.3, 4.3 and 4.4.
//
// Data:   strict unit triangles in CSR on the rows of a subdomain, columns
//         counted from its first row and ascending; rows are numbered by level,
//         so that the row list of a level is a range: level l of subdomain p
//         holds the rows level_ptr[first_level[p] + l] .. level_ptr[... + 1]
//         - 1.
// Launch: one group a subdomain, at most LCL_ROWS rows.
// Determinism: bitwise; one sum a row, in column order.
// `stop[at]` other than 0: the caller has stopped, nothing is done.
#include "wave.cl.h"

#ifndef LCL_ROWS
# define LCL_ROWS 64 // rows of a subdomain held in local memory
#endif

// sum_j m_ij y_j over the entries first .. last-1
static inline double dot_row(uint first, uint last, global const ushort *col,
                             global const double *val, local const double *y)
{
    double sum = 0;
    for (uint k = first; k < last; ++k)
        sum += val[k] * y[col[k]];
    return sum;
}

WORK_GROUP
kernel void dag_vc_ILDU0_fused(
    global const uint *part_ptr, global const uint *first_level,
    global const uint *level_ptr, global const uint *lower_ptr,
    global const ushort *lower_col, global const double *lower,
    global const uint *upper_ptr, global const ushort *upper_col,
    global const double *upper, global const double *inv_d,
    global const double *b, global double *x, global const int *stop, int at)
{
    local double sum[LCL_ROWS];
    if (stop[at])
        return;
    const uint lid = get_local_id(0), p = get_group_id(0);
    const uint first = part_ptr[p], last = part_ptr[p + 1];
    const uint begin = first_level[p], end = first_level[p + 1] - 1;
    for (uint i = first + lid; i < last; i += LCL_GROUP)
        sum[i - first] = b[i];
    GROUP_BARRIER();
    for (uint l = begin; l < end; ++l) {
        for (uint i = level_ptr[l] + lid; i < level_ptr[l + 1]; i += LCL_GROUP)
            sum[i - first] -=
                dot_row(lower_ptr[i], lower_ptr[i + 1], lower_col, lower, sum);
        GROUP_BARRIER();
    }
    for (uint i = first + lid; i < last; i += LCL_GROUP)
        sum[i - first] *= inv_d[i];
    GROUP_BARRIER();
    for (uint l = end; l-- > begin;) {
        for (uint i = level_ptr[l] + lid; i < level_ptr[l + 1]; i += LCL_GROUP)
            sum[i - first] -=
                dot_row(upper_ptr[i], upper_ptr[i + 1], upper_col, upper, sum);
        GROUP_BARRIER();
    }
    for (uint i = first + lid; i < last; i += LCL_GROUP)
        x[i] = sum[i - first];
}
