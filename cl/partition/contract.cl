// SPDX-License-Identifier: BSD-3-Clause
// From level to level of the matching, a program of two parts: refinement on
// the way down (refine.cl.h), and contraction of a graph: coarse vertex c
// consists of the vertices members[c].first and, if not -1, members[c].second.
//     label         members, sizes and the map `coarse` from the numbers of the
//                   pairs' leaders; lists coarse rows of more than MATCH_LONG
//                   entries before merging
//     singles       the same for coarse vertices of one vertex each; the host
//                   provides their sizes
//     merge         adds up entries with the same label into the row's slots
//     merge_hashed  the same by a hash table: for long rows, and at width 1
//     pack          moves the rows from their slots to consecutive entries
//
// Slots: row c has those of `stride` times the entries of its members, first
// members[c].first, then members[c].second. Labels equal to that of the row are
// dropped.
// Launch: any number of groups; merge: groups of one wave, a team of lanes per
//         row; merge_hashed: one group per row.
// Determinism: sums are exact; the order of the entries in a row is not fixed.
#include "refine.cl.h"
#include "team.cl.h"

struct pair {
    int first, second;
};

// Entries of the members of a row.
struct span {
    uint first, first_length, second, length;
};

static inline struct span span_of(struct pair members, global const uint *ptr)
{
    struct span s;
    s.first = ptr[members.first];
    s.first_length = ptr[members.first + 1] - s.first;
    s.second = members.second < 0 ? 0 : ptr[members.second];
    s.length = s.first_length +
               (members.second < 0 ? 0 : ptr[members.second + 1] - s.second);
    return s;
}

static inline uint entry_of(struct span s, uint t)
{
    return t < s.first_length ? s.first + t : s.second + t - s.first_length;
}

static inline ulong slot_of(struct span s, uint stride, ulong t)
{
    const ulong first = (ulong)s.first_length * stride;
    return t < first ? (ulong)s.first * stride + t
                     : (ulong)s.second * stride + t - first;
}

// ------------------------------------------------------------------- members

static inline void list_if_long(uint length, int c, global int *list,
                                volatile global uint *counts)
{
    if (length > MATCH_LONG)
        list[atomic_inc(&counts[MATCH_MERGED_LONG])] = c;
}

WORK_GROUP
kernel void label(long n, global const int *restrict mate,
                  global const uint *restrict number,
                  global const uint *restrict size,
                  global const uint *restrict ptr, global int *coarse,
                  global struct pair *members, global uint *coarse_size,
                  global int *list, volatile global uint *counts)
{
    for (RANGE(i, n)) {
        const int j = mate[i];
        const uint c = number[j >= 0 && j < i ? j : i];
        coarse[i] = (int)c;
        if (j >= 0 && j < i)
            continue;
        const uint length = ptr[i + 1] - ptr[i];
        const uint more = j < 0 ? 0 : ptr[j + 1] - ptr[j];
        members[c].first = (int)i;
        members[c].second = j;
        coarse_size[c] = size[i] + (j < 0 ? 0 : size[j]);
        list_if_long(length + more, (int)c, list, counts);
    }
}

WORK_GROUP
kernel void singles(long n, global const int *restrict order,
                    global const uint *restrict ptr,
                    global struct pair *members, global uint *coarse_size,
                    global int *list, volatile global uint *counts)
{
    if (get_global_id(0) == 0)
        counts[MATCH_COUNT] = (uint)n;
    for (RANGE(c, n)) {
        const int i = order[c];
        members[c].first = i;
        members[c].second = -1;
        coarse_size[c] = 0;
        list_if_long(ptr[i + 1] - ptr[i], (int)c, list, counts);
    }
}

// ------------------------------------------------------------------- merging

// Counts rows that need more than a team, now or in the next contraction.
static inline void finish_row(int c, uint entries, global int *length,
                              volatile global uint *counts)
{
    length[c] = (int)entries;
    if (entries > MATCH_LONG)
        atomic_inc(&counts[MATCH_LONGS]);
    if (entries > MATCH_LONG / 2)
        atomic_inc(&counts[MATCH_HALVES]);
}

static inline int key_of(uint k, int own, global const int *label,
                         global const int *adj, global const uint *weight)
{
    const int key = label[adj[k]];
    return key == own || weight[k] == 0 ? -1 : key;
}

#if LCL_WIDTH > 1 && !LONG_ROWS
// Place of the lane's key behind the `written` ones of the team, and the number
// of keys afterwards.
INLINE uint2 place_in_team(bool leads, uint written, local uint *firsts)
{
    const uint lid = get_local_id(0), team = lid - lid % TEAM;
    uint2 place = written;
    firsts[lid] = leads;
    GROUP_BARRIER();
    for (uint l = 0; l < TEAM; ++l) {
        place.x += team + l < lid ? firsts[team + l] : 0;
        place.y += firsts[team + l];
    }
    return place;
}

// Each lane adds up the entries with the key of one of its entries, provided
// that no earlier entry has the same key.
WORK_GROUP
kernel void merge(global uint *counts, global const struct pair *members,
                  global const int *label, uint stride, global const uint *ptr,
                  global const int *restrict adj,
                  global const uint *restrict weight, global int *slot_adj,
                  global uint *slot_weight, global int *length)
{
    local double scratch[LCL_GROUP];
    local int keys[LCL_GROUP];
    local uint weights[LCL_GROUP], firsts[LCL_GROUP];
    const uint lid = get_local_id(0), lane = lid % TEAM, team = lid - lane;
    const long rows = counts[MATCH_COUNT];
    for (TEAM_RANGE(at, rows)) {
        int c = team_row(at, rows, 0), own = -1;
        struct span s = {0, 0, 0, 0};
        if (c >= 0) {
            s = span_of(members[c], ptr);
            own = label[members[c].first];
        }
        if (is_left_out(s.length)) {
            c = -1;
            s.length = 0;
        }
        const uint most = wave_largest(s.length, LCL_WIDTH, scratch);
        uint written = 0;
        for (uint first = 0; first < most; first += TEAM) {
            const uint e = first + lane;
            const int key =
                e < s.length ? key_of(entry_of(s, e), own, label, adj, weight)
                             : -1;
            ulong sum = 0;
            bool leads = key >= 0;
            for (uint next = 0; next < most; next += TEAM) {
                const uint t = next + lane;
                GROUP_BARRIER();
                keys[lid] = -1;
                if (t < s.length) {
                    const uint k = entry_of(s, t);
                    keys[lid] = key_of(k, own, label, adj, weight);
                    weights[lid] = weight[k];
                }
                GROUP_BARRIER();
                for (uint l = 0; l < TEAM; ++l)
                    if (keys[team + l] == key && key >= 0) {
                        sum += weights[team + l];
                        leads = leads && next + l >= e;
                    }
            }
            const uint2 place = place_in_team(leads, written, firsts);
            written = place.y;
            if (leads) {
                const ulong slot = slot_of(s, stride, place.x);
                slot_adj[slot] = key;
                slot_weight[slot] = (uint)min(sum, (ulong)0xffffffff);
            }
            GROUP_BARRIER();
        }
        if (lane == 0 && c >= 0)
            finish_row(c, written, length, counts);
    }
}
#endif

#if LCL_WIDTH == 1 || LONG_ROWS
# if LCL_WIDTH == 1
static inline int claim(global int *slot, int key)
{
    const int seen = *slot;
    *slot = seen == -1 ? key : seen;
    return seen;
}

static inline void add_weight(global uint *to, uint weight)
{
    *to = match_add(*to, weight);
}
# else
static inline int claim(volatile global int *slot, int key)
{
    return atomic_cmpxchg(slot, -1, key);
}

static inline void add_weight(volatile global uint *to, uint weight)
{
    uint seen = 0, want;
    do {
        want = seen;
        seen = atomic_cmpxchg(to, want, match_add(want, weight));
    } while (seen != want);
}
# endif

static inline void insert(struct span s, int key, uint weight,
                          global int *slot_adj, global uint *slot_weight)
{
    const ulong slots = 2 * (ulong)s.length;
    ulong t = 2 * (ulong)mul_hi(match_mix((uint)key), s.length);
    for (;;) {
        const ulong slot = slot_of(s, 2, t);
        const int seen = claim(&slot_adj[slot], key);
        if (seen == -1 || seen == key) {
            add_weight(&slot_weight[slot], weight);
            return;
        }
        t = t + 1 < slots ? t + 1 : 0;
    }
}

// Moves the used slots of a row to its first ones, as many at a time as the
// group has work-items; returns their number.
INLINE uint compact(struct span s, global int *slot_adj,
                    global uint *slot_weight, local uint *written)
{
    const uint lid = get_local_id(0);
    if (lid == 0)
        *written = 0;
    for (ulong first = 0; first < 2 * (ulong)s.length; first += LCL_GROUP) {
        int key = -1;
        uint weight = 0;
        if (first + lid < 2 * (ulong)s.length) {
            const ulong slot = slot_of(s, 2, first + lid);
            key = slot_adj[slot];
            weight = slot_weight[slot];
        }
        GROUP_BARRIER_GLOBAL();
        if (key >= 0) {
            const uint place =
                LCL_GROUP == 1 ? (*written)++ : atomic_inc(written);
            slot_adj[slot_of(s, 2, place)] = key;
            slot_weight[slot_of(s, 2, place)] = weight;
        }
        GROUP_BARRIER_GLOBAL();
    }
    return *written;
}

// The listed rows or all; stride is 2.
WORK_GROUP
kernel void merge_hashed(global uint *counts, global const int *list,
                         global const struct pair *members,
                         global const int *label, global const uint *ptr,
                         global const int *restrict adj,
                         global const uint *restrict weight,
                         global int *slot_adj, global uint *slot_weight,
                         global int *length)
{
    local uint used;
    const uint lid = get_local_id(0);
    const long rows = counts[LONG_ROWS ? MATCH_MERGED_LONG : MATCH_COUNT];
    for (TEAM_RANGE(at, rows)) {
        const int c = LONG_ROWS ? list[at] : (int)at;
        const struct span s = span_of(members[c], ptr);
        const int own = label[members[c].first];
        for (ulong t = lid; t < 2 * (ulong)s.length; t += LCL_GROUP) {
            slot_adj[slot_of(s, 2, t)] = -1;
            slot_weight[slot_of(s, 2, t)] = 0;
        }
        GROUP_BARRIER_GLOBAL();
        for (uint t = lid; t < s.length; t += LCL_GROUP) {
            const uint k = entry_of(s, t);
            const int key = key_of(k, own, label, adj, weight);
            if (key >= 0)
                insert(s, key, weight[k], slot_adj, slot_weight);
        }
        GROUP_BARRIER_GLOBAL();
        const uint written = compact(s, slot_adj, slot_weight, &used);
        if (lid == 0)
            finish_row(c, written, length, counts);
        GROUP_BARRIER();
    }
}
#endif

// ------------------------------------------------------------------- packing

// The listed rows or all; row_ptr is the prefix sum of length.
WORK_GROUP
kernel void pack(global const uint *counts, global const int *list,
                 global const struct pair *members, uint stride,
                 global const uint *ptr, global const int *restrict slot_adj,
                 global const uint *restrict slot_weight,
                 global const uint *restrict row_ptr,
                 global const uint *restrict coarse_size, global uint *new_ptr,
                 global uint *size, global int *adj, global uint *weight)
{
    const uint lane = get_local_id(0) % TEAM;
    const long rows = counts[LONG_ROWS ? MATCH_MERGED_LONG : MATCH_COUNT];
    for (TEAM_RANGE(at, rows)) {
        const int c = team_row(at, rows, list);
        if (c < 0)
            continue;
        const struct span s = span_of(members[c], ptr);
        const uint from = row_ptr[c], to = row_ptr[c + 1];
#if !LONG_ROWS
        if (lane == 0) {
            new_ptr[c] = from;
            size[c] = coarse_size[c];
        }
        if (lane == 0 && c == rows - 1)
            new_ptr[rows] = to;
#endif
        if (is_left_out(s.length))
            continue;
        for (uint k = from + lane; k < to; k += TEAM) {
            const ulong slot = slot_of(s, stride, k - from);
            adj[k] = slot_adj[slot];
            weight[k] = slot_weight[slot];
        }
    }
}
