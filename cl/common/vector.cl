// SPDX-License-Identifier: BSD-3-Clause
// Permutation of vectors and maps between numberings, prefix sums, selection of
// the best iterate, and the diagonal preconditioner.
// Launch: any number of groups; every kernel visits each element once.
#include "block.cl.h"
#include "prefix_sum.cl.h"
#include "wave.cl.h"

// block i of y = block map[i] of x + first
WORK_GROUP
kernel void gather(long n, global const uint *map, long first,
                   global const double *x, global double *y)
{
    for (RANGE(k, n * LCL_BLOCK))
        y[k] = x[first + moved(k, map)];
}

// block map[i] of y + first = block i of x
WORK_GROUP
kernel void scatter(long n, global const uint *map, long first,
                    global const double *x, global double *y)
{
    for (RANGE(k, n * LCL_BLOCK))
        y[first + moved(k, map)] = x[k];
}

// inverse[map[i]] = i
WORK_GROUP
kernel void invert_map(long n, global const uint *map, global uint *inverse)
{
    for (RANGE(i, n))
        inverse[map[i]] = (uint)i;
}

// element e of block i, as a place, becomes element e of block map[i]
WORK_GROUP
kernel void move_places(long n, global const uint *map, global uint *places)
{
    for (RANGE(k, n))
        places[k] = (uint)moved(places[k], map);
}

// x = D^-1 b; does nothing if stop[at] is nonzero
WORK_GROUP
kernel void scale(long n, global const double *inv_d, global const double *b,
                  global double *x, global const int *stop, int at)
{
    if (stop[at])
        return;
    for (RANGE(i, n))
        x[i] = inv_d[i] * b[i];
}

// x = D^-1 b, and sums[g] = group g's share of <b, x>; does nothing if stop[at]
// is nonzero
WORK_GROUP
kernel void scale_dot(long n, global const double *restrict inv_d,
                      global const double *restrict b,
                      global double *restrict x, global double *restrict sums,
                      global const int *stop, int at)
{
    local double scratch[LCL_GROUP];
    double sum = 0;
    if (stop[at])
        return;
    for (RANGE(i, n)) {
        const double x_i = inv_d[i] * b[i];
        x[i] = x_i;
        sum += b[i] * x_i;
    }
    sum = group_sum(sum, scratch);
    if (get_local_id(0) == 0)
        sums[get_group_id(0)] = sum;
}

// best = x if state[ring], the squared residual of x after `it` steps, is below
// that of `best`. The latter is state[from], with its step in state[from + 1],
// or `start` if state[from] is 0. state[to] and state[to + 1] receive the new
// pair.
WORK_GROUP
kernel void keep_best(long n, int it, int ring, int from, int to, double start,
                      global const double *restrict x,
                      global double *restrict best, global double *state,
                      global const int *stop, int at)
{
    if (stop[at])
        return;
    const double rr = state[ring], step = state[from + 1];
    const double least = step > 0 ? state[from] : start;
    const bool better = rr < least;
    if (get_global_id(0) == 0) {
        state[to] = better ? rr : least;
        state[to + 1] = better ? it : step;
    }
    if (!better)
        return;
    for (RANGE(i, n))
        best[i] = x[i];
}

// inv_d[i] = 1 / val[diagonal[i]], or 1 where the diagonal is missing or not a
// normal number, which bad[i] marks
WORK_GROUP
kernel void invert_diagonal(long n, global const long *diagonal,
                            global const double *val, global double *inv_d,
                            global uchar *bad)
{
    for (RANGE(i, n)) {
        const double d = diagonal[i] < 0 ? 0.0 : val[diagonal[i]];
        // no division by 0: hosts may trap floating-point exceptions
        const double inverse = 1.0 / copysign(fmax(fabs(d), 0x1p-1022), d);
        const bool sound = isnormal(d);
        inv_d[i] = sound ? inverse : 1.0;
        bad[i] = !sound;
    }
}

// -------------------------------------------------------------- prefix sums

// Exclusive prefix sums of n numbers, or of counts[of] if `of` is not negative,
// in two launches of equally many groups G; group g has the chunk n g / G ..
// n (g + 1) / G - 1:
//     sum_chunks     sums[g] = sum of chunk g
//     scan_chunks    out[i] = sum of the numbers before i, for i <= n, and, if
//                    `at` is not negative, counts[at] = sum of all
// `kind`: LCL_SUM_NUMBERS, ...
static inline uint number_at(global const int *in, long i, int kind)
{
    const int v = in[i];
    if (kind == LCL_SUM_LEADERS)
        return v < 0 || (uint)i < (uint)v;
    return kind == LCL_SUM_USED ? v != 0 : (uint)v;
}

static inline long chunk_start(long n, long chunk)
{
    return n * chunk / (long)get_num_groups(0);
}

// The sum of v over the work-items up to this one; sums[LCL_GROUP - 1] is that
// over the group until its next barrier.
INLINE uint sum_up_to_item(uint v, local uint *sums)
{
    const uint lid = get_local_id(0);
    GROUP_BARRIER();
    sums[lid] = v;
    GROUP_BARRIER();
    for (uint step = 1; step < LCL_GROUP; step *= 2) {
        const uint before = lid >= step ? sums[lid - step] : 0;
        GROUP_BARRIER();
        v += before;
        sums[lid] = v;
        GROUP_BARRIER();
    }
    return v;
}

WORK_GROUP
kernel void sum_chunks(long n, int of, int kind, global const int *restrict in,
                       global const uint *counts, global uint *restrict sums)
{
    local uint scratch[LCL_GROUP];
    const long size = of < 0 ? n : (long)counts[of];
    const long g = get_group_id(0), end = chunk_start(size, g + 1);
    uint sum = 0;
    for (long i = chunk_start(size, g) + get_local_id(0); i < end;
         i += LCL_GROUP)
        sum += number_at(in, i, kind);
    sum = sum_up_to_item(sum, scratch);
    if (get_local_id(0) == LCL_GROUP - 1)
        sums[g] = sum;
}

WORK_GROUP
kernel void scan_chunks(long n, int of, int kind, global const int *restrict in,
                        global uint *counts, global const uint *restrict sums,
                        global uint *restrict out, int at)
{
    local uint scratch[LCL_GROUP];
    const uint lid = get_local_id(0);
    const long size = of < 0 ? n : (long)counts[of];
    const long g = get_group_id(0), end = chunk_start(size, g + 1);
    uint before = 0;
    for (long c = lid; c < g; c += LCL_GROUP)
        before += sums[c];
    sum_up_to_item(before, scratch);
    before = scratch[LCL_GROUP - 1];
    for (long first = chunk_start(size, g); first < end; first += LCL_GROUP) {
        const long i = first + lid;
        const uint v = i < end ? number_at(in, i, kind) : 0;
        const uint up_to_i = sum_up_to_item(v, scratch);
        if (i < end)
            out[i] = before + up_to_i - v;
        before += scratch[LCL_GROUP - 1];
    }
    if (lid == 0 && g == (long)get_num_groups(0) - 1) {
        out[size] = before;
        if (at >= 0)
            counts[at] = before;
    }
}
