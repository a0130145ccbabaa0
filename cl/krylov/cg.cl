// SPDX-License-Identifier: BSD-3-Clause
// Vector kernels of preconditioned CG (Hestenes and Stiefel 1952): two kernels
// per iteration around one product with A and one with M^-1:
//
//                   [z = M^-1 r;  <r, z>]
//     cg_p:  beta = <r, z> / <r, z>';  x = x + alpha p;  p = z + beta p
//            [v = A p;  <p, v>]
//     cg_r:  alpha = <r, z> / <p, v>;  r = r - alpha v;  <r, r>
//
// Without preconditioner z is r: the kernels move 8 vectors besides the
// product. The update of x is deferred to cg_p, which reads p anyway; x then
// belongs to the recorded residual and does not include a step that the
// recurrence has not finished. A and M may be negative definite: CG then takes
// the same steps as for -A and -M. What must not change are the signs of
// <r, z> and alpha.
#include "cg.cl.h"
#include "krylov.cl.h"

// With `plain`, rho is <r, r> and the last one may belong to M: no signs.
static inline int judge_p(int it, int plain, double rho, double old_rho,
                          double rr, double limit)
{
    if (!isfinite(rr))
        return KRYLOV_NOT_FINITE;
    if (rr <= limit)
        return KRYLOV_CONVERGED;
    if (!isfinite(rho))
        return KRYLOV_NOT_FINITE;
    return plain || krylov_is_definite(it, rho, old_rho) ? 0
                                                         : KRYLOV_INDEFINITE_M;
}

// `sums` holds the partial sums of <r, z> of `groups` groups and, in its second
// half, of <r, r>; with `plain` z is r. `limit` is the squared tolerance.
// Iteration 0 has no deferred update of x.
WORK_GROUP
kernel void cg_p(int it, long n, double limit, int groups, int plain,
                 global const double *restrict sums,
                 global const double *restrict z, global double *restrict p,
                 global double *restrict x, global double *state,
                 global int *stop)
{
    local double scratch[LCL_GROUP];
    const double own_rr = krylov_share(sums + groups, groups);
    const double own_rho = plain ? own_rr : krylov_share(sums, groups);
    const double alpha = state[CG_ALPHA + (it + 1) % 2];
    const double old_rho = state[CG_RHO + (it + 1) % 2];
    if (krylov_is_over(stop, CG_STOP_R, CG_STOP_P))
        return;
    const double rr = group_sum(own_rr, scratch);
    const double rho = plain ? rr : group_sum(own_rho, scratch);
    const double residual = krylov_residual(state, rr);
    const double beta = rho / (it == 0 ? 1.0 : old_rho);
    const int reason = judge_p(it, plain, rho, old_rho, residual, limit);
    if (krylov_is_lead()) {
        krylov_decide(state, stop, CG_STOP_P, reason);
        krylov_note(state, it, residual);
        state[CG_RHO + it % 2] = rho;
        if (it > 0)
            state[CG_ENERGY] += fabs(alpha * old_rho);
    }
    if (!isfinite(rr) || (reason && it == 0))
        return;
    if (it == 0) {
        for (RANGE(i, n))
            p[i] = z[i];
    } else if (reason) {
        for (RANGE(i, n))
            x[i] += alpha * p[i];
    } else {
        for (RANGE(i, n)) {
            const double p_i = p[i];
            x[i] += alpha * p_i;
            p[i] = z[i] + beta * p_i;
        }
    }
}

// `sums` holds <p, v>; the second half of `next` receives <r, r>. If alpha
// overflows, the curvature of A along p is indistinguishable from 0.
WORK_GROUP
kernel void cg_r(int it, long n, int groups, global const double *restrict sums,
                 global const double *restrict v, global double *restrict r,
                 global double *restrict next, global double *state,
                 global int *stop)
{
    local double scratch[LCL_GROUP];
    const double own_pv = krylov_share(sums, groups);
    const double rho = state[CG_RHO + it % 2];
    const double old_alpha = state[CG_ALPHA + (it + 1) % 2];
    if (krylov_is_over(stop, CG_STOP_P, CG_STOP_R))
        return;
    const double pv = group_sum(own_pv, scratch);
    const double alpha = krylov_ratio(rho, pv);
    const bool definite =
        isfinite(alpha) && krylov_is_definite(it, alpha, old_alpha);
    const int reason = !isfinite(pv) ? KRYLOV_NOT_FINITE
                       : definite    ? 0
                                     : KRYLOV_INDEFINITE_A;
    if (krylov_is_lead()) {
        krylov_decide(state, stop, CG_STOP_R, reason);
        state[CG_ALPHA + it % 2] = alpha;
    }
    if (reason)
        return;
    double rr = 0;
    for (RANGE(i, n)) {
        const double r_i = r[i] - alpha * v[i];
        r[i] = r_i;
        rr += r_i * r_i;
    }
    rr = group_sum(rr, scratch);
    if (get_local_id(0) == 0)
        next[groups + get_group_id(0)] = rr;
}
