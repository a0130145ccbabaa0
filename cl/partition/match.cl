// SPDX-License-Identifier: BSD-3-Clause
// Matching, a program of two parts: the graph of a matrix (match_graph.cl.h),
// and pairs of vertices of a graph. A round of the matching: every free vertex
// picks the free neighbour with the best rating (pick); those that picked each
// other become a pair (join).
//     start         mate[i] = -1, open[i] = size[i] and 0 once i has a mate
//     find_hubs     for vertices that stay free: the neighbour with the edge
//                   of most weight, and how many have the same (slots)
//     draw          each free vertex draws a slot of its hub
//     join_drawn    the first and the last vertex of a slot become a pair
//     rate_pairs    rating of each pair, by its first vertex
//     cut_pairs     breaks the pairs of the lowest ratings
//
// Launch: any number of groups, a team of lanes per vertex; cut_pairs: one.
// Determinism: bitwise: no result depends on the order of the entries or of
// atomic operations.
#include "match_graph.cl.h"
#include "team.cl.h"

#pragma OPENCL FP_CONTRACT OFF

WORK_GROUP
kernel void start(long n, global const uint *restrict size,
                  global int *restrict mate, global uint *restrict open,
                  global uint *counts)
{
    for (RANGE(i, n)) {
        mate[i] = -1;
        open[i] = size[i];
    }
    for (RANGE(w, MATCH_WORDS))
        counts[w] = 0;
}

struct choice {
    double rating;
    uint hash;
    int vertex;
};

static inline bool is_better(struct choice a, struct choice b)
{
    if (a.rating != b.rating)
        return a.rating > b.rating;
    return a.hash > b.hash || (a.hash == b.hash && a.vertex < b.vertex);
}

// The first words of `changed` tell the rounds in which pairs were found.
WORK_GROUP
kernel void pick(long rows, global const int *list, uint limit, uint round,
                 global const uint *ptr, global const int *restrict adj,
                 global const uint *restrict weight, global const uint *open,
                 global int *picked, global const uint *changed)
{
    local double ratings[LCL_GROUP];
    local uint hashes[LCL_GROUP];
    local int vertices[LCL_GROUP];
    const uint lid = get_local_id(0), lane = lid % TEAM;
    if (round > 0 && changed[round - 1] == 0)
        return;
    for (TEAM_RANGE(at, rows)) {
        const struct run r = run_of(team_row(at, rows, list), ptr);
        const uint size = r.row >= 0 ? open[r.row] : 0;
        struct choice own = {-1, 0, -1};
        for (uint k = r.from + lane; k < r.to && size > 0; k += TEAM) {
            const int j = adj[k];
            const uint w = weight[k], other = open[j];
            if (w == 0 || other == 0 || size + other > limit)
                continue;
            const struct choice c = {match_rating(w, size, other),
                                     match_hash((uint)r.row, (uint)j, round),
                                     j};
            if (is_better(c, own))
                own = c;
        }
        ratings[lid] = own.rating;
        hashes[lid] = own.hash;
        vertices[lid] = own.vertex;
        GROUP_BARRIER();
        for (uint l = 1; l < TEAM && lane == 0; ++l) {
            const struct choice c = {ratings[lid + l], hashes[lid + l],
                                     vertices[lid + l]};
            if (is_better(c, own))
                own = c;
        }
        if (lane == 0 && r.row >= 0)
            picked[r.row] = own.vertex;
        GROUP_BARRIER();
    }
}

WORK_GROUP
kernel void join(long n, uint round, global const int *restrict picked,
                 global int *restrict mate, global uint *restrict open,
                 global uint *changed)
{
    if (round > 0 && changed[round - 1] == 0)
        return;
    for (RANGE(i, n)) {
        const int j = picked[i];
        if (j < 0 || picked[j] != i)
            continue;
        mate[i] = j;
        open[i] = 0;
        changed[round] = 1;
    }
}

// ------------------------------------------------------------------- leaves

WORK_GROUP
kernel void find_hubs(long rows, global const int *list, long n,
                      global const uint *ptr, global const int *restrict adj,
                      global const uint *restrict weight,
                      global const int *restrict mate, global int *hub,
                      volatile global uint *slots)
{
    local uint heaviest[LCL_GROUP];
    local int lowest[LCL_GROUP];
    const uint lid = get_local_id(0), lane = lid % TEAM;
    for (TEAM_RANGE(at, rows)) {
        const struct run r = run_of(team_row(at, rows, list), ptr);
        uint w = 0;
        int j = INT_MAX;
        for (uint k = r.from + lane; k < r.to; k += TEAM)
            if (weight[k] > w || (weight[k] == w && adj[k] < j)) {
                w = weight[k];
                j = adj[k];
            }
        heaviest[lid] = w;
        lowest[lid] = j;
        GROUP_BARRIER();
        for (uint l = 1; l < TEAM && lane == 0; ++l)
            if (heaviest[lid + l] > w ||
                (heaviest[lid + l] == w && lowest[lid + l] < j)) {
                w = heaviest[lid + l];
                j = lowest[lid + l];
            }
        if (lane == 0 && r.row >= 0) {
            j = w > 0 ? j : (int)(n + r.row / MATCH_VICINITY);
            hub[r.row] = j;
            if (mate[r.row] < 0)
                atomic_inc(&slots[j]);
        }
        GROUP_BARRIER();
    }
}

WORK_GROUP
kernel void draw(long n, uint round, global const int *restrict mate,
                 global const int *restrict hub, global const uint *first,
                 volatile global uint *low, volatile global int *high)
{
    for (RANGE(i, n)) {
        if (mate[i] >= 0)
            continue;
        const uint from = first[hub[i]];
        const uint slots = (first[hub[i] + 1] - from + 1) / 2;
        const uint s = from + match_hash((uint)i, (uint)i, round) % slots;
        atomic_min(&low[s], (uint)i);
        atomic_max(&high[s], (int)i);
    }
}

WORK_GROUP
kernel void join_drawn(long n, uint limit, global const uint *restrict size,
                       global const uint *restrict low,
                       global const int *restrict high,
                       global int *restrict mate)
{
    for (RANGE(s, n)) {
        const int i = (int)low[s], j = high[s];
        if (i >= j || size[i] + size[j] > limit)
            continue;
        mate[i] = j;
        mate[j] = i;
    }
}

// ------------------------------------------------------------------- cut

// Ratings as integers in the same order, 0 for vertices that lead no pair.
WORK_GROUP
kernel void rate_pairs(long rows, global const int *list,
                       global const uint *ptr, global const int *restrict adj,
                       global const uint *restrict weight,
                       global const uint *restrict size,
                       global const int *restrict mate, global ulong *rating)
{
    local ulong found[LCL_GROUP];
    const uint lid = get_local_id(0), lane = lid % TEAM;
    for (TEAM_RANGE(at, rows)) {
        const struct run r = run_of(team_row(at, rows, list), ptr);
        const int j = r.row >= 0 ? mate[r.row] : -1;
        ulong own = 0;
        for (uint k = r.from + lane; k < r.to && j > r.row; k += TEAM)
            if (adj[k] == j)
                own = as_ulong(match_rating(weight[k], size[r.row], size[j]));
        found[lid] = own;
        GROUP_BARRIER();
        for (uint l = 1; l < TEAM && lane == 0; ++l)
            own = max(own, found[lid + l]);
        if (lane == 0 && r.row >= 0)
            rating[r.row] = own;
        GROUP_BARRIER();
    }
}

// The number of pairs with at least this rating and, among those with exactly
// this one, a first vertex up to `last`.
INLINE uint pairs_above(ulong least, uint last, long n,
                        global const ulong *rating, global const int *mate,
                        local uint *count)
{
    const uint lid = get_local_id(0);
    uint own = 0;
    for (long i = lid; i < n; i += LCL_GROUP)
        own += mate[i] > i &&
               (rating[i] > least || (rating[i] == least && i <= last));
    GROUP_BARRIER();
    if (lid == 0)
        *count = 0;
    GROUP_BARRIER();
    atomic_add(count, own);
    GROUP_BARRIER();
    return *count;
}

// Keeps the `keep` pairs of the best ratings, which must exist: bisection for
// the rating of the last one, then for its vertex.
WORK_GROUP
kernel void cut_pairs(long n, uint keep, global const ulong *rating,
                      global int *mate)
{
    local uint count;
    ulong least = 0;
    uint last = 0;
    for (ulong bit = 1ul << 63; bit > 0; bit /= 2)
        if (pairs_above(least | bit, 0xffffffffu, n, rating, mate, &count) >=
            keep)
            least |= bit;
    for (uint bit = 1u << 31; bit > 0; bit /= 2)
        if (pairs_above(least, last + bit - 1, n, rating, mate, &count) < keep)
            last += bit;
    for (long i = get_local_id(0); i < n; i += LCL_GROUP)
        if (mate[i] > i &&
            (rating[i] < least || (rating[i] == least && i > last))) {
            mate[mate[i]] = -1;
            mate[i] = -1;
        }
}
