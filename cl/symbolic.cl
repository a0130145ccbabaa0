// SPDX-License-Identifier: BSD-3-Clause
// The analysis of A on subdomains: from the pattern of A and a partition to the
// reordered matrix B and the layout of its factors, in this order:
//     invert        inverse[perm[i]] = i
//     reverse, fold where both ends of a subdomain come first
//     census        what each subdomain keeps and loses
//     levels        Mehta et al., arXiv 2508.04917, Algorithm 4.2
//     order         rows of a subdomain by level, longer ones first
//     row_pointers, reorder_rows, sort_long    B, columns ascending, and `map`
//     steps, places, sweeps, fill              the layout of factor.cl.h
//
// Rows, columns and entries are those of blocks where LCL_BLOCK is not 1.
//
// Data:   row i of the new numbering is row perm[i] of A; rows part_ptr[p] ..
//         part_ptr[p+1]-1 are subdomain p, in A's order until `order`. Entry k
//         of B is entry map[k] of A.
// Launch: invert and reorder_rows any number of groups, sort_long one group a
//         long row, all others one group a subdomain of at most LCL_ROWS rows.
// Width 1: an item does a subdomain in order.
// Determinism: bitwise, but for the order of long_rows, which nothing shows.
#include "sort.cl.h"
#include "symbolic.cl.h"
#include "wave.cl.h"

#ifndef LCL_ROWS
# define LCL_ROWS 64 // rows of a subdomain held in local memory
#endif

#ifndef LCL_BLOCK
# define LCL_BLOCK 1 // an entry is a block of so many rows and columns
#endif
#define ENTRY_VALUES (LCL_BLOCK * LCL_BLOCK)

// Longer rows are sorted by a group.
#define SHORT_ROW 32

// Where the rows of a group's subdomain start and end.
static inline int2 window_of(global const int *part_ptr)
{
    return (int2)(part_ptr[get_group_id(0)], part_ptr[get_group_id(0) + 1]);
}

static inline bool holds(int2 w, int j)
{
    return j >= w.x && j < w.y;
}

// Where the entries of row i start and end in A. Pairs are vectors here, and
// min() gets no constant: oclgrind stops at what clang makes of structs that
// functions return, and crashes on the other (21.10).
static inline uint2 run_of(global const uint *row_ptr, global const int *perm,
                           long i)
{
    const int old = perm[i];
    return (uint2)(row_ptr[old], row_ptr[old + 1]);
}

static inline uint length_of(global const uint *row_ptr, global const int *perm,
                             long i)
{
    const int old = perm[i];
    return row_ptr[old + 1] - row_ptr[old];
}

WORK_GROUP
kernel void invert(long n, global const int *perm, global int *inverse)
{
    for (RANGE(i, n))
        inverse[perm[i]] = (int)i;
}

// ------------------------------------------------------------------- census

// |a|, or the Frobenius norm of a block, of entry k.
static inline double weight_of(global const double *val, uint k)
{
#if LCL_BLOCK == 1
    return fabs(val[k]);
#else
    double sum = 0;
    val += (ulong)k * ENTRY_VALUES;
    for (uint e = 0; e < ENTRY_VALUES; ++e)
        sum += val[e] * val[e];
    return sqrt(sum);
#endif
}

// Adds what row i holds to C; returns its entries left of the diagonal, and
// those right of it in the upper half.
static inline uint count_row(struct lcl_census *C, int i, int2 w, uint2 r,
                             global const int *col, global const int *inverse,
                             global const double *val)
{
    uint sides = 0;
    C->entries += r.y - r.x;
    for (uint k = r.x; k < r.y; ++k) {
        const int j = inverse[col[k]];
        const double weight = weight_of(val, k);
        if (!holds(w, j)) {
            C->dropped_weight += weight;
            continue;
        }
        ++C->kept;
        C->diagonals += j == i;
        C->kept_weight += j == i ? 0.0 : weight;
        sides += j < i ? 1 : j > i ? 1 << 16 : 0;
    }
    return sides;
}

static inline void merge(struct lcl_census *C,
                         local const struct lcl_census *other)
{
    C->entries += other->entries;
    C->kept += other->kept;
    C->diagonals += other->diagonals;
    C->kept_weight += other->kept_weight;
    C->dropped_weight += other->dropped_weight;
}

// A group's sums are those of its items, in their order: PoCL 3.1 leaves the
// scratch memory of group_sum() here to all groups at once. long_rows lists the
// rows of A that are longer than SHORT_ROW, long_count[0] of them.
WORK_GROUP
kernel void census(global const int *part_ptr, global const int *perm,
                   global const int *inverse, global const uint *row_ptr,
                   global const int *col, global const double *val,
                   global uint *sides, global struct lcl_census *census,
                   global int *long_rows, global int *long_count)
{
    local struct lcl_census sums[LCL_GROUP];
    const int2 w = window_of(part_ptr);
    struct lcl_census C = {0, 0, 0, 0, 0, 0, 0, 0};
    for (int i = w.x + (int)get_local_id(0); i < w.y; i += LCL_GROUP) {
        const uint2 r = run_of(row_ptr, perm, i);
        sides[i] = count_row(&C, i, w, r, col, inverse, val);
        if (r.y - r.x > SHORT_ROW)
            long_rows[atomic_inc(long_count)] = perm[i];
    }
    sums[get_local_id(0)] = C;
    GROUP_BARRIER();
    if (get_local_id(0) != 0)
        return;
    for (uint l = 1; l < LCL_GROUP; ++l)
        merge(&C, &sums[l]);
    census[get_group_id(0)] = C;
}

// ------------------------------------------------------------------- levels

// level(i) = 0 if row i depends on no row of its subdomain, else 1 + the
// largest level it depends on: row i depends on j < i where a_ij or a_ji is
// stored. The pair number first + t of `start` gives the rows and the steps of
// at most step_rows rows, a power of two, before level t.
#if LCL_WIDTH == 1

// Rows that row i stores to the left are settled, and those above it that store
// row i have pushed its level.
static inline int settle_row(int i, int2 w, uint2 r, global const int *col,
                             global const int *inverse, global int *level)
{
    int own = level[i];
    for (uint k = r.x; k < r.y; ++k) {
        const int j = inverse[col[k]];
        if (holds(w, j) && j < i)
            own = max(own, level[j] + 1);
    }
    for (uint k = r.x; k < r.y; ++k) {
        const int j = inverse[col[k]];
        if (holds(w, j) && j > i)
            level[j] = max(level[j], own + 1);
    }
    level[i] = own;
    return own;
}

WORK_GROUP
kernel void levels(global const int *part_ptr, global const int *perm,
                   global const int *inverse, global const uint *row_ptr,
                   global const int *col, global int *level, global int *start,
                   global struct lcl_census *census, int step_rows)
{
    const int2 w = window_of(part_ptr);
    int last = 0;
    for (int i = w.x; i < w.y; ++i)
        level[i] = 0;
    for (int i = w.x; i < w.y; ++i)
        last = max(last, settle_row(i, w, run_of(row_ptr, perm, i), col,
                                    inverse, level));
    census[get_group_id(0)].levels = last + 1;
    census[get_group_id(0)].steps = w.y - w.x; // step_rows is 1
}
#else

# define UNKNOWN 0xffff

// Whether every row that row i stores left of its diagonal has its level.
static inline bool is_ready(int i, int2 w, uint2 r, global const int *col,
                            global const int *inverse,
                            local const ushort *known)
{
    for (uint k = r.x; k < r.y; ++k) {
        const int j = inverse[col[k]];
        if (holds(w, j) && j < i && known[j - w.x] == UNKNOWN)
            return false;
    }
    return true;
}

// Adds `change` to what the rows right of the diagonal of row i wait for.
static inline void tell_later(int change, int i, int2 w, uint2 r,
                              global const int *col, global const int *inverse,
                              local int *waits)
{
    for (uint k = r.x; k < r.y; ++k) {
        const int j = inverse[col[k]];
        if (holds(w, j) && j > i)
            atomic_add(&waits[j - w.x], change);
    }
}

// A row waits for the rows above that store it, and for those that it stores.
// The first tell when they have their level, for the others it looks itself.
WORK_GROUP
kernel void levels(global const int *part_ptr, global const int *perm,
                   global const int *inverse, global const uint *row_ptr,
                   global const int *col, global int *level, global int *start,
                   global struct lcl_census *census, int step_rows)
{
    local ushort known[LCL_ROWS];
    local int waits[LCL_ROWS];
    local int left;
    const int lid = (int)get_local_id(0);
    const int2 w = window_of(part_ptr);
    const int rows = w.y - w.x;
    int levels = 0, steps = 0;
    for (int i = lid; i < rows; i += LCL_GROUP) {
        known[i] = UNKNOWN;
        waits[i] = 0;
    }
    if (lid == 0)
        left = rows;
    GROUP_BARRIER();
    for (int i = w.x + lid; i < w.y; i += LCL_GROUP)
        tell_later(1, i, w, run_of(row_ptr, perm, i), col, inverse, waits);
    GROUP_BARRIER();
    while (left > 0) {
        const int rest = left;
        if (lid == 0) {
            start[2 * (long)(w.x + levels)] = rows - rest;
            start[2 * (long)(w.x + levels) + 1] = steps;
        }
        for (int i = w.x + lid; i < w.y; i += LCL_GROUP)
            if (known[i - w.x] == UNKNOWN)
                level[i] = waits[i - w.x] == 0 &&
                                   is_ready(i, w, run_of(row_ptr, perm, i), col,
                                            inverse, known)
                               ? levels
                               : UNKNOWN;
        GROUP_BARRIER();
        for (int i = w.x + lid; i < w.y; i += LCL_GROUP)
            if (known[i - w.x] == UNKNOWN && level[i] == levels) {
                known[i - w.x] = (ushort)levels;
                atomic_dec(&left);
                tell_later(-1, i, w, run_of(row_ptr, perm, i), col, inverse,
                           waits);
            }
        GROUP_BARRIER();
        steps += (rest - left + step_rows - 1) / step_rows;
        ++levels;
    }
    if (lid == 0) {
        census[get_group_id(0)].levels = (uint)levels;
        census[get_group_id(0)].steps = (uint)steps;
    }
}
#endif

// ---------------------------------------------------------------- both ends

// The rows of each subdomain the other way round.
WORK_GROUP
kernel void reverse(global const int *part_ptr, global const int *perm,
                    global int *reversed)
{
    const int2 w = window_of(part_ptr);
    for (int i = w.x + (int)get_local_id(0); i < w.y; i += LCL_GROUP)
        reversed[i] = perm[w.x + w.y - 1 - i];
}

// The smaller of a row's level and of its level among the rows reversed.
WORK_GROUP
kernel void fold(global const int *part_ptr, global const int *from_the_end,
                 global int *level)
{
    const int2 w = window_of(part_ptr);
    for (int i = w.x + (int)get_local_id(0); i < w.y; i += LCL_GROUP)
        if (from_the_end[w.x + w.y - 1 - i] < level[i])
            level[i] = from_the_end[w.x + w.y - 1 - i];
}

// ------------------------------------------------------------------- order

// Level, then entries descending, then number.
static inline ulong key_of(int level, uint entries, uint row)
{
    const uint shortness = entries < 0xffff ? 0xffff ^ entries : 0;
    return (ulong)level << 32 | shortness << 16 | row;
}

#if LCL_WIDTH == 1
// Merges the sorted runs from .. middle-1 and middle .. to-1 of `key`.
static inline void merge_runs(global ulong *out, global const ulong *key,
                              uint from, uint middle, uint to)
{
    uint l = from, r = middle;
    for (uint i = from; i < to; ++i)
        out[i] =
            l < middle && (r == to || key[l] <= key[r]) ? key[l++] : key[r++];
}

// Sorts with room for as many keys; returns where they are then.
static inline global ulong *sort_keys(global ulong *key, global ulong *room,
                                      uint count)
{
    for (uint run = 1; run < count; run *= 2) {
        for (uint from = 0; from < count; from += 2 * run)
            merge_runs(room, key, from, min(from + run, count),
                       min(from + 2 * run, count));
        global ulong *sorted = room;
        room = key;
        key = sorted;
    }
    return key;
}
#endif

// Sorts the rows of each subdomain; perm, inverse, level and sides follow.
// `keys` is room for two a row, at width 1.
WORK_GROUP
kernel void order(global const int *part_ptr, global const int *old_perm,
                  global const uint *row_ptr, global const int *old_level,
                  global const uint *old_sides, global int *perm,
                  global int *inverse, global int *level, global uint *sides,
                  global ulong *keys)
{
    const int2 w = window_of(part_ptr);
    const uint lid = get_local_id(0), rows = (uint)(w.y - w.x);
#if LCL_WIDTH == 1
    global ulong *key = keys + 2 * (ulong)w.x;
#else
    local ulong key[LCL_ROWS];
#endif
    for (uint i = lid; i < rows; i += LCL_GROUP)
        key[i] = key_of(old_level[w.x + i],
                        length_of(row_ptr, old_perm, w.x + i), i);
    GROUP_BARRIER();
#if LCL_WIDTH == 1
    key = sort_keys(key, key + rows, rows);
#else
    uint top = 1, stride = 1;
    while (top < rows) {
        for (uint t = lid; t < pairs_at(stride, rows); t += LCL_GROUP) {
            const uint low = low_of(t, stride);
            const uint high = high_of(low, stride, top);
            if (high >= rows || key[low] <= key[high])
                continue;
            const ulong larger = key[low];
            key[low] = key[high];
            key[high] = larger;
        }
        GROUP_BARRIER();
        stride /= 2;
        if (stride == 0)
            stride = top *= 2;
    }
#endif
    for (int i = w.x + (int)lid; i < w.y; i += LCL_GROUP) {
        const ulong k = key[i - w.x];
        const int from = w.x + (int)(k & 0xffff);
        perm[i] = old_perm[from];
        inverse[perm[i]] = i;
        level[i] = (int)(k >> 32);
        sides[i] = old_sides[from];
    }
}

// ------------------------------------------------------------------- reorder

WORK_GROUP
kernel void row_pointers(global const struct lcl_part *parts,
                         global const int *perm, global const uint *row_ptr,
                         global uint *new_row_ptr)
{
    local uint sums[LCL_GROUP];
    const uint lid = get_local_id(0);
    const struct lcl_part p = parts[get_group_id(0)];
    const uint2 share = slice_of(p.rows);
    uint sum = 0, at = (uint)p.entry;
    for (uint i = share.x; i < share.y; ++i)
        sum += length_of(row_ptr, perm, p.row + i);
    sums[lid] = sum;
    GROUP_BARRIER();
    for (uint l = 0; l < lid; ++l)
        at += sums[l];
    for (uint i = share.x; i < share.y; ++i) {
        new_row_ptr[p.row + i] = at;
        at += length_of(row_ptr, perm, p.row + i);
    }
    if (lid == LCL_GROUP - 1 && get_group_id(0) == get_num_groups(0) - 1)
        new_row_ptr[p.row + p.rows] = at;
}

// One short row by insertion: keys are the new column and the place in A's row.
static inline void sort_short(uint2 r, global const int *col,
                              global const int *inverse, global int *new_col,
                              global uint *map)
{
    ulong key[SHORT_ROW];
    const uint count = r.y - r.x;
    for (uint k = 0; k < count; ++k) {
        const ulong taken = (ulong)inverse[col[r.x + k]] << 32 | k;
        uint hole = k;
        for (; hole > 0 && key[hole - 1] > taken; --hole)
            key[hole] = key[hole - 1];
        key[hole] = taken;
    }
    for (uint k = 0; k < count; ++k) {
        new_col[k] = (int)(key[k] >> 32);
        map[k] = r.x + (uint)key[k];
    }
}

WORK_GROUP
kernel void reorder_rows(long n, global const int *perm,
                         global const int *inverse, global const uint *row_ptr,
                         global const int *col, global const uint *new_row_ptr,
                         global int *new_col, global uint *map)
{
    for (RANGE(i, n)) {
        const uint2 r = run_of(row_ptr, perm, i);
        if (r.y - r.x <= SHORT_ROW)
            sort_short(r, col, inverse, new_col + new_row_ptr[i],
                       map + new_row_ptr[i]);
    }
}

WORK_GROUP
kernel void sort_long(global const int *long_rows, global const int *inverse,
                      global const uint *row_ptr, global const int *col,
                      global const uint *new_row_ptr, global int *new_col,
                      global uint *map)
{
    const uint lid = get_local_id(0);
    const int old = long_rows[get_group_id(0)];
    const uint from = row_ptr[old], count = row_ptr[old + 1] - from;
    new_col += new_row_ptr[inverse[old]];
    map += new_row_ptr[inverse[old]];
    for (uint k = lid; k < count; k += LCL_GROUP) {
        new_col[k] = inverse[col[from + k]];
        map[k] = from + k;
    }
    GROUP_BARRIER_GLOBAL();
    uint top = 1, stride = 1;
    while (top < count) {
        for (uint t = lid; t < pairs_at(stride, count); t += LCL_GROUP) {
            const uint low = low_of(t, stride);
            const uint high = high_of(low, stride, top);
            if (high >= count || new_col[low] <= new_col[high])
                continue;
            const int column = new_col[low];
            const uint entry = map[low];
            new_col[low] = new_col[high];
            map[low] = map[high];
            new_col[high] = column;
            map[high] = entry;
        }
        GROUP_BARRIER_GLOBAL();
        stride /= 2;
        if (stride == 0)
            stride = top *= 2;
    }
}

// ------------------------------------------------------------------- steps

// ceil(count / size)
static inline uint parts_of(uint count, uint size)
{
    return (count + size - 1) / size;
}

// What a sweep may have at most.
struct limits {
    uint entries; // of a lane
    uint lanes;   // of all rows, where lanes share rows
};

// Entries of a row in a sweep of `rows` rows, of which the longest has
// `entries` in all. Long rows are shared by as many lanes as there are, or as
// do them in one sweep.
static inline uint row_entries(uint rows, uint entries, struct limits most)
{
    uint lanes = 1;
    if (entries > LCL_SHORT_ROW && most.lanes > rows)
        lanes = min(most.lanes / rows, parts_of(entries, most.entries));
    return lanes * most.entries;
}

// Planes of entries of a step are split into sweeps; one of U has at least the
// plane of 1/d.
static inline uint sweeps_of(uint entries, bool upper, uint most)
{
    const uint count = parts_of(entries, most);
    return upper && count == 0 ? 1 : count;
}

// The halves of the steps in the order of their slots: number e < steps is the
// L of step e, the others are the U of the steps backwards.
struct half_step {
    uint step;
    bool upper;
    uint rows, planes;
    uint sweeps, unshared; // with the lanes there are, and with a lane a row
    uint entries;          // of a row in a sweep at most
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
    h->sweeps = sweeps_of(entries, h->upper, h->entries);
    h->unshared = sweeps_of(entries, h->upper, most.entries);
}

static inline void add(struct lcl_extent *all, struct half_step h)
{
    all->slots += (ulong)h.rows * h.planes;
    all->sweeps += h.sweeps;
    all->unshared += h.unshared;
    all->planes = max(all->planes, h.planes - h.upper);
}

// Step of row i, row number r of its subdomain; where a step starts, `steps`
// learns.
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

// As many planes as the longest row of the step needs, U one more for 1/d.
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

// first_sweep[2 * p.step + e] is the first sweep of half step e of a
// subdomain, counted from the subdomain's first.
WORK_GROUP
kernel void places(global const struct lcl_part *parts,
                   global struct lcl_step *steps, global uint *first_sweep,
                   global struct lcl_extent *extent, int sweep_entries,
                   int lanes)
{
    local struct lcl_extent sums[LCL_GROUP];
    const uint lid = get_local_id(0);
    const struct lcl_part p = parts[get_group_id(0)];
    const uint2 share = slice_of(2 * p.steps);
    const struct limits most = {(uint)sweep_entries, (uint)lanes};
    struct lcl_extent own = {0, 0, 0, 0, 0};
    steps += p.step;
    for (uint e = share.x; e < share.y; ++e) {
        struct half_step h;
        find_half(&h, e, p.steps, steps, most);
        add(&own, h);
    }
    sums[lid] = own;
    GROUP_BARRIER();
    own.slots = own.sweeps = own.unshared = 0;
    for (uint l = 0; l < lid; ++l) {
        own.slots += sums[l].slots;
        own.sweeps += sums[l].sweeps;
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
        first_sweep[2 * p.step + e] = own.sweeps;
        add(&own, h);
    }
    if (lid == LCL_GROUP - 1)
        extent[get_group_id(0)] = own;
}

WORK_GROUP
kernel void sweeps(global const struct lcl_part *parts,
                   global const struct lcl_step *steps,
                   global const uint *first_sweep,
                   global struct lcl_sweep *sweeps, int sweep_entries,
                   int lanes)
{
    const struct limits most = {(uint)sweep_entries, (uint)lanes};
    const struct lcl_part p = parts[get_group_id(0)];
    steps += p.step;
    sweeps += p.sweep;
    first_sweep += 2 * p.step;
    for (uint e = get_local_id(0); e < 2 * p.steps; e += LCL_GROUP) {
        struct half_step h;
        find_half(&h, e, p.steps, steps, most);
        uint rest = h.planes - h.upper;
        for (uint s = 0; s < h.sweeps; ++s) {
            const uint own = rest < h.entries ? rest : h.entries;
            const uint shared = parts_of(own, most.entries);
            const bool diagonal = h.upper && s == 0;
            const struct lcl_sweep sweep = {
                steps[h.step].first, (ushort)h.rows, (ushort)(own + diagonal),
                (uchar)(diagonal ? LCL_SWEEP_DIAGONAL : 0),
                (uchar)(shared > 0 ? shared : 1)};
            sweeps[first_sweep[e] + s] = sweep;
            rest -= own;
        }
    }
}

// ------------------------------------------------------------------- slots

// The slots of one half of a row: `at` is the next one.
struct lane {
    global ushort *col;
    global int *source;
    ulong at;
    uint stride, left;
};

static inline void put(struct lane *l, uint column, int source)
{
    l->col[l->at] = (ushort)column;
    l->source[l->at] = source;
    l->at += l->stride;
    --l->left;
}

// Row number r of its subdomain, whose entries are from .. to-1 of B. Returns
// where its diagonal is, from the subdomain's first entry; -1: missing.
static inline int fill_row(struct lcl_part p, uint r, struct lcl_step s,
                           uint from, uint to, global const int *col,
                           global ushort *slot_col, global int *source)
{
    const ulong base = p.slot + r - s.first;
    struct lane lower = {slot_col, source, base + s.lower, s.rows,
                         s.lower_planes};
    struct lane upper = {slot_col, source, base + s.upper, s.rows,
                         s.upper_planes};
    int diagonal = -1;
    put(&upper, r, -1); // 1/d
    for (uint k = from; k < to; ++k) {
        const int own = (int)(k - (uint)p.entry);
        const uint j = (uint)col[k] - p.row; // wraps left of the subdomain
        if (j >= p.rows)
            continue;
        if (j < r)
            put(&lower, j, own);
        else if (j > r)
            put(&upper, j, own);
        else
            diagonal = own;
    }
    while (lower.left > 0)
        put(&lower, r, -1);
    while (upper.left > 0)
        put(&upper, r, -1);
    return diagonal;
}

WORK_GROUP
kernel void fill(global const struct lcl_part *parts,
                 global const struct lcl_step *steps,
                 global const ushort *step_of, global const uint *row_ptr,
                 global const int *col, long slots, global ushort *slot_col,
                 global int *source, global int *diagonal)
{
    const uint lid = get_local_id(0), group = get_group_id(0);
    const struct lcl_part p = parts[group];
    const ulong end =
        group + 1 < get_num_groups(0) ? parts[group + 1].slot : (ulong)slots;
    for (uint r = lid; r < p.rows; r += LCL_GROUP) {
        const uint i = p.row + r;
        diagonal[i] = fill_row(p, r, steps[p.step + step_of[i]], row_ptr[i],
                               row_ptr[i + 1], col, slot_col, source);
    }
    for (ulong s = p.slot + p.slots + lid; s < end; s += LCL_GROUP) {
        slot_col[s] = 0;
        source[s] = -1;
    }
}
