// SPDX-License-Identifier: BSD-3-Clause
// The tentative prolongator T of an aggregation with VECTORS near-null vectors
// B (Vanek, Mandel, Brezina, Computing 56 (1996), section 3): on the rows of
// each aggregate B = Q R, and T has the columns of Q. In order:
//     start_vectors     B = constants, one for each component of a node
//     count_members     1 for each node with an aggregate
//     place_members     the aggregates of these nodes
//     tentative_rows    T with the values of B
//     orthonormalise    T, and R: the near-null vectors of the aggregates
// A column that loses all but 1e-10 of its length to the columns before it is
// zero in T and in R.
//
// Data:   nodes of LCL_BLOCK rows; first[I] nodes before node I have an
//         aggregate, and members[] lists the nodes by aggregate, ascending;
//         vectors row by row; aggregate q has the rows q VECTORS + c of R.
// Launch: any number of groups; orthonormalise of one wave, the others not.
// Determinism: bitwise for a given width; sums in a fixed order.
#include "wave.cl.h"

#ifndef LCL_BLOCK
# define LCL_BLOCK 1
#endif
#ifndef VECTORS
# define VECTORS 1
#endif

#define LOST 1e-10

WORK_GROUP
kernel void start_vectors(long rows, global double *vectors)
{
    for (RANGE(i, rows))
        for (int c = 0; c < VECTORS; ++c)
            vectors[i * VECTORS + c] = (ulong)i % LCL_BLOCK == c;
}

WORK_GROUP
kernel void count_members(long nodes, global const int *aggregate,
                          global uint *count)
{
    for (RANGE(i, nodes))
        count[i] = aggregate[i] >= 0;
}

WORK_GROUP
kernel void place_members(long nodes, global const int *aggregate,
                          global const uint *first, global int *col)
{
    for (RANGE(i, nodes))
        if (aggregate[i] >= 0)
            col[first[i]] = aggregate[i];
}

WORK_GROUP
kernel void tentative_rows(long nodes, global const int *aggregate,
                           global const uint *first,
                           global const double *vectors, global uint *t_ptr,
                           global int *t_col, global double *t_val)
{
    for (RANGE(i, nodes)) {
        const int q = aggregate[i];
        uint at = first[i] * (LCL_BLOCK * VECTORS);
        for (int r = 0; r < LCL_BLOCK; ++r) {
            const long row = i * LCL_BLOCK + r;
            t_ptr[row] = at;
            for (int c = 0; q >= 0 && c < VECTORS; ++c) {
                t_col[at] = q * VECTORS + c;
                t_val[at++] = vectors[row * VECTORS + c];
            }
        }
        if (i == nodes - 1)
            t_ptr[nodes * LCL_BLOCK] = at;
    }
}

// The rows of an aggregate; lane l has rows l, l + LCL_WIDTH, ....
struct candidate_rows {
    uint count;
    global const int *node;   // of the aggregate
    global const uint *first; // of all nodes
    global double *t_val;
};

static inline global double *row_in(struct candidate_rows A, uint m)
{
    const uint node = m / LCL_BLOCK;
    const uint place = A.first[A.node[node]] * LCL_BLOCK + m - node * LCL_BLOCK;
    return A.t_val + place * VECTORS;
}

INLINE double dot(struct candidate_rows A, int c, int d, local double *scratch)
{
    double sum = 0;
    for (uint m = get_local_id(0); m < A.count; m += LCL_WIDTH) {
        global const double *row = row_in(A, m);
        sum += row[c] * row[d];
    }
    return wave_sum(sum, LCL_WIDTH, scratch);
}

// Subtracts from column c its parts along the columns before it, which it adds
// to column c of R.
INLINE void project(struct candidate_rows A, int c, global double *R,
                    local double *scratch)
{
    double part[VECTORS];
    for (int d = 0; d < c; ++d)
        part[d] = dot(A, d, c, scratch);
    for (uint m = get_local_id(0); m < A.count; m += LCL_WIDTH) {
        global double *row = row_in(A, m);
        double v = row[c];
        for (int d = 0; d < c; ++d)
            v -= part[d] * row[d];
        row[c] = v;
    }
    if (get_local_id(0) == 0)
        for (int d = 0; d < c; ++d)
            R[d * VECTORS + c] += part[d];
}

// Classical Gram-Schmidt, twice.
WORK_GROUP
kernel void orthonormalise(long aggregates, global const uint *member_ptr,
                           global const int *members, global const uint *first,
                           global double *t_val, global double *coarse)
{
    local double scratch[LCL_GROUP];
    for (GROUP_RANGE(q, aggregates, 1)) {
        const uint from = member_ptr[q];
        const struct candidate_rows A = {(member_ptr[q + 1] - from) * LCL_BLOCK,
                                         members + from, first, t_val};
        global double *R = coarse + q * VECTORS * VECTORS;
        if (get_local_id(0) == 0)
            for (int k = 0; k < VECTORS * VECTORS; ++k)
                R[k] = 0;
        for (int c = 0; c < VECTORS; ++c) {
            const double whole = sqrt(dot(A, c, c, scratch));
            project(A, c, R, scratch);
            project(A, c, R, scratch);
            const double rest = sqrt(dot(A, c, c, scratch));
            const bool kept = rest > LOST * whole;
            for (uint m = get_local_id(0); m < A.count; m += LCL_WIDTH) {
                global double *row = row_in(A, m);
                row[c] = kept ? row[c] / rest : 0;
            }
            if (get_local_id(0) == 0)
                R[c * VECTORS + c] = kept ? rest : 0;
        }
    }
}
