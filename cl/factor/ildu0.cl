// SPDX-License-Identifier: BSD-3-Clause
// Numeric ILU(0) on subdomains, in packed levels, values only:
//     A ~ L D U        with L and U unit
// on the pattern of the slots: that of A inside the subdomain, perhaps with
// fill. Mehta et al., arXiv 2508.04917,
// Algorithm 4.4, row by row (IKJ), all rows of a level at once.
//
// Data:   val holds the entries of A; slot s starts from entry source[s], from
//         0 if that is LCL_FILL or LCL_PADDING (factor.cl.h); diagonal[i]
//         likewise for the diagonal of row i.
// Launch: one group per subdomain.
// Result: slots, inv_d[i] = 1 / d_i; repaired[p] counts the pivots smaller than
//         tol times the scale of their row (pivot.cl.h), bad[i] marks them, and
//         counts[0] is raised by their number. `policy` as in pivot.cl.h;
//         `shift[p]`, times the scale of the row, is added to the diagonal; so
//         is `relax` times the fill that the pattern drops (MILU
//         if 1: Gustafsson, BIT 18 (1978)). With `retry`, subdomains that
//         had no small pivots in the launch before keep their factors, and
//         others stop after the first level with small pivots.
#include "factor.cl.h"
#include "pivot.cl.h"
#include "wave.cl.h"

#pragma OPENCL FP_CONTRACT OFF // the same factors from ildu0_team.cl

// A row being factorised: the slots of its entries, in ascending column order.
struct row {
    ulong lower, upper; // slot of the first entry of L and of U
    ulong diagonal;     // slot of -1/d
    uint stride;
    uint lower_count, upper_count;
    uint self; // local number, also the column of padding
};

static inline struct row row_of(global const struct lcl_step *s, ulong base,
                                uint self)
{
    const ulong at = base + self - s->first, diagonal = at + s->upper;
    const struct row r = {
        at + s->lower,   diagonal + s->rows,  diagonal, s->rows,
        s->lower_planes, s->upper_planes - 1, self};
    return r;
}

// Copies the entries of a run of slots; returns the largest magnitude.
static inline double load(global double *slot_val, global const uint *source,
                          global const double *val, ulong first, uint count,
                          uint stride)
{
    double largest = 0;
    for (uint k = 0; k < count; ++k) {
        const ulong s = first + (ulong)k * stride;
        const double a = source[s] < LCL_FILL ? val[source[s]] : 0.0;
        slot_val[s] = a;
        largest = fmax(largest, fabs(a));
    }
    return largest;
}

// Subtracts factor times row c of U from row r, on the pattern of r, by merging
// two ascending lists. `k` is the entry of r that is being eliminated. Returns
// the amount to subtract from the diagonal, with `relax` times what the pattern
// drops.
static inline double eliminate(global double *slot_val,
                               global const ushort *col, struct row r,
                               struct row c, uint k, double factor,
                               double relax)
{
    double from_diagonal = 0, dropped = 0;
    uint l = k + 1, u = 0;
    for (uint m = 0; m < c.upper_count; ++m) {
        const ulong at = c.upper + (ulong)m * c.stride;
        const uint j = col[at];
        const double update = factor * slot_val[at];
        if (j == c.self)
            break;
        if (j == r.self) {
            from_diagonal += update;
        } else if (j < r.self) {
            while (l < r.lower_count && col[r.lower + (ulong)l * r.stride] < j)
                ++l;
            if (l < r.lower_count && col[r.lower + (ulong)l * r.stride] == j)
                slot_val[r.lower + (ulong)l * r.stride] -= update;
            else
                dropped += update;
        } else {
            while (u < r.upper_count &&
                   col[r.upper + (ulong)u * r.stride] != r.self &&
                   col[r.upper + (ulong)u * r.stride] < j)
                ++u;
            if (u < r.upper_count && col[r.upper + (ulong)u * r.stride] == j)
                slot_val[r.upper + (ulong)u * r.stride] -= update;
            else
                dropped += update;
        }
    }
    return relax > 0 ? from_diagonal + relax * dropped : from_diagonal;
}

WORK_GROUP
kernel void ildu0(global const struct lcl_part *parts,
                  global const struct lcl_step *steps, global const ushort *col,
                  global const ushort *step_of, global const uint *source,
                  global const uint *diagonal, global const double *val,
                  global double *slot_val, global double *inv_d,
                  global const double *shift, global int *repaired,
                  global int *counts, global uchar *bad, int policy, double tol,
                  int retry, double relax)
{
    // of even and of odd steps: lanes read one while others add to the other
    local int small_pivots[2];
    const uint lid = get_local_id(0);
    const struct lcl_part p = parts[get_group_id(0)];
    const double own_shift = shift[get_group_id(0)];
    bool given_up = (retry != 0) & (repaired[get_group_id(0)] == 0);
    if (lid == 0)
        small_pivots[0] = small_pivots[1] = 0;
    GROUP_BARRIER();
    steps += p.step;
    step_of += p.row;
    for (uint s = 0; s < p.steps; ++s) {
        if (!given_up && lid < steps[s].rows) {
            const struct row r =
                row_of(&steps[s], p.slot, steps[s].first + lid);
            const uint d_source = diagonal[p.row + r.self];
            const double given = d_source < LCL_FILL ? val[d_source] : 0.0;
            double largest =
                fmax(fabs(given), load(slot_val, source, val, r.lower,
                                       r.lower_count, r.stride));
            largest = fmax(largest, load(slot_val, source, val, r.upper,
                                         r.upper_count, r.stride));
            const double scale = pivot_scale(given, largest, policy);
            double d = given + copysign(own_shift * scale, given);
            for (uint k = 0; k < r.lower_count; ++k) {
                const ulong at = r.lower + (ulong)k * r.stride;
                const uint j = col[at];
                if (j == r.self)
                    break;
                const double a = slot_val[at], l = a * inv_d[p.row + j];
                const struct row c = row_of(&steps[step_of[j]], p.slot, j);
                d -= eliminate(slot_val, col, r, c, k, a, relax);
                slot_val[at] = l;
            }
            bool small;
            d = repair(d, given, scale, tol, policy, &small);
            const double inverse = 1.0 / d;
            inv_d[p.row + r.self] = inverse;
            slot_val[r.diagonal] = -inverse;
            bad[p.row + r.self] = small;
            if (small)
                atomic_inc(&small_pivots[s % 2]);
            for (uint k = 0; k < r.upper_count; ++k)
                slot_val[r.upper + (ulong)k * r.stride] *= inverse;
        }
        GROUP_BARRIER_GLOBAL();
        given_up |= small_pivots[s % 2] * retry > 0;
    }
    if (lid == 0)
        tell_small(small_pivots[0] + small_pivots[1], repaired, counts);
}
