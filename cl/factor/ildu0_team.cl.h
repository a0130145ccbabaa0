// SPDX-License-Identifier: BSD-3-Clause
// Teams of LANES_PER_ROW lanes that factorise a row of a subdomain together;
// the entries of the row, of ENTRIES values each, are in local memory
// meanwhile.
#pragma once

#include "factor.cl.h"
#include "wave.cl.h"

#ifndef ENTRIES
# define ENTRIES 1
#endif

#ifndef LANES_PER_ROW
# define LANES_PER_ROW LCL_WIDTH // power of two up to LCL_WIDTH
#endif
#ifndef ROW_ENTRIES
# define ROW_ENTRIES 16 // of L and of U, at most
#endif
#ifndef SUBDOMAIN_ROWS
# define SUBDOMAIN_ROWS 64 // at most
#endif

#define TEAMS (LCL_GROUP / LANES_PER_ROW)
#define NONE  0xffff // place of columns that a row lacks

// A row of U that is subtracted: where it starts in the subdomain, the place of
// its row in its step, the rows of this step, the entries of the row, 0 for
// padding.
struct pivot {
    uint slot;
    ushort lane, stride, count;
};

// Entries of L, the diagonal, entries of U; place[j]: which one of them is in
// column j.
struct row {
    double val[(2 * ROW_ENTRIES + 1) * ENTRIES];
    struct pivot pivot[ROW_ENTRIES];
    ushort col[ROW_ENTRIES]; // of L
    ushort place[SUBDOMAIN_ROWS];
};

// The largest v of the team. All work-items of the group take part.
INLINE double team_largest(double v, local double *share)
{
    const uint lid = get_local_id(0), lane = lid % LANES_PER_ROW;
    share[lid] = v;
#pragma unroll
    for (uint span = LANES_PER_ROW / 2; span > 0; span /= 2) {
        WAVE_BARRIER();
        if (lane < span)
            share[lid] = fmax(share[lid], share[lid + span]);
    }
    WAVE_BARRIER();
    return share[lid - lane];
}

// No column has a place yet.
static inline void clear_places(local struct row *r)
{
    for (uint j = get_local_id(0) % LANES_PER_ROW; j < SUBDOMAIN_ROWS;
         j += LANES_PER_ROW)
        r->place[j] = NONE;
}

// Copies an entry of the matrix, 0 if it is not stored; returns the largest
// magnitude.
static inline double load_entry(local double *to, global const double *val,
                                uint source)
{
    double largest = 0;
    for (uint e = 0; e < ENTRIES; ++e) {
        const double a =
            source < LCL_FILL ? val[(ulong)source * ENTRIES + e] : 0.0;
        to[e] = a;
        largest = fmax(largest, fabs(a));
    }
    return largest;
}

// Loads the lane's share of L and of the pivots; returns the largest magnitude.
static inline double load_lower(local struct row *r, struct lcl_step s,
                                global const struct lcl_step *steps, ulong at,
                                uint self, global const ushort *col,
                                global const ushort *step_of,
                                global const uint *source,
                                global const double *val)
{
    double largest = 0;
    for (uint k = get_local_id(0) % LANES_PER_ROW; k < s.lower_planes;
         k += LANES_PER_ROW) {
        const ulong slot = at + s.lower + k * s.rows;
        const uint j = col[slot];
        const struct lcl_step c = steps[step_of[j]];
        const uint lane = j - c.first;
        largest =
            fmax(largest, load_entry(&r->val[k * ENTRIES], val, source[slot]));
        r->col[k] = j;
        if (j != self)
            r->place[j] = k;
        r->pivot[k].slot = c.upper + c.rows + lane;
        r->pivot[k].lane = lane;
        r->pivot[k].stride = c.rows;
        r->pivot[k].count = j == self ? 0 : c.upper_planes - 1;
    }
    return largest;
}

// The same for U.
static inline double load_upper(local struct row *r, struct lcl_step s,
                                ulong at, uint self, global const ushort *col,
                                global const uint *source,
                                global const double *val)
{
    double largest = 0;
    for (uint k = 1 + get_local_id(0) % LANES_PER_ROW; k < s.upper_planes;
         k += LANES_PER_ROW) {
        const ulong slot = at + s.upper + k * s.rows;
        const uint place = s.lower_planes + k;
        largest = fmax(largest,
                       load_entry(&r->val[place * ENTRIES], val, source[slot]));
        if (col[slot] != self)
            r->place[col[slot]] = place;
    }
    return largest;
}

// Forgets the places of the columns, for the next row.
static inline void forget(local struct row *r, struct lcl_step s, ulong at,
                          uint self, global const ushort *col)
{
    const uint lane = get_local_id(0) % LANES_PER_ROW;
    for (uint k = lane; k < s.lower_planes; k += LANES_PER_ROW)
        r->place[r->col[k]] = NONE;
    for (uint k = 1 + lane; k < s.upper_planes; k += LANES_PER_ROW)
        r->place[col[at + s.upper + k * s.rows]] = NONE;
    if (lane == 0)
        r->place[self] = NONE;
}
