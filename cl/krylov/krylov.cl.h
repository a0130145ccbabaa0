// SPDX-License-Identifier: BSD-3-Clause
// Shared by the kernels of the Krylov methods. Scalars stay on the device: each
// group adds up the partial sums of the preceding kernel in the same order, so
// that all groups agree bitwise; the lead work-item stores the scalars that
// later kernels need. A kernel writes no word that another group of the same
// launch reads.
//
// stop[]: one stopping flag per kernel of a step: the reason why the method
// ended (0: it continues), passed on from kernel to kernel. A stopped kernel
// changes no vector. Kernels load their partial sums before they test the flag,
// so that both loads are in flight together.
//
// state[]: krylov_state.cl.h.
#pragma once

#include "krylov_state.cl.h"
#include "wave.cl.h"

// A coefficient this small relative to its Cauchy-Schwarz bound is rounding
// error.
#define KRYLOV_TINY 2.2e-16

// a / b, or infinity if b is 0 or the quotient is 2^1022 or more. It never
// divides by such a b, since the host may trap floating-point exceptions;
// compilers would fold a divisor selected by `fits` back into a / b.
static inline double krylov_ratio(double a, double b)
{
    const double least = fmax(fabs(a), 1.0) * 0x1p-1022;
    const bool fits = fabs(b) >= least;
    return a / copysign(fmax(fabs(b), least), b) + (fits ? 0.0 : INFINITY);
}

// Whether a scalar of CG in iteration `it` has kept its sign.
static inline bool krylov_is_definite(int it, double now, double before)
{
    return now != 0 && (it == 0 || (now > 0) == (before > 0));
}

// This work-item's share of the partial sums of all groups.
static inline double krylov_share(global const double *sums, uint groups)
{
    double v = 0;
    for (uint g = get_local_id(0); g < groups; g += LCL_GROUP)
        v += sums[g];
    return v;
}

// out[i] = the sum of row i of `sums`, which has `groups` entries per row; one
// wave per row.
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

// Whether the preceding kernel has stopped; if so, copies its flag to the
// kernel's own.
static inline bool krylov_is_over(global int *stop, int before, int own)
{
    const int reason = stop[before];
    if (reason && krylov_is_lead())
        stop[own] = reason;
    return reason != 0;
}

// The squared residual that the tolerance is for; rr = <r, r>.
static inline double krylov_residual(global const double *state, double rr)
{
    const double other = state[KRYLOV_NORM];
    return other > 0 && isfinite(rr) ? other : rr;
}

// Lead only: records that ||r||^2 = rr after `it` steps.
static inline void krylov_note(global double *state, int it, double rr)
{
    state[KRYLOV_STEPS] = it;
    state[KRYLOV_RING + it % KRYLOV_RING_SIZE] = rr;
}

// Lead only: continues (reason 0) or ends the method.
static inline void krylov_decide(global double *state, global int *stop,
                                 int own, int reason)
{
    stop[own] = reason;
    if (reason)
        state[KRYLOV_REASON] = reason;
}
