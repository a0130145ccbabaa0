// SPDX-License-Identifier: BSD-3-Clause
// Numeric ILU(0) of long rows on subdomains: ildu0.cl, whose factors these are
// bit for bit, with LANES_PER_ROW lanes for each row. They eliminate its
// entries one after the other, and each lane takes a share of the row of U that
// is subtracted.
//
// Data, result: as in ildu0.cl, without `relax`.
// Launch: one group per subdomain of at most SUBDOMAIN_ROWS rows with at most
//         ROW_ENTRIES entries of L and as many of U; those of a row are in
//         local memory while its team works on it. The group may be smaller
//         than that of the schedule.
#include "factor.cl.h"
#include "ildu0_team.cl.h"
#include "pivot.cl.h"

#pragma OPENCL FP_CONTRACT OFF // as in ildu0.cl

#define SHARES 2 // entries of U of a lane that are loaded ahead

// Entries of U of a lane, and their columns.
struct share {
    double val[SHARES];
    uint col[SHARES];
};

// The lane's first entries of the row of pivot c.
INLINE struct share load_share(struct pivot c, ulong base,
                               global const ushort *col,
                               global const double *slot_val)
{
    const uint lane = get_local_id(0) % LANES_PER_ROW;
    struct share u = {{0}, {0}};
#pragma unroll
    for (uint q = 0; q < SHARES; ++q) {
        const uint m = lane + q * LANES_PER_ROW;
        if (m < c.count) {
            const ulong at = base + c.slot + m * c.stride;
            u.val[q] = slot_val[at];
            u.col[q] = col[at];
        }
    }
    return u;
}

// Subtracts a times the entry u of U in column `to` of row j from the row.
static inline void subtract(local struct row *r, double a, double u, uint to,
                            uint j)
{
    const double update = a * u;
    const uint place = to != j ? r->place[to] : NONE;
    if (place != NONE)
        r->val[place] -= update;
}

// Subtracts a_ij times row j of U from row i, on the pattern of row i; j is the
// column of number k of L, `u` the lane's first entries of row j.
INLINE void eliminate(local struct row *r, uint k, const struct share *u,
                      ulong base, global const ushort *col,
                      global const double *slot_val)
{
    const struct pivot c = r->pivot[k];
    const uint j = r->col[k], lane = get_local_id(0) % LANES_PER_ROW;
    const double a = r->val[k];
#pragma unroll
    for (uint q = 0; q < SHARES; ++q)
        if (lane + q * LANES_PER_ROW < c.count)
            subtract(r, a, u->val[q], u->col[q], j);
    for (uint m = lane + SHARES * LANES_PER_ROW; m < c.count;
         m += LANES_PER_ROW) {
        const ulong from = base + c.slot + m * c.stride;
        subtract(r, a, slot_val[from], col[from], j);
    }
}

// Writes the row: L D^-1, D^-1 U, -1/d. Padding of L has the row's own column.
static inline void store(local const struct row *r, struct lcl_step s, ulong at,
                         uint self, global const double *inv_d, double inverse,
                         global double *slot_val)
{
    const uint lane = get_local_id(0) % LANES_PER_ROW;
    for (uint k = lane; k < s.lower_planes; k += LANES_PER_ROW)
        slot_val[at + s.lower + k * s.rows] =
            r->col[k] == self ? 0 : r->val[k] * inv_d[r->col[k]];
    for (uint k = 1 + lane; k < s.upper_planes; k += LANES_PER_ROW)
        slot_val[at + s.upper + k * s.rows] =
            r->val[s.lower_planes + k] * inverse;
    if (lane == 0)
        slot_val[at + s.upper] = -inverse;
}

WORK_GROUP
kernel void ildu0_team(global const struct lcl_part *parts,
                       global const struct lcl_step *steps,
                       global const ushort *col, global const ushort *step_of,
                       global const uint *source, global const uint *diagonal,
                       global const double *val, global double *slot_val,
                       global double *inv_d, global const double *shift,
                       global int *repaired, global int *counts,
                       global uchar *bad, int policy, double tol, int retry)
{
    local struct row rows[TEAMS];
    local double share[LCL_GROUP];
    // of even and of odd steps: lanes read one while others add to the other
    local int small_pivots[2];
    const uint lid = get_local_id(0), lane = lid % LANES_PER_ROW;
    local struct row *r = &rows[lid / LANES_PER_ROW];
    const struct lcl_part p = parts[get_group_id(0)];
    const double own_shift = shift[get_group_id(0)];
    bool given_up = (retry != 0) & (repaired[get_group_id(0)] == 0);
    if (lid == 0)
        small_pivots[0] = small_pivots[1] = 0;
    clear_places(r);
    GROUP_BARRIER();
    steps += p.step;
    step_of += p.row;
    for (uint number = 0; number < p.steps; ++number) {
        const struct lcl_step s = steps[number];
        for (uint first = 0; first < s.rows && !given_up; first += TEAMS) {
            const uint row = first + lid / LANES_PER_ROW;
            const bool used = row < s.rows;
            const uint self = s.first + row;
            const ulong at = p.slot + row;
            double given = 0, largest = 0;
            if (used) {
                const uint from = diagonal[p.row + self];
                given = from < LCL_FILL ? val[from] : 0.0;
                largest = load_lower(r, s, steps, at, self, col, step_of,
                                     source, val);
                largest =
                    fmax(largest, load_upper(r, s, at, self, col, source, val));
                largest = fmax(largest, fabs(given));
            }
            largest = team_largest(largest, share);
            const double scale = pivot_scale(given, largest, policy);
            if (used && lane == 0) {
                r->val[s.lower_planes] =
                    given + copysign(own_shift * scale, given);
                r->place[self] = s.lower_planes;
            }
            struct share ahead = {{0}, {0}};
            if (used && s.lower_planes > 0)
                ahead = load_share(r->pivot[0], p.slot, col, slot_val);
            for (ASCENDING(k, s.lower_planes)) {
                const struct share u = ahead;
                WAVE_BARRIER();
                if (used && k + 1 < s.lower_planes)
                    ahead = load_share(r->pivot[k + 1], p.slot, col, slot_val);
                if (used)
                    eliminate(r, k, &u, p.slot, col, slot_val);
            }
            WAVE_BARRIER();
            if (used) {
                bool small;
                forget(r, s, at, self, col);
                const double inverse =
                    1.0 / repair(r->val[s.lower_planes], given, scale, tol,
                                 policy, &small);
                store(r, s, at, self, inv_d + p.row, inverse, slot_val);
                if (lane == 0) {
                    inv_d[p.row + self] = inverse;
                    bad[p.row + self] = small;
                    if (small)
                        atomic_inc(&small_pivots[number % 2]);
                }
            }
            WAVE_BARRIER(); // before the next row takes the place of this one
        }
        GROUP_BARRIER_GLOBAL();
        given_up |= small_pivots[number % 2] * retry > 0;
    }
    if (lid == 0)
        tell_small(small_pivots[0] + small_pivots[1], repaired, counts);
}
