// SPDX-License-Identifier: BSD-3-Clause
// What the kernels of Krylov methods share. Scalars stay on the device: each
// group adds up the partial sums of the kernel before in the same order, so
// that all agree bit for bit; the lead work-item writes down what later kernels
// need. A kernel writes no word that another group of the same launch reads.
//
// stop[]: a word for each kernel of a step, why the method ended (0: it goes
// on), handed on from kernel to kernel; a stopped kernel changes no vector.
// What a kernel adds up is read before it looks, so that both reads are under
// way.
//
// state[]: the steps that are done, why the method ended, two pairs of words
// that keep_best of vector.cl writes, a ring of squared residual norms, and the
// method's own words from KRYLOV_OWN on.
#pragma once

#include "wave.cl.h"

// lib/krylov/batch.h has the same.
#define KRYLOV_STEPS     0
#define KRYLOV_REASON    1
#define KRYLOV_RING      8
#define KRYLOV_RING_SIZE 256
#define KRYLOV_OWN       (KRYLOV_RING + KRYLOV_RING_SIZE)

// Reasons; lib/krylov/batch.c has the same.
#define KRYLOV_CONVERGED       1
#define KRYLOV_BREAKDOWN_RHO   2
#define KRYLOV_BREAKDOWN_ALPHA 3
#define KRYLOV_BREAKDOWN_OMEGA 4
#define KRYLOV_NOT_FINITE      5
#define KRYLOV_INDEFINITE_A    6
#define KRYLOV_INDEFINITE_M    7
#define KRYLOV_BREAKDOWN_SPACE 8

// A coefficient this small against what Cauchy-Schwarz allows is rounding.
#define KRYLOV_TINY 2.2e-16

// a / b, and infinity where b is 0 or the quotient 2^1022 or more. It divides
// by no such b, for hosts that trap floating-point exceptions; a divisor that
// is selected by `fits` would be folded back into a / b by compilers.
static inline double krylov_ratio(double a, double b)
{
    const double least = fmax(fabs(a), 1.0) * 0x1p-1022;
    const bool fits = fabs(b) >= least;
    return a / copysign(fmax(fabs(b), least), b) + (fits ? 0.0 : INFINITY);
}

// This work-item's share of the sums of all groups.
static inline double krylov_share(global const double *sums, uint groups)
{
    double v = 0;
    for (uint g = get_local_id(0); g < groups; g += LCL_GROUP)
        v += sums[g];
    return v;
}

// out[i] = the sum of row i of `sums`, `groups` a row; a wave adds up a row.
INLINE void krylov_sum_rows(uint rows, uint groups, global const double *sums,
                            local double *out, local double *scratch)
{
    const uint wave = get_local_id(0) / LCL_WIDTH;
    const uint lane = get_local_id(0) % LCL_WIDTH;
    for (uint first = 0; first < rows; first += LCL_GROUP / LCL_WIDTH) {
        const uint row = first + wave;
        double v = 0;
        if (row < rows)
            for (uint g = lane; g < groups; g += LCL_WIDTH)
                v += sums[(long)row * groups + g];
        v = wave_sum(v, LCL_WIDTH, scratch);
        if (row < rows && lane == 0)
            out[row] = v;
    }
}

static inline bool krylov_is_lead(void)
{
    return get_group_id(0) == 0 && get_local_id(0) == 0;
}

// Whether the kernel before has stopped; then the own word says so, too.
static inline bool krylov_is_over(global int *stop, int before, int own)
{
    const int reason = stop[before];
    if (reason && krylov_is_lead())
        stop[own] = reason;
    return reason != 0;
}

// By the lead: `it` steps have left ||r||^2 = rr.
static inline void krylov_note(global double *state, int it, double rr)
{
    state[KRYLOV_STEPS] = it;
    state[KRYLOV_RING + it % KRYLOV_RING_SIZE] = rr;
}

// By the lead: the kernel goes on (0) or ends the method.
static inline void krylov_decide(global double *state, global int *stop,
                                 int own, int reason)
{
    stop[own] = reason;
    if (reason)
        state[KRYLOV_REASON] = reason;
}
