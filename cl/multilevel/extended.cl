// SPDX-License-Identifier: BSD-3-Clause
// Extended+i interpolation (De Sterck, Falgout, Nolting, Yang, NLAA 15 (2008)).
// For a fine row i, C_i are the coarse rows it depends on, F_i the fine ones,
// C_i' is C_i and the coarse rows on which those of F_i depend; b_kl = a_kl if
// its sign is opposite to that of a_kk, otherwise 0:
//     w_ij = -(a_ij + sum_{k in F_i} a_ik b_kj / s_k) / d_i,   j in C_i'
//     s_k  = sum_{l in C_i' and i} b_kl
//     d_i  = a_ii + sum_{n not in C_i', weak} a_in
//                 + sum_{k in F_i} a_ik b_ki / s_k
// a_ik counts as weak if s_k is 0. With more than EXTENDED_KEYS - 1 candidates
// instead (direct interpolation), with the couplings of the sign of a_ii in
// same_i, the others in opposite_i:
//     w_ij = -a_ij opposite_i / (d_i sum_{k in C_i} a_ik),     j in C_i
//     d_i  = a_ii + same_i
// The `most` largest |w_ij| stay (the smaller column of equal ones), scaled to
// the sum of all. The row is empty if d_i is not normal or C_i' is empty.
//     interpolate_rows  length[i] <= most entries from position most * i on
//     compact_rows      the same without gaps
//
// Data:   A in CSR with ascending columns; strong, negative and coarse as in
//         lib/multilevel/splitting.h; columns of P are numbers of coarse rows.
// Launch: any number of groups of one wave, which has one row at a time.
// Determinism: bitwise: a sum over a row or its candidates has AGGREGATE_SUMS
//         partial sums; contributions of rows k are added in their order.
#include "candidates.cl.h"
#include "rounding.cl.h"

#pragma OPENCL FP_CONTRACT OFF

// ------------------------------------------------------------------- weights

struct sums {
    double d, opposite;
};

// Puts a_ij into sum[] for candidates j and adds up the others, each team of
// lanes for itself; without candidates (n = 0) as for direct interpolation.
INLINE struct sums start_row(struct matrix A, local const int *keys,
                             local double *sum, uint n, long i, bool negative,
                             struct span s, local double *scratch)
{
    double lump[SHARES], other[SHARES], d = 0;
    struct sums result;
    uint share = 0;
    for (DOWNWARDS(q, SHARES))
        lump[q] = other[q] = 0;
    for (index_t at = s.from + team_lane(); at < s.to; at += LANES_PER_ROW) {
        const int j = A.col[at];
        const double a = A.val[at];
        const uint p = place_of(keys, n, j);
        const bool opposite = negative ? a > 0 : a < 0;
        if (j == i)
            d = a;
        else if (p < n && get_local_id(0) < LANES_PER_ROW)
            sum[p] = a;
        const bool weak = n > 0 ? p == n && !A.strong[at] : !opposite;
        lump[share] += j != i && weak ? a : 0.0;
        other[share] += j != i && opposite ? a : 0.0;
        share = (share + 1) % SHARES;
    }
    d = team_sum(d, scratch);
    result.d = d + row_sum(lump, scratch);
    result.opposite = row_sum(other, scratch);
    return result;
}

// Row k of F_i, empty if a_ik counts as weak.
struct factor {
    struct span entries;
    double f; // a_ik / s_k, or a_ik
    int negative;
};

INLINE bool is_opposite(double a, int negative)
{
    return negative ? a > 0 : a < 0;
}

// The factor of entry `at` of row i; the row of other entries than those of F_i
// is empty, their f is 0.
INLINE struct factor factor_of(struct matrix A, local const int *keys, uint n,
                               index_t at, index_t end, local double *scratch)
{
    const bool there = at < end;
    const int k = there ? A.col[there ? at : 0] : 0;
    const bool use =
        there && n > 0 && A.strong[there ? at : 0] && A.coarse[k] < 0;
    double part[SHARES];
    struct factor f;
    uint share = 0;
    f.entries = span_of(k, use, A.row_ptr);
    f.negative = use ? A.negative[k] : 0;
    for (DOWNWARDS(q, SHARES))
        part[q] = 0;
    for (index_t e = f.entries.from + team_lane(); e < f.entries.to;
         e += LANES_PER_ROW) {
        const double a = A.val[e];
        const bool counts =
            is_opposite(a, f.negative) && place_of(keys, n, A.col[e]) < n;
        part[share] += counts ? a : 0.0;
        share = (share + 1) % SHARES;
    }
    const double s = row_sum(part, scratch), a = use ? A.val[at] : 0.0;
    const double ratio = a / (isnormal(s) ? s : 1.0);
    const bool sound = isnormal(s) && isfinite(ratio);
    f.f = sound ? ratio : a;
    if (!sound)
        f.entries.to = f.entries.from;
    return f;
}

// sum[] += f b_k, or f to that of row i itself.
INLINE void add_factor(struct matrix A, local const int *keys,
                       local double *sum, uint n, uint own,
                       local const struct factor *f)
{
    const index_t from = f->entries.from, to = f->entries.to;
    const double factor = f->f;
    const int negative = f->negative;
    if (from == to && get_local_id(0) == 0 && own < n)
        sum[own] += factor;
    for (index_t e = from + get_local_id(0); e < to; e += LCL_GROUP) {
        const double a = A.val[e];
        const uint p =
            is_opposite(a, negative) ? place_of(keys, n, A.col[e]) : n;
        if (p < n)
            sum[p] = fused(factor, a, sum[p]);
    }
}

INLINE void add_factors(struct matrix A, local const int *keys,
                        local double *sum, uint n, uint own, struct span s,
                        local struct factor *factors, local double *scratch)
{
    for (index_t base = s.from; base < s.to; base += TEAMS) {
        const uint team = get_local_id(0) / LANES_PER_ROW;
        const uint turns = min((uint)TEAMS, (uint)(s.to - base));
        const struct factor f =
            factor_of(A, keys, n, base + team, s.to, scratch);
        GROUP_BARRIER();
        if (team_lane() == 0)
            factors[team] = f;
        GROUP_BARRIER();
        for (uint t = 0; t < turns; ++t) {
            add_factor(A, keys, sum, n, own, factors + t);
            GROUP_BARRIER();
        }
    }
}

// sum[] becomes the weights; returns their sum.
INLINE double divide(local const int *keys, local double *sum, uint n, long i,
                     double d, local double *scratch)
{
    double part[SHARES];
    uint share = 0;
    for (GROUP_DOWNWARDS(e, n)) {
        const double w = -(sum[e] / d);
        sum[e] = keys[e] != i && isfinite(w) ? w : 0.0;
    }
    GROUP_BARRIER();
    for (DOWNWARDS(q, SHARES))
        part[q] = 0;
    for (uint e = team_lane(); e < n; e += LANES_PER_ROW) {
        part[share] += sum[e];
        share = (share + 1) % SHARES;
    }
    return row_sum(part, scratch);
}

// ------------------------------------------------------------------- largest

// Weights to choose from: those of n candidates, or the entries of row i.
struct offers {
    uint n, count;
    index_t from;
};

INLINE struct offers offers_of(bool sound, uint n, struct span s)
{
    struct offers o;
    o.n = n;
    o.count = !sound ? 0 : n > 0 ? n : (uint)(s.to - s.from);
    o.from = s.from;
    return o;
}

INLINE double weight_of(struct matrix A, local const double *sum,
                        struct offers o, uint e)
{
    const index_t at = o.from + (o.n > 0 ? 0 : e);
    if (o.n > 0)
        return sum[e];
    return A.strong[at] && A.coarse[A.col[at]] >= 0 ? A.val[at] : 0.0;
}

INLINE int column_of(struct matrix A, local const int *keys, struct offers o,
                     uint e)
{
    return A.coarse[o.n > 0 ? keys[o.n > 0 ? e : 0] : A.col[o.from + e]];
}

// Puts the numbers of the `most` largest weights into chosen[], and the same in
// ascending order into sorted[]; returns how many there are. Each team of lanes
// looks at all weights.
INLINE uint choose_largest(struct matrix A, local const double *sum,
                           struct offers o, uint most, local uint *chosen,
                           local uint *sorted, local double *scratch)
{
    ulong last = ~0ul;
    uint last_e = 0, number = 0;
    for (DOWNWARDS(r, most)) {
        ulong size = 0, place = 0;
        uint own = 0;
        for (uint e = team_lane(); e < o.count; e += LANES_PER_ROW) {
            const ulong w = as_ulong(fabs(weight_of(A, sum, o, e)));
            const bool left = w < last || (w == last && e > last_e);
            own = left && w > size ? e : own;
            size = left && w > size ? w : size;
        }
        const ulong best = team_max_key(size, scratch);
        place = best > 0 && size == best ? 0xffffffffu - own : 0;
        place = team_max_key(place, scratch);
        last = best;
        last_e = 0xffffffffu - (uint)place;
        if (best > 0 && get_local_id(0) == 0)
            chosen[number] = last_e;
        number += best > 0;
    }
    GROUP_BARRIER();
    for (GROUP_DOWNWARDS(q, number)) {
        uint rank = 0;
        for (DOWNWARDS(r, number))
            rank += chosen[r] < chosen[q];
        sorted[rank] = chosen[q];
    }
    GROUP_BARRIER();
    return number;
}

// Factor of the chosen weights, so that their sum is `total`.
INLINE double scale_of(struct matrix A, local const double *sum,
                       struct offers o, local const uint *sorted, uint number,
                       double total)
{
    double kept = 0;
    for (DOWNWARDS(r, number))
        kept += weight_of(A, sum, o, sorted[r]);
    const double ratio = total / (kept != 0 ? kept : 1.0);
    return kept != 0 && isnormal(ratio) ? ratio : 1.0;
}

// ------------------------------------------------------------------- kernels

WORK_GROUP
kernel void interpolate_rows(long n, int most, global const index_t *row_ptr,
                             global const int *col, global const double *val,
                             global const uchar *strong,
                             global const uchar *negative,
                             global const int *coarse,
                             global uint *restrict length,
                             global int *restrict out_col,
                             global double *restrict out_val)
{
    local int4 slots[EXTENDED_SLOTS / 4];
    local int keys[EXTENDED_KEYS];
    local double sum[EXTENDED_KEYS], scratch[LCL_GROUP];
    local struct factor factors[TEAMS];
    local uint used, chosen[EXTENDED_MOST], sorted[EXTENDED_MOST];
    const struct matrix A = {row_ptr, col, val, strong, negative, coarse};
    const struct table h = {slots, keys, &used};
    for (GROUP_RANGE(i, n, 1)) {
        if (coarse[i] >= 0) {
            if (get_local_id(0) == 0) {
                out_col[i * most] = coarse[i];
                out_val[i * most] = 1;
                length[i] = 1;
            }
            continue;
        }
        const struct span s = span_of(i, true, row_ptr);
        const uint keys_used = find_candidates(A, h, i, s);
        for (GROUP_DOWNWARDS(e, keys_used))
            sum[e] = 0;
        GROUP_BARRIER();
        const uint own = place_of(keys, keys_used, (int)i);
        const struct sums first =
            start_row(A, keys, sum, keys_used, i, negative[i] != 0, s, scratch);
        if (own < keys_used && get_local_id(0) == 0)
            sum[own] = first.d;
        GROUP_BARRIER();
        add_factors(A, keys, sum, keys_used, own, s, factors, scratch);
        const double d = keys_used > 0 ? sum[own] : first.d;
        const bool sound = isnormal(d);
        GROUP_BARRIER();
        double total =
            divide(keys, sum, keys_used, i, sound ? d : 1.0, scratch);
        if (keys_used == 0)
            total = -(first.opposite / (sound ? d : 1.0));
        const struct offers o = offers_of(sound, keys_used, s);
        const uint number =
            choose_largest(A, sum, o, (uint)most, chosen, sorted, scratch);
        const double scale = scale_of(A, sum, o, sorted, number, total);
        for (GROUP_DOWNWARDS(r, number)) {
            out_col[i * most + r] = column_of(A, keys, o, sorted[r]);
            out_val[i * most + r] = weight_of(A, sum, o, sorted[r]) * scale;
        }
        if (get_local_id(0) == 0)
            length[i] = number;
        GROUP_BARRIER();
    }
}

WORK_GROUP
kernel void compact_rows(long n, int most, global const int *restrict in_col,
                         global const double *restrict in_val,
                         global const uint *restrict row_ptr,
                         global int *restrict col, global double *restrict val)
{
    for (RANGE(i, n)) {
        const uint from = row_ptr[i];
        for (DOWNWARDS(r, row_ptr[i + 1] - from)) {
            col[from + r] = in_col[i * most + r];
            val[from + r] = in_val[i * most + r];
        }
    }
}
