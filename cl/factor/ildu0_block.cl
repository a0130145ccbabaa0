// SPDX-License-Identifier: BSD-3-Clause
// Numeric ILU(0) of a matrix of blocks on subdomains, in packed levels, values
// only:
//     A ~ L D U        with L and U unit
// on the pattern of the slots, as in ildu0.cl: L_ij = A'_ij D_j^-1 and
// U_ij = D_i^-1 A'_ij, where A' is A after elimination. Row by row (IKJ), all
// rows of a level at once, one lane per block row.
//
// Data:   val holds the blocks of A, each row-major; source and diagonal count
//         blocks, otherwise as in ildu0.cl.
// Launch: one group per subdomain.
// Result: slots; repaired[p] counts the block rows with a pivot smaller than
//         tol times the largest entry of the row, bad[i] marks them. policy,
//         shift and counts as in ildu0.cl; the shift is added to each diagonal
//         entry.
#include "ildu0_block.cl.h"

// A constant where it can be one: blocks are then stored entry after entry.
#if LCL_GROUP == 1
# define STEP_ROWS(s) 1u
#else
# define STEP_ROWS(s) ((uint)(s)->rows)
#endif

// A row being factorised: the slots of its blocks, in ascending column order.
struct row {
    ulong lower, upper; // slot of the first block of L and of U
    ulong diagonal;     // slot of the inverse of the diagonal block
    uint lane, stride;  // in the step; distance between entries of a block
    uint lower_count, upper_count;
    uint self; // local number, also the column of padding
};

static inline struct row row_of(global const struct lcl_step *s, ulong base,
                                uint self)
{
    const uint lane = LCL_GROUP == 1 ? 0 : self - s->first;
    const uint rows = STEP_ROWS(s);
    const ulong at = base + lane, diagonal = at + s->upper;
    const struct row r = {
        at + s->lower,   diagonal + rows,     diagonal, lane, rows,
        s->lower_planes, s->upper_planes - 1, self};
    return r;
}

// Index of the first value of the block in a slot of row r.
static inline ulong block_at(struct row r, ulong slot)
{
    return slot * ENTRIES - r.lane * (ENTRIES - 1);
}

// --------------------------------------------------------------------- rows

// The arrays of a factorisation; those stored by subdomain start at the
// subdomain's first element.
struct factor {
    global const ushort *col;
    global const uint *source;
    global const double *val;
    global double *slot_val;
};

// Copies the blocks of a run of slots; returns the largest magnitude.
static inline double load(struct factor f, struct row r, ulong first,
                          uint count)
{
    double largest = 0;
    for (uint k = 0; k < count; ++k) {
        const ulong s = first + (ulong)k * r.stride;
        largest = fmax(largest, copy_block(f.slot_val + block_at(r, s),
                                           r.stride, f.val, f.source[s]));
    }
    return largest;
}

// The first slot, from number k on, of a run of `count` slots of row r whose
// column is at least j; padding counts as larger.
static inline uint skip(struct factor f, struct row r, ulong first, uint count,
                        uint k, uint j)
{
    while (k < count && f.col[first + (ulong)k * r.stride] != r.self &&
           f.col[first + (ulong)k * r.stride] < j)
        ++k;
    return k;
}

// Adds m times row c of U to row r, on the pattern of r, by merging two
// ascending lists. Number k of L is the block of r that is being eliminated.
static inline void eliminate(struct factor f, struct row r, struct row c,
                             uint k, const double *m)
{
    uint l = k + 1, u = 0;
    for (uint i = 0; i < c.upper_count; ++i) {
        const ulong from = c.upper + (ulong)i * c.stride;
        const uint j = f.col[from];
        ulong to = r.diagonal;
        bool stored = true;
        if (j == c.self)
            break;
        if (j < r.self) {
            l = skip(f, r, r.lower, r.lower_count, l, j);
            to = r.lower + (ulong)l * r.stride;
            stored = l < r.lower_count && f.col[to] == j;
        } else if (j > r.self) {
            u = skip(f, r, r.upper, r.upper_count, u, j);
            to = r.upper + (ulong)u * r.stride;
            stored = u < r.upper_count && f.col[to] == j;
        }
        if (stored)
            add_product(f.slot_val + block_at(r, to), r.stride, m,
                        f.slot_val + block_at(c, from), c.stride);
    }
}

// Loads row r, with the shift on its diagonal; returns the largest magnitude.
static inline double begin_row(struct factor f, struct row r, uint source,
                               double shift)
{
    global double *d = f.slot_val + block_at(r, r.diagonal);
    double largest = copy_block(d, r.stride, f.val, source);
    largest = fmax(largest, load(f, r, r.lower, r.lower_count));
    largest = fmax(largest, load(f, r, r.upper, r.upper_count));
    for (uint c = 0; c < LCL_BLOCK; ++c) {
        const uint at = c * (LCL_BLOCK + 1) * r.stride;
        d[at] += copysign(shift * largest, d[at]);
    }
    return largest;
}

// Inverts the diagonal block and scales U. Returns whether a pivot
// was small.
static inline bool finish_row(struct factor f, struct row r, double largest,
                              double tol, int policy)
{
    global double *d = f.slot_val + block_at(r, r.diagonal);
    double m[ENTRIES];
    uint inverse_column[LCL_BLOCK], inverse_row[LCL_BLOCK] = {0};
    read_block(m, d, r.stride);
    const bool small =
        invert_block(m, inverse_row, inverse_column, largest, tol, policy);
#pragma unroll
    for (uint i = 0; i < LCL_BLOCK; ++i)
#pragma unroll
        for (uint j = 0; j < LCL_BLOCK; ++j)
            d[(inverse_row[i] * LCL_BLOCK + inverse_column[j]) * r.stride] =
                m[i * LCL_BLOCK + j];
    read_block(m, d, r.stride);
    for (uint k = 0; k < r.upper_count; ++k) {
        global double *u =
            f.slot_val + block_at(r, r.upper + (ulong)k * r.stride);
        block_times(u, r.stride, m, u, r.stride);
    }
#pragma unroll
    for (uint e = 0; e < ENTRIES; ++e)
        d[e * r.stride] = -m[e];
    return small;
}

WORK_GROUP
kernel void ildu0_block(global const struct lcl_part *parts,
                        global const struct lcl_step *steps,
                        global const ushort *col, global const ushort *step_of,
                        global const uint *source, global const uint *diagonal,
                        global const double *val, global double *slot_val,
                        global const double *shift, global int *repaired,
                        global int *counts, global uchar *bad, int policy,
                        double tol)
{
    local int small_pivots;
    const uint lid = get_local_id(0);
    const struct lcl_part p = parts[get_group_id(0)];
    const double own_shift = shift[get_group_id(0)];
    const struct factor f = {col, source, val, slot_val};
    if (lid == 0)
        small_pivots = 0;
    GROUP_BARRIER();
    steps += p.step;
    step_of += p.row;
    for (uint s = 0; s < p.steps; ++s) {
        if (lid < steps[s].rows) {
            const struct row r =
                row_of(&steps[s], p.slot, steps[s].first + lid);
            const double largest =
                begin_row(f, r, diagonal[p.row + r.self], own_shift);
            for (uint k = 0; k < r.lower_count; ++k) {
                const ulong at = r.lower + (ulong)k * r.stride;
                const uint j = col[at];
                if (j == r.self)
                    break;
                const struct row c = row_of(&steps[step_of[j]], p.slot, j);
                global double *l = slot_val + block_at(r, at);
                double m[ENTRIES]; // -a, since slots store -D_j^-1
                read_block(m, l, r.stride);
                for (uint e = 0; e < ENTRIES; ++e)
                    m[e] = -m[e];
                block_times(l, r.stride, m, slot_val + block_at(c, c.diagonal),
                            c.stride);
                eliminate(f, r, c, k, m);
            }
            const bool small = finish_row(f, r, largest, tol, policy);
            bad[p.row + r.self] = small;
            if (small)
                atomic_inc(&small_pivots);
        }
        GROUP_BARRIER_GLOBAL();
    }
    if (lid == 0)
        tell_small(small_pivots, repaired, counts);
}
