// SPDX-License-Identifier: BSD-3-Clause
// Numeric ILU(0) of long rows of blocks on subdomains: ildu0_block.cl, whose
// factors these are bit for bit, with LANES_PER_ROW lanes for each block row.
//
// Data, result: as in ildu0_block.cl.
// Launch: as in ildu0_team.cl, with rows and entries of blocks.
#include "ildu0_block.cl.h"
#include "ildu0_team.cl.h"

// Index of the first value of the block in a slot.
static inline ulong block_at(ulong slot, uint lane)
{
    return slot * ENTRIES - lane * (ENTRIES - 1);
}

static inline void get_block(double *m, local const double *from)
{
#pragma unroll
    for (uint e = 0; e < ENTRIES; ++e)
        m[e] = from[e];
}

// ------------------------------------------------------------------- row

// Subtracts A_ij times row j of U from row i, on the pattern of row i; j is the
// column of number k of L.
static inline void eliminate(local struct row *r, uint k, ulong base,
                             global const ushort *col,
                             global const double *slot_val)
{
    const struct pivot c = r->pivot[k];
    const uint j = r->col[k];
    double m[ENTRIES], column[LCL_BLOCK]; // m = -A_ij
    get_block(m, &r->val[k * ENTRIES]);
    for (uint e = 0; e < ENTRIES; ++e)
        m[e] = -m[e];
    for (uint n = get_local_id(0) % LANES_PER_ROW; n < c.count;
         n += LANES_PER_ROW) {
        const ulong slot = base + c.slot + n * c.stride;
        const uint to = col[slot];
        const uint place = to != j ? r->place[to] : NONE;
        if (place == NONE)
            continue;
        for (uint q = 0; q < LCL_BLOCK; ++q) {
            product_column(column, m, slot_val + block_at(slot, c.lane),
                           c.stride, q);
#pragma unroll
            for (uint p = 0; p < LCL_BLOCK; ++p)
                r->val[place * ENTRIES + p * LCL_BLOCK + q] += column[p];
        }
    }
}

// Inverts the diagonal block in place. Returns whether a pivot was small.
static inline bool invert_diagonal(local double *d, double largest, double tol,
                                   int policy)
{
    double m[ENTRIES];
    uint inverse_column[LCL_BLOCK], inverse_row[LCL_BLOCK] = {0};
    get_block(m, d);
    const bool small =
        invert_block(m, inverse_row, inverse_column, largest, tol, policy);
#pragma unroll
    for (uint i = 0; i < LCL_BLOCK; ++i)
#pragma unroll
        for (uint j = 0; j < LCL_BLOCK; ++j)
            d[inverse_row[i] * LCL_BLOCK + inverse_column[j]] =
                m[i * LCL_BLOCK + j];
    return small;
}

// Writes the lane's share of L: A_ij D_j^-1; slots have -D_j^-1.
static inline void store_lower(local const struct row *r, struct lcl_step s,
                               ulong base, ulong at, uint lane,
                               global double *slot_val)
{
    for (uint k = get_local_id(0) % LANES_PER_ROW; k < s.lower_planes;
         k += LANES_PER_ROW) {
        const struct pivot c = r->pivot[k];
        const ulong diagonal = base + c.slot - c.stride;
        global double *l = slot_val + block_at(at + s.lower + k * s.rows, lane);
        double m[ENTRIES];
        get_block(m, &r->val[k * ENTRIES]);
        for (uint e = 0; e < ENTRIES; ++e)
            m[e] = -m[e];
        if (r->col[k] != s.first + lane)
            block_times(l, s.rows, m, slot_val + block_at(diagonal, c.lane),
                        c.stride);
        else
            for (uint e = 0; e < ENTRIES; ++e)
                l[e * s.rows] = 0; // padding
    }
}

// The same of U: D_i^-1 A_ij.
static inline void store_upper(local const struct row *r, struct lcl_step s,
                               ulong at, uint lane, global double *slot_val)
{
    double m[ENTRIES], column[LCL_BLOCK], a[LCL_BLOCK];
    get_block(m, &r->val[s.lower_planes * ENTRIES]);
    for (uint k = 1 + get_local_id(0) % LANES_PER_ROW; k < s.upper_planes;
         k += LANES_PER_ROW) {
        local const double *from = &r->val[(s.lower_planes + k) * ENTRIES];
        global double *u = slot_val + block_at(at + s.upper + k * s.rows, lane);
        for (uint q = 0; q < LCL_BLOCK; ++q) {
#pragma unroll
            for (uint p = 0; p < LCL_BLOCK; ++p)
                a[p] = from[p * LCL_BLOCK + q];
            times(column, m, a);
#pragma unroll
            for (uint p = 0; p < LCL_BLOCK; ++p)
                u[(p * LCL_BLOCK + q) * s.rows] = column[p];
        }
    }
}

static inline void store_diagonal(local const double *d, uint stride,
                                  global double *to)
{
    for (uint e = get_local_id(0) % LANES_PER_ROW; e < ENTRIES;
         e += LANES_PER_ROW)
        to[e * stride] = -d[e];
}

WORK_GROUP
kernel void ildu0_block_team(
    global const struct lcl_part *parts, global const struct lcl_step *steps,
    global const ushort *col, global const ushort *step_of,
    global const uint *source, global const uint *diagonal,
    global const double *val, global double *slot_val,
    global const double *shift, global int *repaired, global int *counts,
    global uchar *bad, int policy, double tol)
{
    local struct row rows[TEAMS];
    local double share[LCL_GROUP];
    local int small_pivots;
    const uint lid = get_local_id(0), lane = lid % LANES_PER_ROW;
    local struct row *r = &rows[lid / LANES_PER_ROW];
    const struct lcl_part p = parts[get_group_id(0)];
    const double own_shift = shift[get_group_id(0)];
    if (lid == 0)
        small_pivots = 0;
    clear_places(r);
    GROUP_BARRIER();
    steps += p.step;
    step_of += p.row;
    for (uint number = 0; number < p.steps; ++number) {
        const struct lcl_step s = steps[number];
        for (uint first = 0; first < s.rows; first += TEAMS) {
            const uint row = first + lid / LANES_PER_ROW;
            const bool used = row < s.rows;
            const uint self = s.first + row;
            const ulong at = p.slot + row;
            local double *d = &r->val[s.lower_planes * ENTRIES];
            double largest = 0;
            if (used) {
                if (lane == 0)
                    largest = load_entry(d, val, diagonal[p.row + self]);
                largest = fmax(largest, load_lower(r, s, steps, at, self, col,
                                                   step_of, source, val));
                largest =
                    fmax(largest, load_upper(r, s, at, self, col, source, val));
            }
            largest = team_largest(largest, share);
            if (used && lane == 0) {
                r->place[self] = s.lower_planes;
                for (uint c = 0; c < LCL_BLOCK; ++c)
                    d[c * (LCL_BLOCK + 1)] +=
                        copysign(own_shift * largest, d[c * (LCL_BLOCK + 1)]);
            }
            for (ASCENDING(k, s.lower_planes)) {
                WAVE_BARRIER();
                if (used)
                    eliminate(r, k, p.slot, col, slot_val);
            }
            WAVE_BARRIER();
            if (used && lane == 0) {
                const bool small = invert_diagonal(d, largest, tol, policy);
                bad[p.row + self] = small;
                if (small)
                    atomic_inc(&small_pivots);
            }
            WAVE_BARRIER();
            if (used) {
                forget(r, s, at, self, col);
                store_lower(r, s, p.slot, at, row, slot_val);
                store_upper(r, s, at, row, slot_val);
                store_diagonal(d, s.rows,
                               slot_val + block_at(at + s.upper, row));
            }
            WAVE_BARRIER(); // before the next row takes the place of this one
        }
        GROUP_BARRIER_GLOBAL();
    }
    if (lid == 0)
        tell_small(small_pivots, repaired, counts);
}
