// SPDX-License-Identifier: BSD-3-Clause
// Vector kernels of right-preconditioned BiCGSTAB (van der Vorst 1992): three
// kernels per iteration around two products with A and two with M^-1:
//
//     bicgstab_p:  rho = <r0, r>;  beta = (rho / rho') (alpha / omega)
//                  p = r + beta (p - omega v)
//                  [y = M^-1 p;  v = A y;  <r0, v>]
//     bicgstab_s:  alpha = rho / <r0, v>;  r = r - alpha v
//                  [z = M^-1 r;  t = A z;  <t, r>, <t, t>]
//     bicgstab_x:  omega = <t, r> / <t, t>;  x = x + alpha y + omega z
//                  r = r - omega t;  <r0, r>, <r, r>
//
// A stopped kernel changes no vector: x is that of the last sound iteration.
#include "bicgstab.cl.h"
#include "bicgstab_judge.cl.h"

// `sums` holds the partial sums of <r0, r> and <r, r> of `groups` groups; at
// it = 0 only the latter, in its second half. rr0 = <r0, r0>; `limit` is the
// squared tolerance.
WORK_GROUP
kernel void bicgstab_p(int it, long n, double rr0, double limit, int groups,
                       global const double *sums, global const double *r,
                       global const double *v, global double *p,
                       global double *state, global int *stop)
{
    local double scratch[LCL_GROUP];
    const double own_rr = krylov_share(sums + groups, groups);
    const double own_rho = it == 0 ? own_rr : krylov_share(sums, groups);
    const double omega = state[BICGSTAB_OMEGA], alpha = state[BICGSTAB_ALPHA];
    const double old_rho = state[BICGSTAB_RHO + (it + 1) % 2];
    if (krylov_is_over(stop, BICGSTAB_STOP_X, BICGSTAB_STOP_P))
        return;
    const double rr = group_sum(own_rr, scratch);
    const double rho = group_sum(own_rho, scratch);
    const double residual = krylov_residual(state, rr);
    const int reason = bicgstab_judge(it, rho, rr, residual, rr0, limit, omega);
    if (krylov_is_lead()) {
        krylov_decide(state, stop, BICGSTAB_STOP_P, reason);
        krylov_note(state, it, residual);
        state[BICGSTAB_RHO + it % 2] = rho;
    }
    if (reason)
        return;
    if (it == 0) {
        for (RANGE(i, n))
            p[i] = r[i];
    } else {
        const double beta = (rho / old_rho) * krylov_ratio(alpha, omega);
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
    const double own_r0v = krylov_share(sums, groups);
    const double rho = state[BICGSTAB_RHO + it % 2];
    if (krylov_is_over(stop, BICGSTAB_STOP_P, BICGSTAB_STOP_S))
        return;
    const double r0v = group_sum(own_r0v, scratch);
    const double alpha = krylov_ratio(rho, r0v);
    const int reason = !isfinite(r0v)     ? KRYLOV_NOT_FINITE
                       : !isfinite(alpha) ? KRYLOV_BREAKDOWN_ALPHA
                                          : 0;
    if (krylov_is_lead()) {
        krylov_decide(state, stop, BICGSTAB_STOP_S, reason);
        state[BICGSTAB_ALPHA] = alpha;
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
    const double own_tr = krylov_share(sums, groups);
    const double own_tt = krylov_share(sums + groups, groups);
    const double alpha = state[BICGSTAB_ALPHA];
    if (krylov_is_over(stop, BICGSTAB_STOP_S, BICGSTAB_STOP_X))
        return;
    const double tr = group_sum(own_tr, scratch);
    const double tt = group_sum(own_tt, scratch);
    const double omega = tt == 0 ? 0 : krylov_ratio(tr, tt);
    const bool sound = isfinite(tr) && isfinite(tt) && isfinite(omega);
    if (krylov_is_lead()) {
        krylov_decide(state, stop, BICGSTAB_STOP_X,
                      sound ? 0 : KRYLOV_NOT_FINITE);
        state[BICGSTAB_OMEGA] = omega;
    }
    if (!sound)
        return;
    double r0r = 0, rr = 0;
    for (RANGE(i, n)) {
        const double r0_i = r0[i], r_i = r[i] - omega * t[i];
        x[i] += alpha * y[i] + omega * z[i];
        r[i] = r_i;
        r0r += r0_i * r_i;
        rr += r_i * r_i;
    }
    r0r = group_sum(r0r, scratch);
    rr = group_sum(rr, scratch);
    if (get_local_id(0) == 0) {
        next[get_group_id(0)] = r0r;
        next[groups + get_group_id(0)] = rr;
    }
}
