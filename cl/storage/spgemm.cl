// SPDX-License-Identifier: BSD-3-Clause
// Sparse product C = A B (row by row, Gustavson 1978; hash tables in local
// memory, Nagasaka et al. 2017):
//     count_rows       length[i] = number of entries of row i of C, by hashing
//                      the columns of the rows of B that row i of A selects
//     fill_rows        columns of C in ascending order, by the same tables
//     multiply_rows    values: c_ij = sum over k of a_ik b_kj
//
// Teams of 2^shift lanes have one row each, with a table of 2^bits slots. The
// first pass (listed = 0) covers all rows; it lists those with more columns
// than a table holds and leaves them to the second pass, over the list, in
// which a wave is one team. What the second one leaves is for spgemm_long.cl.
// CPUs take spgemm_serial.cl instead.
//
// Data:   CSR with ascending columns.
// Launch: any number of groups of one wave.
// Determinism: exact pattern; sums are in the order of k, by fused(), so that
//         they are the same bits on every device.
#include "keys.cl.h"
#include "rounding.cl.h"
#include "spgemm.cl.h"
#include "spgemm_index.cl.h"

#define SLOTS SPGEMM_SLOTS(LCL_WIDTH)
#define KEYS  SPGEMM_KEYS(LCL_WIDTH)

#define FREE_SLOT -1

// Row of a team, -1 if it has none.
INLINE int row_of(long at, long rows, int listed, struct team t,
                  global const int *list)
{
    const long number = at + t.number;
    if (number >= rows)
        return -1;
    return listed ? list[number] : (int)number;
}

// ------------------------------------------------------------------- tables

// A team's table, the number of its columns, and these columns if `keys` is not
// NULL.
struct table {
    local int *slots, *keys;
    local uint *used;
    uint bits, limit;
};

// Returns false if the column is new and the table full.
INLINE bool insert(struct table h, int column)
{
    uint s = ((uint)column * 0x9e3779b1u) >> (32 - h.bits);
    for (;;) {
        const int seen = atomic_cmpxchg((volatile local int *)h.slots + s,
                                        FREE_SLOT, column);
        if (seen == column)
            return true;
        if (seen == FREE_SLOT) {
            const uint place = atomic_inc((volatile local uint *)h.used);
            if (place < h.limit && h.keys)
                h.keys[place] = column;
            return place < h.limit;
        }
        s = (s + 1) & ((1u << h.bits) - 1);
    }
}

INLINE void clear_tables(local int4 *slots, local uint *used, int shift,
                         int bits)
{
    const uint lid = get_local_id(0);
    const uint count = ((uint)LCL_WIDTH >> shift << bits) / 4;
    for (GROUP_DOWNWARDS(s, count))
        slots[s] = (int4)(FREE_SLOT);
    used[lid] = 0;
}

// Inserts the columns of row `from` .. `from` + count - 1 of A times B: 2^along
// lanes share a row of B.
INLINE void insert_products(struct team t, struct table h, int along,
                            a_index from, uint count, global const int *a_col,
                            global const b_index *b_row_ptr,
                            global const int *b_col)
{
    const uint first = t.lane >> along, own = t.lane & ((1u << along) - 1);
    const int shift = t.shift - along;
    uint turns = turns_of(count, first, shift);
    while (turns > 0) {
        const int j = a_col[from + first + (--turns << shift)];
        const b_index start = b_row_ptr[j];
        uint left = turns_of((uint)(b_row_ptr[j + 1] - start), own, along);
        while (left > 0)
            if (!insert(h, b_col[start + own + (--left << along)]))
                turns = left = 0;
    }
}

WORK_GROUP
kernel void count_rows(long n, int listed, int shift, int along, int bits,
                       global const a_index *restrict a_row_ptr,
                       global const int *restrict a_col,
                       global const b_index *restrict b_row_ptr,
                       global const int *restrict b_col, global const int *list,
                       global int *left, volatile global uint *counts,
                       global uint *length)
{
    local int4 slots[SLOTS / 4];
    local uint used[LCL_WIDTH];
    const struct team t = team_of(shift);
    const struct table h = {(local int *)slots + (t.number << bits), 0,
                            used + t.number, (uint)bits, SPGEMM_LIMIT(bits)};
    const long rows = listed ? (long)counts[SPGEMM_LONG] : n;
    for (TEAMS_RANGE(at, rows, shift)) {
        const int i = row_of(at, rows, listed, t, list);
        clear_tables(slots, used, shift, bits);
        GROUP_BARRIER();
        if (i >= 0)
            insert_products(t, h, along, a_row_ptr[i],
                            (uint)(a_row_ptr[i + 1] - a_row_ptr[i]), a_col,
                            b_row_ptr, b_col);
        GROUP_BARRIER();
        if (i >= 0 && t.lane == 0) {
            if (*h.used <= h.limit)
                length[i] = *h.used;
            else
                left[atomic_inc(
                    &counts[listed ? SPGEMM_LONGEST : SPGEMM_LONG])] = i;
        }
        GROUP_BARRIER();
    }
}

WORK_GROUP
kernel void fill_rows(long rows, int listed, int shift, int along, int bits,
                      global const a_index *restrict a_row_ptr,
                      global const int *restrict a_col,
                      global const b_index *restrict b_row_ptr,
                      global const int *restrict b_col, global const int *list,
                      global const c_index *restrict c_row_ptr,
                      global int *restrict c_col)
{
    local int4 slots[SLOTS / 4];
    local int keys[KEYS];
    local uint used[LCL_WIDTH];
    local double scratch[LCL_GROUP];
    const struct team t = team_of(shift);
    const struct table h = {(local int *)slots + (t.number << bits),
                            keys + t.number * SPGEMM_LIMIT(bits),
                            used + t.number, (uint)bits, SPGEMM_LIMIT(bits)};
    for (TEAMS_RANGE(at, rows, shift)) {
        const int i = row_of(at, rows, listed, t, list);
        c_index to = 0;
        uint n = 0;
        if (i >= 0) {
            to = c_row_ptr[i];
            n = (uint)(c_row_ptr[i + 1] - to);
        }
        if (n > h.limit)
            n = 0;
        clear_tables(slots, used, shift, bits);
        GROUP_BARRIER();
        if (n > 0)
            insert_products(t, h, along, a_row_ptr[i],
                            (uint)(a_row_ptr[i + 1] - a_row_ptr[i]), a_col,
                            b_row_ptr, b_col);
        GROUP_BARRIER();
        sort_keys(t, h.keys, n, wave_largest(n, LCL_WIDTH, scratch));
        for (TEAM_DOWNWARDS(e, n, t))
            c_col[to + e] = h.keys[e];
        GROUP_BARRIER();
    }
}

// ------------------------------------------------------------------- values

// An entry of A and the row of B that it multiplies.
struct factor {
    b_index from;
    uint length;
    double a;
};

// The place of a column that is there, below `high`.
INLINE uint place_of(local const int *keys, uint high, int column)
{
    uint low = 0;
    while (low < high) {
        const uint middle = (low + high) / 2;
        if (keys[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// An entry of B.
struct entry {
    int column;
    double b;
};

// Entry `lane` of a row of B, or another if it is shorter, so that all lanes
// can load it before they wait for the others.
INLINE struct entry entry_of(local const struct factor *f, uint lane,
                             global const int *b_col,
                             global const double *b_val)
{
    const b_index at = f->length > 0 ? f->from + min(lane, f->length - 1) : 0;
    struct entry e;
    e.column = b_col[at];
    e.b = b_val[at];
    return e;
}

INLINE void add_product(local const int *keys, local double *sums, uint n,
                        double a, struct entry e, bool there)
{
    if (there) {
        const uint p = place_of(keys, n, e.column);
        sums[p] = fused(a, e.b, sums[p]);
    }
}

// The entries of a row of B after the first ones of all lanes.
INLINE void add_others(struct team t, local const int *keys, local double *sums,
                       uint n, local const struct factor *f,
                       global const int *b_col, global const double *b_val)
{
    uint p = n;
    for (uint left = turns_of(f->length, t.lane, t.shift); left > 1;) {
        const b_index at = f->from + t.lane + (--left << t.shift);
        p = place_of(keys, p, b_col[at]);
        sums[p] = fused(f->a, b_val[at], sums[p]);
    }
}

WORK_GROUP
kernel void multiply_rows(
    long rows, int listed, int shift, int most_keys,
    global const a_index *restrict a_row_ptr, global const int *restrict a_col,
    global const double *restrict a_val,
    global const b_index *restrict b_row_ptr, global const int *restrict b_col,
    global const double *restrict b_val, global const int *list,
    global const c_index *restrict c_row_ptr, global const int *restrict c_col,
    global double *restrict c_val)
{
    local int all_keys[KEYS];
    local double all_sums[KEYS], scratch[LCL_GROUP];
    local struct factor factors[LCL_WIDTH];
    const uint lid = get_local_id(0);
    const struct team t = team_of(shift);
    local int *keys = all_keys + t.number * most_keys;
    local double *sums = all_sums + t.number * most_keys;
    for (TEAMS_RANGE(at, rows, shift)) {
        const int i = row_of(at, rows, listed, t, list);
        a_index from = 0;
        c_index to = 0;
        uint n = 0, count = 0;
        if (i >= 0) {
            to = c_row_ptr[i];
            n = (uint)(c_row_ptr[i + 1] - to);
            from = a_row_ptr[i];
            count = (uint)(a_row_ptr[i + 1] - from);
        }
        if (n > (uint)most_keys)
            n = 0;
        if (n == 0)
            count = 0;
        for (TEAM_DOWNWARDS(e, n, t)) {
            keys[e] = c_col[to + e];
            sums[e] = 0;
        }
        const uint most = wave_largest(count, LCL_WIDTH, scratch);
        for (uint first = 0; first < most; first += t.lanes) {
            factors[lid].length = 0;
            if (first + t.lane < count) {
                const int j = a_col[from + first + t.lane];
                factors[lid].from = b_row_ptr[j];
                factors[lid].length = (uint)(b_row_ptr[j + 1] - b_row_ptr[j]);
                factors[lid].a = a_val[from + first + t.lane];
            }
            GROUP_BARRIER();
            const uint turns = min(t.lanes, most - first);
            local const struct factor *f = factors + (lid - t.lane);
            struct entry next = entry_of(f, t.lane, b_col, b_val);
            for (uint l = 0; l < turns; ++l, ++f) {
                const struct entry own = next;
                if (l + 1 < turns)
                    next = entry_of(f + 1, t.lane, b_col, b_val);
                add_product(keys, sums, n, f->a, own, f->length > t.lane);
                add_others(t, keys, sums, n, f, b_col, b_val);
                GROUP_BARRIER();
            }
        }
        for (TEAM_DOWNWARDS(e, n, t))
            c_val[to + e] = sums[e];
        GROUP_BARRIER();
    }
}
