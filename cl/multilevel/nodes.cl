// SPDX-License-Identifier: BSD-3-Clause
// Nodes of LCL_BLOCK consecutive rows, for the smoothed aggregation of systems:
//     node_norms      norm[e] = Frobenius norm of block e, from the blocks
//     count_filtered  entries of each row of F = I - w D_F^-1 A_F
//     fill_filtered   the rows of F, with ascending columns
//     unit_diagonal   turns zeros on the diagonal into ones
// A_F has the entries inside nodes and between nodes that the filtered matrix
// of the norms couples (lib/multilevel/strength.h); its diagonal D_F is that of
// A plus the other entries of the row in the same component
// (aggregate_diagonal), w = 4 / (3 lambda). Entry k of A is in block
// place[k] / LCL_BLOCK^2, and strong[] is by blocks.
//
// Data:   CSR with ascending columns.
// Launch: any number of groups; fill_filtered of one wave.
// Determinism: bitwise for a given width.
#include "aggregate.cl.h"
#include "wave.cl.h"

#ifndef LCL_BLOCK
# define LCL_BLOCK 1
#endif

#define BLOCK_VALUES (LCL_BLOCK * LCL_BLOCK)

// Scaled by its largest value, so that no square overflows.
WORK_GROUP
kernel void node_norms(long blocks, global const double *val,
                       global double *norm)
{
    for (RANGE(e, blocks)) {
        global const double *block = val + e * BLOCK_VALUES;
        double most = 0, sum = 0;
        for (int k = 0; k < BLOCK_VALUES; ++k)
            most = fmax(most, fabs(block[k]));
        const double scale = most > 0 ? most : 1;
        for (int k = 0; k < BLOCK_VALUES; ++k) {
            const double share = block[k] / scale;
            sum += share * share;
        }
        norm[e] = most * sqrt(sum);
    }
}

static inline bool is_kept(uint k, int j, int node, global const uint *place,
                           global const uchar *strong)
{
    return j / LCL_BLOCK == node || strong[place[k] / BLOCK_VALUES];
}

WORK_GROUP
kernel void count_filtered(long n, global const uint *row_ptr,
                           global const int *col, global const uint *place,
                           global const uchar *strong, global uint *count)
{
    for (RANGE(i, n)) {
        uint kept = 1; // the diagonal
        for (uint k = row_ptr[i]; k < row_ptr[i + 1]; ++k)
            kept += col[k] != i &&
                    is_kept(k, col[k], (int)i / LCL_BLOCK, place, strong);
        count[i] = kept;
    }
}

// What the lanes of a wave find in their shares of row i: a_ii, the sum of the
// entries that are left out in the same component, and the number of those that
// are kept, all and below the diagonal.
struct share {
    double d, lump;
    uint kept, below;
};

static inline struct share survey(int i, uint from, uint to,
                                  global const int *col,
                                  global const double *val,
                                  global const uint *place,
                                  global const uchar *strong)
{
    struct share s = {0, 0, 0, 0};
    for (uint k = from; k < to; ++k) {
        const int j = col[k];
        const bool kept = is_kept(k, j, i / LCL_BLOCK, place, strong);
        s.d += j == i ? val[k] : 0;
        s.lump += !kept && (j - i) % LCL_BLOCK == 0 ? val[k] : 0;
        s.kept += kept && j != i;
        s.below += kept && j < i;
    }
    return s;
}

// A wave per row, with a part of its entries on each lane.
WORK_GROUP
kernel void fill_filtered(long n, global const uint *row_ptr,
                          global const int *col, global const double *val,
                          global const uint *place, global const uchar *strong,
                          global const double *lambda, global const uint *f_ptr,
                          global int *f_col, global double *f_val)
{
    local double scratch[LCL_GROUP];
    const double w = 4 / (3 * lambda[0]);
    const uint lane = get_local_id(0);
    for (GROUP_RANGE(i, n, 1)) {
        const uint first = row_ptr[i], length = row_ptr[i + 1] - first;
        const uint from = first + (uint)((ulong)length * lane / LCL_WIDTH);
        const uint to = first + (uint)((ulong)length * (lane + 1) / LCL_WIDTH);
        const struct share s =
            survey((int)i, from, to, col, val, place, strong);
        const double d = wave_sum(s.d, LCL_WIDTH, scratch);
        const double lump = wave_sum(s.lump, LCL_WIDTH, scratch);
        const uint lower = (uint)wave_sum(s.below, LCL_WIDTH, scratch);
        const double df = aggregate_diagonal(d, lump);
        const double inverse =
            isnormal(df) ? 1.0 / (isnormal(df) ? df : 1.0) : 0.0;
        uint out = (uint)sum_below(s.kept, scratch);
        for (uint k = from; k < to; ++k) {
            const int j = col[k];
            if (j == i || !is_kept(k, j, (int)i / LCL_BLOCK, place, strong))
                continue;
            const uint at = f_ptr[i] + out + (out >= lower);
            f_col[at] = j;
            f_val[at] = -w * (inverse * val[k]);
            ++out;
        }
        if (lane == 0) {
            f_col[f_ptr[i] + lower] = (int)i;
            f_val[f_ptr[i] + lower] = inverse == 0 ? 1 : 1 - w;
        }
    }
}

WORK_GROUP
kernel void unit_diagonal(long n, global const uint *row_ptr,
                          global const int *col, global double *val)
{
    for (RANGE(i, n))
        for (uint k = row_ptr[i]; k < row_ptr[i + 1]; ++k)
            if (col[k] == i && val[k] == 0)
                val[k] = 1;
}
