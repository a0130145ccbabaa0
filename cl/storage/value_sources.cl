// SPDX-License-Identifier: BSD-3-Clause
// Where the values of a matrix come from: value v is the caller's value of[v],
// or the sum of group of[v] - entries if that is not below `entries`, or 0 if
// of[v] is NO_SOURCE. With SIGNED_SOURCES, bit 31 of a caller's value in of[]
// or list[] means its negative.
//     gather_values    the values, from the caller's arrays a, b and c, whose
//                      first values are 0, `second` and `third`; they begin
//                      `at_a`, `at_b` and `at_c` doubles after the pointers
//     gather_runs      the values if LCL_BLOCK of them from each multiple of it
//                      on follow each other in val + first: of[k LCL_BLOCK] is
//                      the first of run k
//     take_values      the values if each is one of the caller's: block i of
//                      LCL_BLOCK values is block map[i] of val + first, or
//                      block i without `map`
//     find_change      whether take_values would change what `was` holds
//     find_gathered_change   the same for gather_values
//     gather_blocks    sources of LCL_BLOCK values in a new order: those of
//                      block i were those of block map[i]
//     place_sources    sources in a larger matrix: to[place[k]] = of[k]
// The first three set *bad, the first two if it is there, unless all values
// that they read are finite; the next two set *changed if a bit differs.
// Launch: any number of groups; each element is visited once, or by those two
// until a work-item has found a change. Determinism: a sum is in the order of
// its list.
#include "block.cl.h"
#include "finite.cl.h"
#include "wave.cl.h"

#ifndef SIGNED_SOURCES
# define SIGNED_SOURCES 0 // 1: of complex matrices
#endif

#define NO_SOURCE 0xffffffffu
#define NEGATED   0x80000000u

struct given {
    uint second, third;
    global const double *a, *b, *c;
};

INLINE uint without_sign(uint s)
{
    return SIGNED_SOURCES ? s & ~NEGATED : s;
}

INLINE double place_value(const struct given *x, uint k)
{
    if (k < x->second)
        return x->a[k];
    return k < x->third ? x->b[k - x->second] : x->c[k - x->third];
}

INLINE double given_value(const struct given *x, uint s)
{
    const double v = place_value(x, without_sign(s));
    return SIGNED_SOURCES && (s & NEGATED) ? -v : v;
}

// Raises *largest to the largest exponent.
INLINE double sum_of_group(const struct given *x, uint group,
                           global const uint *start, global const uint *list,
                           uint *largest)
{
    const uint from = start[group], to = start[group + 1];
    double sum = given_value(x, list[from]);
    *largest = max(*largest, exponent_of(sum));
    for (uint left = to - from - 1; left > 0; --left) {
        const double v = given_value(x, list[to - left]);
        sum += v;
        *largest = max(*largest, exponent_of(v));
    }
    return sum;
}

// `value` of source s; raises *largest to the largest exponent.
INLINE double source_value(const struct given *x, uint s, long entries,
                           global const uint *start, global const uint *list,
                           uint *largest)
{
    if ((long)without_sign(s) >= entries)
        return s == NO_SOURCE
                   ? 0
                   : sum_of_group(x, s - (uint)entries, start, list, largest);
    const double value = given_value(x, s);
    *largest = max(*largest, exponent_of(value));
    return value;
}

WORK_GROUP
kernel void gather_values(long n, long entries, long second, long third,
                          global const uint *restrict of,
                          global const uint *restrict start,
                          global const uint *restrict list, long at_a,
                          long at_b, long at_c, global const double *a,
                          global const double *b, global const double *c,
                          global double *restrict val, volatile global int *bad)
{
    const struct given x = {(uint)second, (uint)third, a + at_a, b + at_b,
                            c + at_c};
    uint largest = 0;
    for (RANGE(v, n))
        val[v] = source_value(&x, of[v], entries, start, list, &largest);
    if (bad && largest == NOT_FINITE)
        atomic_or(bad, 1);
}

// runs and values between the request for a line and its use
#define AHEAD_RUNS   200
#define AHEAD_VALUES 256

WORK_GROUP
kernel void gather_runs(long runs, global const uint *restrict of, long first,
                        global const double *restrict val,
                        global double *restrict to, volatile global int *bad)
{
    uint largest = 0;
    val += first;
    for (RANGE(k, runs)) {
        const long ahead = min(k + AHEAD_RUNS, runs - 1);
        FETCH_AHEAD(val + of[ahead * LCL_BLOCK]);
#pragma unroll
        for (uint i = 0; i < LCL_BLOCK; ++i) {
            const double v = val[of[k * LCL_BLOCK] + i];
            to[k * LCL_BLOCK + i] = v;
            largest = max(largest, exponent_of(v));
        }
    }
    if (bad && largest == NOT_FINITE)
        atomic_or(bad, 1);
}

WORK_GROUP
kernel void take_values(long n, global const uint *restrict map, long first,
                        global const double *restrict val,
                        global double *restrict to, volatile global int *bad)
{
    uint largest = 0;
    val += first;
    if (map)
        for (RANGE(k, n)) {
            const double v = val[moved(k, map)];
            if (k % 4 == 0) // often a cache line for several
                FETCH_AHEAD(val + moved(min(k + AHEAD_VALUES, n - 1), map));
            to[k] = v;
            largest = max(largest, exponent_of(v));
        }
    else
        for (RANGE(k, n)) {
            to[k] = val[k];
            largest = max(largest, exponent_of(val[k]));
        }
    if (largest == NOT_FINITE)
        atomic_or(bad, 1);
}

INLINE bool is_same(double a, double b)
{
    return as_ulong(a) == as_ulong(b);
}

WORK_GROUP
kernel void find_change(long n, global const uint *restrict map, long first,
                        global const double *restrict val,
                        global const double *restrict was,
                        volatile global int *changed)
{
    val += first;
    for (RANGE(k, n))
        if (!is_same(val[map ? moved(k, map) : k], was[k])) {
            *changed = 1;
            return;
        }
}

WORK_GROUP
kernel void find_gathered_change(long n, long entries, long second, long third,
                                 global const uint *restrict of,
                                 global const uint *restrict start,
                                 global const uint *restrict list, long at_a,
                                 long at_b, long at_c, global const double *a,
                                 global const double *b, global const double *c,
                                 global const double *restrict was,
                                 volatile global int *changed)
{
    const struct given x = {(uint)second, (uint)third, a + at_a, b + at_b,
                            c + at_c};
    uint unused = 0;
    for (RANGE(v, n))
        if (!is_same(source_value(&x, of[v], entries, start, list, &unused),
                     was[v])) {
            *changed = 1;
            return;
        }
}

WORK_GROUP
kernel void gather_blocks(long n, global const uint *map, global const uint *of,
                          global uint *to)
{
    for (RANGE(k, n * LCL_BLOCK))
        to[k] = of[moved(k, map)];
}

WORK_GROUP
kernel void place_sources(long n, global const uint *place,
                          global const uint *of, global uint *to)
{
    for (RANGE(k, n))
        to[place[k]] = of[k];
}
