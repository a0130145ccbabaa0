// SPDX-License-Identifier: BSD-3-Clause
// The vector work of right-preconditioned BiCGSTAB (van der Vorst 1992), three
// kernels an iteration around two products with A and two with M^-1:
//
//     bicgstab_p:  rho = <r0, r>;  beta = (rho / rho') (alpha / omega)
//                  p = r + beta (p - omega v)
//                  [y = M^-1 p;  v = A y;  <r0, v>]
//     bicgstab_s:  alpha = rho / <r0, v>;  r = r - alpha v
//                  [z = M^-1 r;  t = A z;  <t, r>, <t, t>]
//     bicgstab_x:  omega = <t, r> / <t, t>;  x = x + alpha y + omega z
//                  r = r - omega t;  <r0, r>, <r, r>
//
// Scalars stay on the device: each group adds up the partial sums of the kernel
// before in the same order, so that all agree bit for bit; group 0 writes down
// what later kernels need. A kernel writes no word that another group of the
// same launch reads.
//
// stop[]: STOP_P, STOP_S, STOP_X hold why the iteration ended (0: it goes on),
// handed on from kernel to kernel; a stopped kernel changes no vector, so that
// x stays that of the last sound iteration.
#include "wave.cl.h"

#define STOP_P 0
#define STOP_S 1
#define STOP_X 2

// Reasons; lib/krylov/bicgstab.c has the same.
#define CONVERGED       1
#define BREAKDOWN_RHO   2
#define BREAKDOWN_ALPHA 3
#define BREAKDOWN_OMEGA 4
#define NOT_FINITE      5

// state[]: rho of even and of odd iterations, alpha, omega, iterations done,
// the reason, and a ring of squared residual norms.
#define RHO        0
#define ALPHA      2
#define OMEGA      3
#define ITERATIONS 4
#define REASON     5
#define RING       8
#define RING_SIZE  256

// A coefficient this small against what Cauchy-Schwarz allows is rounding.
#define TINY 2.2e-16

// This work-item's share of the sums of all groups.
static inline double share_of(global const double *sums, uint groups)
{
    double v = 0;
    for (uint g = get_local_id(0); g < groups; g += LCL_GROUP)
        v += sums[g];
    return v;
}

static inline bool is_lead(void)
{
    return get_group_id(0) == 0 && get_local_id(0) == 0;
}

static inline int judge_p(int it, double rho, double rr, double rr0,
                          double limit, double omega)
{
    if (!isfinite(rr) || !isfinite(rho))
        return NOT_FINITE;
    if (rr <= limit)
        return CONVERGED;
    if (it > 0 && omega == 0)
        return BREAKDOWN_OMEGA;
    if (fabs(rho) <= TINY * sqrt(rr) * sqrt(rr0))
        return BREAKDOWN_RHO;
    return 0;
}

// `sums` holds <r0, r> and <r, r> of `groups` groups; at it = 0 only the
// latter, in its second half. rr0 = <r0, r0>; `limit` is the squared tolerance.
WORK_GROUP
kernel void bicgstab_p(int it, long n, double rr0, double limit, int groups,
                       global const double *sums, global const double *r,
                       global const double *v, global double *p,
                       global double *state, global int *stop)
{
    local double scratch[LCL_GROUP];
    if (stop[STOP_X]) {
        if (is_lead())
            stop[STOP_P] = stop[STOP_X];
        return;
    }
    const double own_rr = share_of(sums + groups, groups);
    const double own_rho = it == 0 ? own_rr : share_of(sums, groups);
    const double rr = group_sum(own_rr, scratch);
    const double rho = group_sum(own_rho, scratch);
    const double omega = state[OMEGA], alpha = state[ALPHA];
    const double old_rho = state[RHO + (it + 1) % 2];
    const int reason = judge_p(it, rho, rr, rr0, limit, omega);
    if (is_lead()) {
        stop[STOP_P] = reason;
        state[RHO + it % 2] = rho;
        state[ITERATIONS] = it;
        state[REASON] = reason;
        state[RING + it % RING_SIZE] = rr;
    }
    if (reason)
        return;
    if (it == 0) {
        for (RANGE(i, n))
            p[i] = r[i];
    } else {
        const double beta = (rho / old_rho) * (alpha / omega);
        for (RANGE(i, n))
            p[i] = r[i] + beta * (p[i] - omega * v[i]);
    }
}

// `sums` holds <r0, v>.
WORK_GROUP
kernel void bicgstab_s(int it, long n, int groups, global const double *sums,
                       global const double *v, global double *r,
                       global double *state, global int *stop)
{
    local double scratch[LCL_GROUP];
    if (stop[STOP_P]) {
        if (is_lead())
            stop[STOP_S] = stop[STOP_P];
        return;
    }
    const double r0v = group_sum(share_of(sums, groups), scratch);
    const double alpha = state[RHO + it % 2] / r0v;
    const int reason = !isfinite(r0v)     ? NOT_FINITE
                       : !isfinite(alpha) ? BREAKDOWN_ALPHA
                                          : 0;
    if (is_lead()) {
        stop[STOP_S] = reason;
        state[ALPHA] = alpha;
        if (reason)
            state[REASON] = reason;
    }
    if (reason)
        return;
    for (RANGE(i, n))
        r[i] -= alpha * v[i];
}

// `sums` holds <t, r> and <t, t>; `next` receives <r0, r> and <r, r>.
WORK_GROUP
kernel void bicgstab_x(long n, int groups, global const double *sums,
                       global const double *y, global const double *z,
                       global const double *t, global const double *r0,
                       global double *x, global double *r, global double *next,
                       global double *state, global int *stop)
{
    local double scratch[LCL_GROUP];
    if (stop[STOP_S]) {
        if (is_lead())
            stop[STOP_X] = stop[STOP_S];
        return;
    }
    const double own_tr = share_of(sums, groups);
    const double own_tt = share_of(sums + groups, groups);
    const double tr = group_sum(own_tr, scratch);
    const double tt = group_sum(own_tt, scratch);
    const double omega = tt == 0 ? 0 : tr / tt;
    const double alpha = state[ALPHA];
    const bool sound = isfinite(tr) && isfinite(tt) && isfinite(omega);
    if (is_lead()) {
        stop[STOP_X] = sound ? 0 : NOT_FINITE;
        state[OMEGA] = omega;
        if (!sound)
            state[REASON] = NOT_FINITE;
    }
    if (!sound)
        return;
    double r0r = 0, rr = 0;
    for (RANGE(i, n)) {
        x[i] += alpha * y[i] + omega * z[i];
        const double r_i = r[i] - omega * t[i];
        r[i] = r_i;
        r0r += r0[i] * r_i;
        rr += r_i * r_i;
    }
    r0r = group_sum(r0r, scratch);
    rr = group_sum(rr, scratch);
    if (get_local_id(0) == 0) {
        next[get_group_id(0)] = r0r;
        next[groups + get_group_id(0)] = rr;
    }
}
