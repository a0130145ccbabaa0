// SPDX-License-Identifier: BSD-3-Clause
// A round of refinement. Half of the vertices, by hash, choose a part as seen
// before the round: the neighbouring part with the heaviest connection, if that
// exceeds the connection to the own part, or equals it and evens out the sizes;
// vertices of small parts join any larger part. The vertices that want to move
// to a part are admitted by class (match_class) as long as all of a class fit.
//     project   part of a vertex = part of its coarse vertex
//     choose    to[i] (-1: stays), class[i], and demand: rows by part, class;
//               new_rows = rows
//     move      moves vertices, updates new_rows; clears the demand of the next
//               round
//
// Launch: any number of groups; choose: groups of one wave, a team of lanes per
//         vertex.
// Determinism: bitwise.
#pragma once

#include "team.cl.h"

#if !LONG_ROWS // vertices of long rows choose like the others

WORK_GROUP
kernel void project(long n, global const int *restrict coarse,
                    global const int *restrict coarse_part, global int *part)
{
    for (RANGE(i, n))
        part[i] = coarse_part[coarse[i]];
}

// A vertex and what it knows about its own part.
struct vertex {
    int part;
    uint size, rows; // of the vertex, of its part
    uint own, all;   // its connections
};

static inline struct vertex vertex_of(long i, global const int *part,
                                      global const uint *size,
                                      global const uint *rows)
{
    struct vertex v = {part[i], size[i], 0, 0, 0};
    v.rows = rows[v.part];
    return v;
}

// A part that a vertex may move to; part -1: none.
struct target {
    int part;
    uint weight, rows;
};

static inline bool may_move(struct vertex v, struct target t, uint limit)
{
    if (t.rows + v.size > limit)
        return false;
    if (match_small(v.rows, limit))
        return t.rows > v.rows || (t.rows == v.rows && t.part > v.part);
    return t.weight > v.own ||
           (t.weight == v.own && t.rows + 2 * v.size < v.rows);
}

static inline bool is_better(struct target a, struct target b)
{
    if (a.part < 0 || b.part < 0)
        return a.part >= 0;
    if (a.weight != b.weight)
        return a.weight > b.weight;
    return a.rows < b.rows || (a.rows == b.rows && a.part < b.part);
}

static inline uint clamp_weight(ulong weight)
{
    return (uint)min(weight, (ulong)0xffffffff);
}

# if LCL_WIDTH == 1
static inline struct target best_of(struct vertex *v, uint from, uint to,
                                    uint limit, global const int *part,
                                    global const uint *rows,
                                    global const int *adj,
                                    global const uint *weight)
{
    struct target best = {-1, 0, 0};
    int parts[MATCH_DEGREE];
    uint weights[MATCH_DEGREE], count = 0;
    for (uint k = from; k < to; ++k) {
        const int p = part[adj[k]];
        const uint w = weight[k];
        uint c = 0;
        v->all = match_add(v->all, w);
        if (p == v->part)
            v->own = match_add(v->own, w);
        if (p == v->part || w == 0)
            continue;
        while (c < count && parts[c] != p)
            ++c;
        weights[c] = c < count ? match_add(weights[c], w) : w;
        parts[c] = p;
        count = max(count, c + 1);
    }
    for (uint c = 0; c < count; ++c) {
        const struct target t = {parts[c], weights[c], rows[parts[c]]};
        if (may_move(*v, t, limit) && is_better(t, best))
            best = t;
    }
    return best;
}
# endif

static inline void request(int i, struct vertex v, struct target best,
                           uint hash, uint limit, global int *to,
                           global uint *class, volatile global uint *demand)
{
    to[i] = best.part;
    if (best.part < 0)
        return;
    const uint own = match_small(v.rows, limit) ? 0 : v.own;
    class[i] = match_class(best.weight - own, v.all, hash);
    atomic_add(&demand[(ulong)best.part * MATCH_CLASSES + class[i]], v.size);
}

# if LCL_WIDTH == 1
WORK_GROUP
kernel void choose(long n, long parts, uint limit, uint round,
                   global const uint *ptr, global const int *restrict adj,
                   global const uint *restrict weight,
                   global const uint *restrict size,
                   global const int *restrict part,
                   global const uint *restrict rows, global uint *new_rows,
                   global int *to, global uint *class, global uint *demand)
{
    for (RANGE(p, parts))
        new_rows[p] = rows[p];
    for (RANGE(i, n)) {
        const uint hash = match_hash((uint)i, (uint)i, round);
        struct vertex v = vertex_of(i, part, size, rows);
        struct target best = {-1, 0, 0};
        if (match_active(hash) && ptr[i + 1] - ptr[i] <= MATCH_DEGREE)
            best =
                best_of(&v, ptr[i], ptr[i + 1], limit, part, rows, adj, weight);
        request((int)i, v, best, hash, limit, to, class, demand);
    }
}
# else
// The best target of the lanes of a team, on its first lane.
INLINE struct target best_of_team(struct target best, global const uint *rows,
                                  local int *keys, local uint *weights)
{
    const uint lid = get_local_id(0);
    GROUP_BARRIER();
    keys[lid] = best.part;
    weights[lid] = best.weight;
    GROUP_BARRIER();
    for (uint l = 1; l < TEAM && lid % TEAM == 0; ++l) {
        const int p = keys[lid + l];
        const struct target t = {p, weights[lid + l], p < 0 ? 0 : rows[p]};
        if (is_better(t, best))
            best = t;
    }
    return best;
}

WORK_GROUP
kernel void choose(long n, long parts, uint limit, uint round,
                   global const uint *ptr, global const int *restrict adj,
                   global const uint *restrict weight,
                   global const uint *restrict size,
                   global const int *restrict part,
                   global const uint *restrict rows, global uint *new_rows,
                   global int *to, global uint *class, global uint *demand)
{
    for (RANGE(p, parts))
        new_rows[p] = rows[p];
    local double scratch[LCL_GROUP];
    local int keys[LCL_GROUP];
    local uint weights[LCL_GROUP];
    const uint lid = get_local_id(0), lane = lid % TEAM, team = lid - lane;
    for (TEAM_RANGE(at, n)) {
        const int i = team_row(at, n, 0);
        const uint hash = match_hash((uint)i, (uint)i, round);
        struct vertex v = {-1, 0, 0, 0, 0};
        struct target best = {-1, 0, 0};
        const uint from = i < 0 ? 0 : ptr[i];
        uint degree = i < 0 ? 0 : ptr[i + 1] - from;
        if (i >= 0)
            v = vertex_of(i, part, size, rows);
        if (!match_active(hash) || degree > MATCH_DEGREE)
            degree = 0;
        const uint most = wave_largest(degree, LCL_WIDTH, scratch);
        for (uint first = 0; first < most; first += TEAM) {
            const uint e = first + lane;
            const int key =
                e < degree && weight[from + e] > 0 ? part[adj[from + e]] : -1;
            ulong sum = 0, own = 0, all = 0;
            bool leads = key >= 0 && key != v.part;
            for (uint next = 0; next < most; next += TEAM) {
                const bool stored = next + lane < degree;
                GROUP_BARRIER();
                keys[lid] = stored ? part[adj[from + next + lane]] : -1;
                weights[lid] = stored ? weight[from + next + lane] : 0;
                GROUP_BARRIER();
                for (uint l = 0; l < TEAM; ++l) {
                    const uint w = weights[team + l];
                    all += w;
                    own += keys[team + l] == v.part ? w : 0;
                    sum += keys[team + l] == key ? w : 0;
                    if (keys[team + l] == key && w > 0 && next + l < e)
                        leads = false;
                }
            }
            v.own = clamp_weight(own);
            v.all = clamp_weight(all);
            if (leads) {
                const struct target t = {key, clamp_weight(sum), rows[key]};
                if (may_move(v, t, limit) && is_better(t, best))
                    best = t;
            }
        }
        best = best_of_team(best, rows, keys, weights);
        if (lane == 0 && i >= 0)
            request(i, v, best, hash, limit, to, class, demand);
        GROUP_BARRIER();
    }
}
# endif

WORK_GROUP
kernel void move(long n, long parts, uint limit,
                 global const uint *restrict size,
                 global const int *restrict to,
                 global const uint *restrict class,
                 global const uint *restrict rows,
                 global const uint *restrict demand, global int *part,
                 volatile global uint *new_rows, global uint *new_demand)
{
    for (RANGE(i, n)) {
        const int p = to[i];
        if (p < 0)
            continue;
        ulong sum = rows[p];
        for (uint c = 0; c <= class[i]; ++c)
            sum += demand[(ulong)p * MATCH_CLASSES + c];
        if (sum > limit)
            continue;
        atomic_sub(&new_rows[part[i]], size[i]);
        atomic_add(&new_rows[p], size[i]);
        part[i] = p;
    }
    for (RANGE(d, parts * MATCH_CLASSES))
        new_demand[d] = 0;
}
#endif
