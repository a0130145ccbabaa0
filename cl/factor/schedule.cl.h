// SPDX-License-Identifier: BSD-3-Clause
// Symbolic phase, part 3: the schedule of the factors of the
// reordered matrix B (factor.cl.h).
//     steps, places, stages, slots   the schedule
//     find_mirrors                   additional data for dilu.cl
//
// Data:   rows of B by level, `start` as written by `levels` of symbolic.cl.
// Launch: one group per subdomain.
// Width 1: one item per subdomain, in order; step_rows is 1.
// Determinism: bitwise.
#pragma once

#include "symbolic.cl.h"
#include "wave.cl.h"

#ifndef SOURCES
# define SOURCES 0 // 1: entry k of the pattern starts from given[k]
#endif

// ------------------------------------------------------------------- steps

// ceil(count / size)
static inline uint parts_of(uint count, uint size)
{
    return (count + size - 1) / size;
}

// Limits of a stage.
struct limits {
    uint entries; // per lane
    uint lanes;   // in total, where several lanes share a row
};

// Maximum entries of a row in a stage of a step with `rows` rows, the longest
// of which has `entries` in all. As many lanes share a long row as are
// available, but no more than complete it in one stage.
static inline uint row_entries(uint rows, uint entries, struct limits most)
{
    uint lanes = 1;
    if (entries > LCL_SHORT_ROW && most.lanes > rows)
        lanes = min(most.lanes / rows, parts_of(entries, most.entries));
    return lanes * most.entries;
}

// Number of stages for the planes of entries of a step; a step of U has at
// least one, for the plane of 1/d.
static inline uint stages_of(uint entries, bool upper, uint most)
{
    const uint count = parts_of(entries, most);
    return upper && count == 0 ? 1 : count;
}

// The half steps in the order of their slots: number e < steps is L of step e,
// the others are U of the steps in descending order.
struct half_step {
    uint step;
    bool upper;
    uint rows, planes;
    uint stages, unshared; // with shared rows, and with one lane per row
    uint entries;          // maximum per row and stage
};

static inline void find_half(struct half_step *h, uint e, uint count,
                             global const struct lcl_step *steps,
                             struct limits most)
{
    h->upper = e >= count;
    h->step = h->upper ? 2 * count - 1 - e : e;
    h->rows = steps[h->step].rows;
    h->planes =
        h->upper ? steps[h->step].upper_planes : steps[h->step].lower_planes;
    const uint entries = h->planes - h->upper;
    h->entries = row_entries(h->rows, entries, most);
    h->stages = stages_of(entries, h->upper, h->entries);
    h->unshared = stages_of(entries, h->upper, most.entries);
}

static inline void add(struct lcl_extent *all, struct half_step h)
{
    all->slots += (ulong)h.rows * h.planes;
    all->stages += h.stages;
    all->unshared += h.unshared;
    all->planes = max(all->planes, h.planes - h.upper);
}

// The step of row i, which is row r of its subdomain. Stores the first row of a
// step in `steps`.
static inline uint find_step(uint r, uint i, uint first,
                             global const int *level, global const int *start,
                             uint step_rows, global struct lcl_step *steps)
{
    uint step = r, lane = 0;
    if (step_rows > 1) {
        const ulong at = 2 * (ulong)(first + (uint)level[i]);
        const uint place = r - (uint)start[at];
        step = (uint)start[at + 1] + place / step_rows;
        lane = place & (step_rows - 1);
    }
    if (lane == 0)
        steps[step].first = (ushort)r;
    return step;
}

// Sets the planes of a step to those of its longest row; U has one more, for
// 1/d.
static inline void size_step(global struct lcl_step *s, uint rows,
                             global const uint *sides)
{
    uint lower = 0, upper = 0;
    for (uint r = 0; r < rows; ++r) {
        lower = max(lower, sides[r] & 0xffff);
        upper = max(upper, sides[r] >> 16);
    }
    s->rows = (ushort)rows;
    s->lower_planes = (ushort)lower;
    s->upper_planes = (ushort)(upper + 1);
}

WORK_GROUP
kernel void steps(global const struct lcl_part *parts, global const int *level,
                  global const int *start, global const uint *sides,
                  int step_rows, global struct lcl_step *steps,
                  global ushort *step_of)
{
    const uint lid = get_local_id(0);
    const struct lcl_part p = parts[get_group_id(0)];
    steps += p.step;
    for (uint r = lid; r < p.rows; r += LCL_GROUP)
        step_of[p.row + r] = (ushort)find_step(r, p.row + r, p.row, level,
                                               start, (uint)step_rows, steps);
    GROUP_BARRIER_GLOBAL();
    for (uint s = lid; s < p.steps; s += LCL_GROUP) {
        const uint first = steps[s].first;
        const uint end = s + 1 < p.steps ? steps[s + 1].first : p.rows;
        size_step(&steps[s], end - first, sides + p.row + first);
    }
}

// first_stage[2 * p.step + e] is the first stage of half step e of a
// subdomain, counted from the subdomain's first.
WORK_GROUP
kernel void places(global const struct lcl_part *parts,
                   global struct lcl_step *steps, global uint *first_stage,
                   global struct lcl_extent *extent, int stage_entries,
                   int lanes)
{
    local struct lcl_extent sums[LCL_GROUP];
    const uint lid = get_local_id(0);
    const struct lcl_part p = parts[get_group_id(0)];
    const uint2 share = slice_of(2 * p.steps);
    const struct limits most = {(uint)stage_entries, (uint)lanes};
    struct lcl_extent own = {0, 0, 0, 0, 0};
    steps += p.step;
    for (uint e = share.x; e < share.y; ++e) {
        struct half_step h;
        find_half(&h, e, p.steps, steps, most);
        add(&own, h);
    }
    sums[lid] = own;
    GROUP_BARRIER();
    own.slots = own.stages = own.unshared = 0;
    for (uint l = 0; l < lid; ++l) {
        own.slots += sums[l].slots;
        own.stages += sums[l].stages;
        own.unshared += sums[l].unshared;
        own.planes = max(own.planes, sums[l].planes);
    }
    for (uint e = share.x; e < share.y; ++e) {
        struct half_step h;
        find_half(&h, e, p.steps, steps, most);
        if (h.upper)
            steps[h.step].upper = (uint)own.slots;
        else
            steps[h.step].lower = (uint)own.slots;
        first_stage[2 * p.step + e] = own.stages;
        add(&own, h);
    }
    if (lid == LCL_GROUP - 1)
        extent[get_group_id(0)] = own;
}

WORK_GROUP
kernel void stages(global const struct lcl_part *parts,
                   global const struct lcl_step *steps,
                   global const uint *first_stage,
                   global struct lcl_stage *stages, int stage_entries,
                   int lanes)
{
    const struct limits most = {(uint)stage_entries, (uint)lanes};
    const struct lcl_part p = parts[get_group_id(0)];
    steps += p.step;
    stages += p.stage;
    first_stage += 2 * p.step;
    for (uint e = get_local_id(0); e < 2 * p.steps; e += LCL_GROUP) {
        struct half_step h;
        find_half(&h, e, p.steps, steps, most);
        uint rest = h.planes - h.upper;
        for (uint s = 0; s < h.stages; ++s) {
            const uint own = rest < h.entries ? rest : h.entries;
            const uint shared = parts_of(own, most.entries);
            const bool diagonal = h.upper && s == 0;
            const struct lcl_stage stage = {
                steps[h.step].first, (ushort)h.rows, (ushort)(own + diagonal),
                (uchar)(diagonal ? LCL_STAGE_DIAGONAL : 0),
                (uchar)(shared > 0 ? shared : 1)};
            stages[first_stage[e] + s] = stage;
            rest -= own;
        }
    }
}

// ------------------------------------------------------------------- slots

// The slots of one half of a row: `at` is the next one.
struct lane {
    global ushort *col;
    global uint *source;
    ulong at;
    uint stride, left;
};

static inline void put(struct lane *l, uint column, uint source)
{
    l->col[l->at] = (ushort)column;
    l->source[l->at] = source;
    l->at += l->stride;
    --l->left;
}

// The columns of B, and the sources of its entries: those of B are the entries
// of A in the order that A takes on, if SOURCES is 0.
struct entries {
    global const int *col;
    global const uint *map, *given;
};

static inline uint source_of(struct entries e, uint k)
{
#if SOURCES
    return e.given[e.map[k]];
#else
    return k;
#endif
}

// Writes the slots of row r of its subdomain, whose entries are run.x ..
// run.y-1 of B. Returns the source of its diagonal.
static inline uint put_row(struct lcl_part p, uint r, struct lcl_step s,
                           uint2 run, struct entries e, global ushort *slot_col,
                           global uint *source)
{
    const ulong base = p.slot + r - s.first;
    struct lane lower = {slot_col, source, base + s.lower, s.rows,
                         s.lower_planes};
    struct lane upper = {slot_col, source, base + s.upper, s.rows,
                         s.upper_planes};
    uint diagonal = LCL_PADDING;
    put(&upper, r, LCL_PADDING); // 1/d
    for (uint k = run.x; k < run.y; ++k) {
        const uint j = (uint)e.col[k] - p.row; // wraps if left of the subdomain
        if (j >= p.rows)
            continue;
        if (j < r)
            put(&lower, j, source_of(e, k));
        else if (j > r)
            put(&upper, j, source_of(e, k));
        else
            diagonal = source_of(e, k);
    }
    while (lower.left > 0)
        put(&lower, r, LCL_PADDING);
    while (upper.left > 0)
        put(&upper, r, LCL_PADDING);
    return diagonal;
}

WORK_GROUP
kernel void slots(global const struct lcl_part *parts,
                  global const struct lcl_step *steps,
                  global const ushort *step_of, global const uint *row_ptr,
                  global const int *col, global const uint *map,
                  global const uint *given, long count, global ushort *slot_col,
                  global uint *source, global uint *diagonal)
{
    const uint lid = get_local_id(0), group = get_group_id(0);
    const struct lcl_part p = parts[group];
    const struct entries e = {col, map, given};
    const ulong end =
        group + 1 < get_num_groups(0) ? parts[group + 1].slot : (ulong)count;
    for (uint r = lid; r < p.rows; r += LCL_GROUP) {
        const uint i = p.row + r;
        const uint2 run = (uint2)(row_ptr[i], row_ptr[i + 1]);
        diagonal[i] =
            put_row(p, r, steps[p.step + step_of[i]], run, e, slot_col, source);
    }
    for (ulong s = p.slot + p.slots + lid; s < end; s += LCL_GROUP) {
        slot_col[s] = 0;
        source[s] = LCL_PADDING;
    }
}

// ------------------------------------------------------------------- mirrors

// Whether row r of a subdomain stores column j, which is not r.
static inline bool stores(struct lcl_step s, uint r, uint j,
                          global const ushort *col)
{
    const uint lane = r - s.first;
    bool found = false;
    for (uint k = 0; k < s.lower_planes; ++k)
        found |= col[s.lower + k * s.rows + lane] == j;
    for (uint k = 1; k < s.upper_planes; ++k)
        found |= col[s.upper + k * s.rows + lane] == j;
    return found;
}

// The source of entry (j, r) of U; sets *triangle if rows j and r both store a
// column right of j other than r.
static inline uint find_mirror(int *triangle, struct lcl_step s, uint r,
                               struct lcl_step above, uint j,
                               global const ushort *col,
                               global const uint *source)
{
    uint mirror = LCL_PADDING;
    for (uint k = 1; k < above.upper_planes; ++k) {
        const uint at = above.upper + k * above.rows + j - above.first;
        const uint m = col[at];
        if (m == r)
            mirror = source[at];
        else if (m != j && stores(s, r, m, col))
            *triangle = 1;
    }
    return mirror;
}

// Sets mirror[s] of the slots of L (see dilu.cl), and triangles[0] to 1 if
// there is a triangle.
WORK_GROUP
kernel void find_mirrors(global const struct lcl_part *parts,
                         global const struct lcl_step *steps,
                         global const ushort *step_of, global const ushort *col,
                         global const uint *source, global uint *mirror,
                         global int *triangles)
{
    const struct lcl_part p = parts[get_group_id(0)];
    int triangle = 0;
    steps += p.step;
    step_of += p.row;
    col += p.slot;
    source += p.slot;
    mirror += p.slot;
    for (uint r = get_local_id(0); r < p.rows; r += LCL_GROUP) {
        const struct lcl_step s = steps[step_of[r]];
        mirror[s.upper + r - s.first] = LCL_PADDING;
        for (uint k = 0; k < s.lower_planes; ++k) {
            const uint at = s.lower + k * s.rows + r - s.first, j = col[at];
            mirror[at] = j == r
                             ? LCL_PADDING
                             : find_mirror(&triangle, s, r, steps[step_of[j]],
                                           j, col, source);
        }
    }
    if (triangle)
        atomic_or(triangles, 1);
}
