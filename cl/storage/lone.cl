// SPDX-License-Identifier: BSD-3-Clause
// Lone rows: those with one entry other than 0, that of the diagonal. They
// prescribe their unknowns, as rows of boundary values do.
//     find_lone       lone[i] = 1 for lone rows, else 0
//     lone_asymmetry  the asymmetry of the other rows and columns: over the
//                     entries a_ij of group g of G,
//                         sums[g]    a_ij (u_i w_j - w_i u_j)
//                         sums[G+g]  |a_ij|
//                     with u and w of properties.cl, without lone columns
//     solve_lone      x_i = b_i / a_ii for lone rows
//
// Data:   CSR.
// Launch: any number of groups.
// Determinism: bitwise for a given number of groups.
#include "index.cl.h"
#include "properties.cl.h"
#include "wave.cl.h"

// a_ii of a lone row, 0 for others.
static inline double lone_diagonal(long i, global const index_t *row_ptr,
                                   global const int *col,
                                   global const double *val)
{
    double diagonal = 0;
    for (index_t k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
        if (col[k] == i)
            diagonal += val[k];
        else if (val[k] != 0)
            return 0;
    }
    return diagonal;
}

WORK_GROUP
kernel void find_lone(long n, global const index_t *restrict row_ptr,
                      global const int *restrict col,
                      global const double *restrict val,
                      global uchar *restrict lone)
{
    for (RANGE(i, n))
        lone[i] = lone_diagonal(i, row_ptr, col, val) != 0;
}

WORK_GROUP
kernel void lone_asymmetry(long n, global const index_t *restrict row_ptr,
                           global const int *restrict col,
                           global const double *restrict val,
                           global const uchar *restrict lone,
                           global double *restrict sums)
{
    local double scratch[LCL_GROUP];
    double difference = 0, scale = 0;
    for (RANGE(i, n)) {
        const uint hi = properties_hash((ulong)i);
        for (index_t k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
            const double a = lone[col[k]] ? 0.0 : val[k];
            const uint hj = properties_hash((ulong)col[k]);
            difference += a * (properties_u(hi) * properties_w(hj) -
                               properties_w(hi) * properties_u(hj));
            scale += fabs(a);
        }
    }
    difference = group_sum(difference, scratch);
    scale = group_sum(scale, scratch);
    if (get_local_id(0) == 0) {
        sums[get_group_id(0)] = difference;
        sums[get_num_groups(0) + get_group_id(0)] = scale;
    }
}

WORK_GROUP
kernel void solve_lone(long n, global const index_t *restrict row_ptr,
                       global const int *restrict col,
                       global const double *restrict val,
                       global const double *restrict b,
                       global double *restrict x)
{
    for (RANGE(i, n)) {
        const double diagonal = lone_diagonal(i, row_ptr, col, val);
        if (diagonal != 0)
            x[i] = b[i] / diagonal;
    }
}
