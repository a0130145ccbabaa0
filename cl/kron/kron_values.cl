// SPDX-License-Identifier: BSD-3-Clause
// Values of a Kronecker operator's M and L, for preconditioners made from it:
//     stage_values:   a_jj M_k + tau b_jj L_k for all stages j and blocks k
//     diagonal_pairs: entries of M_k and of L_k side by side
//
// Data:   block k is block of_m[k] of M and of_l[k] of L; MISSING: a block of
//         zeros; NULL instead of the array: k itself. With `paired`, M and L
//         are one array, in which value 2 v belongs to M and 2 v + 1 to L. a_ij
//         is coef[j s + i], tau b_ij is coef[(s + j) s + i] for s stages.
//         Result (j * blocks + k) * B * B + e of stage_values is entry e of
//         block k in stage j; result k * B * B + e of diagonal_pairs is a pair.
// Launch: any number of groups, one item per result.
// Determinism: exact; no contraction to fused multiply-add.
#include "wave.cl.h"

#pragma OPENCL FP_CONTRACT OFF

#ifndef LCL_BLOCK
# define LCL_BLOCK 1 // rows of a block
#endif
#define VALUES  (LCL_BLOCK * LCL_BLOCK)
#define MISSING 0xffffffffu

// Entry e of block k of M (term 0) or L (term 1).
static inline double entry(int paired, int term, global const uint *of,
                           global const double *val, long k, int e)
{
    if (of && of[k] == MISSING)
        return 0;
    const long at = (of ? of[k] : k) * VALUES + e;
    return val[paired ? 2 * at + term : at];
}

WORK_GROUP
kernel void stage_values(long blocks, int stages, int paired,
                         global const uint *of_m, global const uint *of_l,
                         global const double *m, global const double *l,
                         global const double *coef, global double *val)
{
    const long each = blocks * VALUES;
    for (RANGE(i, stages * each)) {
        const int j = (int)(i / each);
        const long k = (i - j * each) / VALUES;
        const int e = (int)(i - j * each - k * VALUES);
        const double a = coef[j * stages + j];
        const double b = coef[(stages + j) * stages + j];
        val[i] = a * entry(paired, 0, of_m, m, k, e) +
                 b * entry(paired, 1, of_l, l, k, e);
    }
}

WORK_GROUP
kernel void diagonal_pairs(long blocks, int paired, global const uint *of_m,
                           global const uint *of_l, global const double *m,
                           global const double *l, global double *pairs)
{
    for (RANGE(i, blocks * VALUES)) {
        const long k = i / VALUES;
        const int e = (int)(i - k * VALUES);
        pairs[2 * i] = entry(paired, 0, of_m, m, k, e);
        pairs[2 * i + 1] = entry(paired, 1, of_l, l, k, e);
    }
}
