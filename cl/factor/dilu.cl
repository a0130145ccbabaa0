// SPDX-License-Identifier: BSD-3-Clause
// Numeric ILU(0) on subdomains with a triangle-free pattern: no i > j < m, m
// other than i, with a_ij, a_jm and a_im stored. Elimination then changes only
// the diagonal,
//     d_i = a_ii - sum_{j<i} a_ij a_ji / d_j,   l_ij = a_ij / d_j,
//     u_ij = a_ij / d_i
// (D-ILU: Barrett et al., Templates, SIAM 1994), and a row depends on other
// rows through their 1/d only.
//
// Data:   as in ildu0.cl; for a slot s of L of entry a_ij, mirror[s] is the
//         entry a_ji, numbered like source[s]; LCL_PADDING if a_ji is not
//         stored, and for slots of 1/d.
// Launch: one group per subdomain of at most SUBDOMAIN_ROWS rows. Local memory
//         holds 1/d of all rows; at width 1 inv_d serves instead.
// Result: `stored`, the slots in the format LCL_STORAGE (slot.cl.h);
//         repaired, bad and counts[0] as in ildu0.cl, counts[1] and counts[2]
//         as in store.cl.
#include "factor.cl.h"
#include "pivot.cl.h"
#include "slot.cl.h"
#include "wave.cl.h"

#ifndef SUBDOMAIN_ROWS
# define SUBDOMAIN_ROWS 64 // rows of a subdomain held in local memory
#endif
#ifndef ROW_ENTRIES
# define ROW_ENTRIES 3 // maximum entries of a row of L and of a row of U
#endif

static inline double entry(global const double *val, uint source)
{
    return source < LCL_FILL ? val[source] : 0.0;
}

// The entries of a row: L with the mirrored entries a_ji, U, the diagonal.
struct row {
    double lower[ROW_ENTRIES], mirror[ROW_ENTRIES], upper[ROW_ENTRIES];
    uint lower_col[ROW_ENTRIES], upper_col[ROW_ENTRIES];
    double diagonal;
};

// Loads the indices first, then the values, so that all loads of a row are in
// flight at once.
static inline void load(struct row *r, struct lcl_step s, uint lane,
                        global const ushort *col, global const uint *source,
                        global const uint *mirror, uint diagonal,
                        global const double *val)
{
    uint lower[ROW_ENTRIES], mirrored[ROW_ENTRIES], upper[ROW_ENTRIES];
    const uint none = s.upper + lane; // slot of 1/d, which has no entry
#pragma unroll
    for (uint k = 0; k < ROW_ENTRIES; ++k) {
        const bool in_l = k < s.lower_planes, in_u = k + 1 < s.upper_planes;
        const uint l = in_l ? s.lower + k * s.rows + lane : none;
        const uint u = in_u ? s.upper + (k + 1) * s.rows + lane : none;
        lower[k] = source[l];
        mirrored[k] = mirror[l];
        upper[k] = source[u];
        r->lower_col[k] = col[l];
        r->upper_col[k] = LCL_STORAGE == LCL_STORED_BF16 ? col[u] : 0;
    }
    r->diagonal = entry(val, diagonal);
#pragma unroll
    for (uint k = 0; k < ROW_ENTRIES; ++k) {
        r->lower[k] = entry(val, lower[k]);
        r->mirror[k] = entry(val, mirrored[k]);
        r->upper[k] = entry(val, upper[k]);
    }
}

static inline double largest_of(const struct row *r)
{
    double largest = fabs(r->diagonal);
#pragma unroll
    for (uint k = 0; k < ROW_ENTRIES; ++k)
        largest = fmax(largest, fmax(fabs(r->lower[k]), fabs(r->upper[k])));
    return largest;
}

WORK_GROUP
kernel void dilu(global const struct lcl_part *parts,
                 global const struct lcl_step *steps, global const ushort *col,
                 global const uint *source, global const uint *mirror,
                 global const uint *diagonal, global const double *val,
                 global stored_t *stored, global double *inv_d,
                 global const double *shift, global int *repaired,
                 global int *counts, global uchar *bad, int policy, double tol)
{
    local int small_pivots;
    const uint lid = get_local_id(0);
    const struct lcl_part p = parts[get_group_id(0)];
    const double own_shift = shift[get_group_id(0)];
#if LCL_WIDTH == 1
    global double *inverse = inv_d + p.row;
#else
    local double inverse[SUBDOMAIN_ROWS];
#endif
    int lost = 0;
    if (lid == 0)
        small_pivots = 0;
    GROUP_BARRIER();
    steps += p.step;
    col += p.slot;
    source += p.slot;
    mirror += p.slot;
    stored += p.slot;
    for (uint t = 0; t < p.steps; ++t) {
        const struct lcl_step s = steps[t];
        if (lid < s.rows) {
            const uint self = s.first + lid;
            struct row r;
            bool small;
            load(&r, s, lid, col, source, mirror, diagonal[p.row + self], val);
            const double scale =
                pivot_scale(r.diagonal, largest_of(&r), policy);
            double d = r.diagonal + copysign(own_shift * scale, r.diagonal);
#pragma unroll
            for (uint k = 0; k < ROW_ENTRIES; ++k) {
                const uint j = r.lower_col[k]; // self: no entry
                const double of_j = j == self ? 0.0 : inverse[j];
                d -= r.lower[k] * (r.mirror[k] * of_j);
                if (k < s.lower_planes)
                    lost += slot_store(&stored[s.lower + k * s.rows + lid],
                                       r.lower[k] * of_j, j);
            }
            const double own =
                1.0 / repair(d, r.diagonal, scale, tol, policy, &small);
            inverse[self] = own;
            bad[p.row + self] = small;
            if (small)
                atomic_inc(&small_pivots);
            lost += slot_store(&stored[s.upper + lid], -own, self);
#pragma unroll
            for (uint k = 0; k < ROW_ENTRIES; ++k)
                if (k + 1 < s.upper_planes)
                    lost +=
                        slot_store(&stored[s.upper + (k + 1) * s.rows + lid],
                                   r.upper[k] * own, r.upper_col[k]);
        }
        GROUP_BARRIER();
    }
    if (lost > 0)
        lcl_stored_count(counts, lost);
    if (lid == 0)
        tell_small(small_pivots, repaired, counts);
}
