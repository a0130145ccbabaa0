// SPDX-License-Identifier: BSD-3-Clause
// Numeric ILU of subdomains of any size, level by level over all of them, one
// work-item per row:
//     A ~ L D U        with L and U unit
// on a pattern in CSR. Mehta et al., arXiv 2508.04917, Algorithm 4.4, row by
// row (IKJ).
//     level_ildu0        the rows of one level
//     level_ildu0_chain  the rows of `levels` levels from `first` on, for
//                        levels of few rows: one launch instead of many
//
// Data:   rows of the pattern have a diagonal, columns ascend, both ends of an
//         entry are in the same subdomain. Entry k starts from entry source[k]
//         of A, with the values `a`, or from 0 if that is LCL_FILL
//         (factor.cl.h); diagonal[i] is the entry of the diagonal of row i.
//         Level l has the rows perm[level_ptr[l]] .. perm[level_ptr[l + 1] -
//         1], which depend on lower levels only.
// Launch: level_ildu0_chain one group, level_ildu0 any number of groups.
// Result: val: L, -1/d and U at the places of their entries. repaired[p] and
//         counts[0], which the host sets to 0, are raised by the number of
//         pivots of subdomain p, and of all, smaller than tol times the scale
//         of their row; bad[i] marks them. `policy`, `shift`, `relax` as
//         in ildu0.cl.
// Determinism: bitwise.
#include "factor.cl.h"
#include "pivot.cl.h"
#include "wave.cl.h"

struct pattern {
    global const uint *row_ptr;
    global const int *col;
    global const uint *source;
    global const uint *diagonal;
    global const uint *part_of; // subdomain of each row
};

struct pivots {
    global const double *shift;
    global int *repaired;
    global int *counts;
    global uchar *bad;
    int policy;
    double tol, relax;
};

// Copies a row of A; returns the largest magnitude.
static inline double load(struct pattern P, int i, global const double *a,
                          global double *val)
{
    double largest = 0;
    for (uint k = P.row_ptr[i]; k < P.row_ptr[i + 1]; ++k) {
        val[k] = P.source[k] < LCL_FILL ? a[P.source[k]] : 0.0;
        largest = fmax(largest, fabs(val[k]));
    }
    return largest;
}

// Subtracts factor times row j of U from row i, on the pattern of row i; j is
// the column of entry k. Returns the amount to subtract from the diagonal, with
// `relax` times what the pattern drops.
static inline double eliminate(struct pattern P, int i, uint k, double factor,
                               double relax, global double *val)
{
    const int j = P.col[k];
    const uint end = P.row_ptr[i + 1];
    double from_diagonal = 0, dropped = 0;
    uint at = k + 1;
    for (uint m = P.diagonal[j] + 1; m < P.row_ptr[j + 1]; ++m) {
        const int c = P.col[m];
        const double update = factor * val[m];
        while (at < end && P.col[at] < c)
            ++at;
        if (c == i)
            from_diagonal += update;
        else if (at < end && P.col[at] == c)
            val[at] -= update;
        else
            dropped += update;
    }
    return relax > 0 ? from_diagonal + relax * dropped : from_diagonal;
}

INLINE void factor_row(struct pattern P, struct pivots V, int i,
                       global const double *a, global double *val)
{
    const uint diagonal = P.diagonal[i], part = P.part_of[i];
    const double largest = load(P, i, a, val);
    const double given = val[diagonal];
    const double scale = pivot_scale(given, largest, V.policy);
    double d = given + copysign(V.shift[part] * scale, given);
    for (uint k = P.row_ptr[i]; k < diagonal; ++k) {
        const double factor = val[k];
        val[k] = factor * -val[P.diagonal[P.col[k]]];
        d -= eliminate(P, i, k, factor, V.relax, val);
    }
    bool small;
    const double inverse =
        1.0 / repair(d, given, scale, V.tol, V.policy, &small);
    val[diagonal] = -inverse;
    V.bad[i] = small;
    if (small) {
        atomic_inc(&V.repaired[part]);
        atomic_inc(&V.counts[0]);
    }
    for (uint k = diagonal + 1; k < P.row_ptr[i + 1]; ++k)
        val[k] *= inverse;
}

WORK_GROUP
kernel void level_ildu0(global const uint *level_ptr, int first, int levels,
                        global const int *perm, global const uint *row_ptr,
                        global const int *col, global const uint *source,
                        global const uint *diagonal, global const uint *part_of,
                        global const double *a, global double *val,
                        global const double *shift, global int *repaired,
                        global int *counts, global uchar *bad, int policy,
                        double tol, double relax)
{
    const struct pattern P = {row_ptr, col, source, diagonal, part_of};
    const struct pivots V = {shift, repaired, counts, bad, policy, tol, relax};
    const long from = level_ptr[first];
    for (RANGE(r, level_ptr[first + 1] - from))
        factor_row(P, V, perm[from + r], a, val);
}

WORK_GROUP
kernel void level_ildu0_chain(
    global const uint *level_ptr, int first, int levels, global const int *perm,
    global const uint *row_ptr, global const int *col,
    global const uint *source, global const uint *diagonal,
    global const uint *part_of, global const double *a, global double *val,
    global const double *shift, global int *repaired, global int *counts,
    global uchar *bad, int policy, double tol, double relax)
{
    const struct pattern P = {row_ptr, col, source, diagonal, part_of};
    const struct pivots V = {shift, repaired, counts, bad, policy, tol, relax};
    for (int l = first; l < first + levels; ++l) {
        const uint end = level_ptr[l + 1];
        for (uint r = level_ptr[l] + get_local_id(0); r < end; r += LCL_GROUP)
            factor_row(P, V, perm[r], a, val);
        GROUP_BARRIER_GLOBAL();
    }
}
