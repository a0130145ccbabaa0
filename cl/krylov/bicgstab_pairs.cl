// SPDX-License-Identifier: BSD-3-Clause
// BiCGSTAB as in bicgstab.cl for complex systems in real form: vectors are
// `pairs` pairs of real and imaginary parts, rho, alpha, beta and omega are
// complex, and <a, b> is the sum of conj(a) b. The products sum its real part;
//
//     bicgstab_pairs_cross:  the imaginary part of <a, b>
//
// runs after each of them. `im` holds a row of partial sums of the imaginary
// part beside those of the real part in `sums`.
#include "bicgstab.cl.h"
#include "bicgstab_judge.cl.h"

INLINE double2 times(double2 a, double2 b)
{
    return (double2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

// a / b, infinite if b is 0 or the quotient too large; it never divides by such
// a b, as krylov_ratio().
INLINE double2 quotient(double2 a, double2 b)
{
    const double most = fmax(fabs(b.x), fabs(b.y));
    const bool fits = most >= 0x1p-1022 && isfinite(most);
    const double scale = fits ? most : 1;
    const double2 c = fits ? b / scale : (double2)(1, 0);
    const double square = c.x * c.x + c.y * c.y;
    const double re = (a.x * c.x + a.y * c.y) / square;
    const double im = (a.y * c.x - a.x * c.y) / square;
    return fits ? (double2)(krylov_ratio(re, scale), krylov_ratio(im, scale))
                : (double2)(INFINITY, 0);
}

INLINE bool is_finite(double2 a)
{
    return isfinite(a.x) && isfinite(a.y);
}

INLINE double2 word(global const double *state, int at)
{
    return (double2)(state[at], state[at + BICGSTAB_IMAGINARY]);
}

// Lead only.
INLINE void set_word(global double *state, int at, double2 value)
{
    state[at] = value.x;
    state[at + BICGSTAB_IMAGINARY] = value.y;
}

// The larger part of a; NaN if one is not finite.
INLINE double magnitude(double2 a)
{
    return is_finite(a) ? fmax(fabs(a.x), fabs(a.y)) : NAN;
}

WORK_GROUP
kernel void bicgstab_pairs_cross(long pairs, global const double *a,
                                 global const double *b, global double *im,
                                 global const int *stop, int at)
{
    local double scratch[LCL_GROUP];
    if (stop[at])
        return;
    double sum = 0;
    for (RANGE(k, pairs)) {
        const double2 u = vload2(k, a), v = vload2(k, b);
        sum += u.x * v.y - u.y * v.x;
    }
    sum = group_sum(sum, scratch);
    if (get_local_id(0) == 0)
        im[get_group_id(0)] = sum;
}

// As bicgstab_p.
WORK_GROUP
kernel void bicgstab_pairs_p(int it, long pairs, double rr0, double limit,
                             int groups, global const double *sums,
                             global const double *im, global const double *r,
                             global const double *v, global double *p,
                             global double *state, global int *stop)
{
    local double scratch[LCL_GROUP];
    const double own_rr = krylov_share(sums + groups, groups);
    const double own_re = it == 0 ? own_rr : krylov_share(sums, groups);
    const double own_im = it == 0 ? 0 : krylov_share(im, groups);
    const double2 omega = word(state, BICGSTAB_OMEGA);
    const double2 alpha = word(state, BICGSTAB_ALPHA);
    const double2 old_rho = word(state, BICGSTAB_RHO + (it + 1) % 2);
    if (krylov_is_over(stop, BICGSTAB_STOP_X, BICGSTAB_STOP_P))
        return;
    const double rr = group_sum(own_rr, scratch);
    const double re = group_sum(own_re, scratch);
    const double2 rho = (double2)(re, group_sum(own_im, scratch));
    const double residual = krylov_residual(state, rr);
    const int reason = bicgstab_judge(it, magnitude(rho), rr, residual, rr0,
                                      limit, magnitude(omega));
    if (krylov_is_lead()) {
        krylov_decide(state, stop, BICGSTAB_STOP_P, reason);
        krylov_note(state, it, residual);
        set_word(state, BICGSTAB_RHO + it % 2, rho);
    }
    if (reason)
        return;
    if (it == 0) {
        for (RANGE(k, pairs))
            vstore2(vload2(k, r), k, p);
    } else {
        const double2 beta =
            times(quotient(rho, old_rho), quotient(alpha, omega));
        for (RANGE(k, pairs)) {
            const double2 less = vload2(k, p) - times(omega, vload2(k, v));
            vstore2(vload2(k, r) + times(beta, less), k, p);
        }
    }
}

// As bicgstab_s.
WORK_GROUP
kernel void bicgstab_pairs_s(int it, long pairs, int groups,
                             global const double *sums, global const double *im,
                             global const double *v, global double *r,
                             global double *state, global int *stop)
{
    local double scratch[LCL_GROUP];
    const double own_re = krylov_share(sums, groups);
    const double own_im = krylov_share(im, groups);
    const double2 rho = word(state, BICGSTAB_RHO + it % 2);
    if (krylov_is_over(stop, BICGSTAB_STOP_P, BICGSTAB_STOP_S))
        return;
    const double re = group_sum(own_re, scratch);
    const double2 r0v = (double2)(re, group_sum(own_im, scratch));
    const double2 alpha = quotient(rho, r0v);
    const int reason = !is_finite(r0v)     ? KRYLOV_NOT_FINITE
                       : !is_finite(alpha) ? KRYLOV_BREAKDOWN_ALPHA
                                           : 0;
    if (krylov_is_lead()) {
        krylov_decide(state, stop, BICGSTAB_STOP_S, reason);
        set_word(state, BICGSTAB_ALPHA, alpha);
    }
    if (reason)
        return;
    for (RANGE(k, pairs))
        vstore2(vload2(k, r) - times(alpha, vload2(k, v)), k, r);
}

// As bicgstab_x; `next_im` receives the imaginary part of <r0, r>.
WORK_GROUP
kernel void bicgstab_pairs_x(long pairs, int groups, global const double *sums,
                             global const double *im, global const double *y,
                             global const double *z, global const double *t,
                             global const double *r0, global double *x,
                             global double *r, global double *next,
                             global double *next_im, global double *state,
                             global int *stop)
{
    local double scratch[LCL_GROUP];
    const double own_re = krylov_share(sums, groups);
    const double own_im = krylov_share(im, groups);
    const double own_tt = krylov_share(sums + groups, groups);
    const double2 alpha = word(state, BICGSTAB_ALPHA);
    if (krylov_is_over(stop, BICGSTAB_STOP_S, BICGSTAB_STOP_X))
        return;
    const double re = group_sum(own_re, scratch);
    const double2 tr = (double2)(re, group_sum(own_im, scratch));
    const double tt = group_sum(own_tt, scratch);
    const double2 omega =
        tt == 0 ? (double2)(0, 0)
                : (double2)(krylov_ratio(tr.x, tt), krylov_ratio(tr.y, tt));
    const bool sound = is_finite(tr) && isfinite(tt) && is_finite(omega);
    if (krylov_is_lead()) {
        krylov_decide(state, stop, BICGSTAB_STOP_X,
                      sound ? 0 : KRYLOV_NOT_FINITE);
        set_word(state, BICGSTAB_OMEGA, omega);
    }
    if (!sound)
        return;
    double r0r = 0, cross = 0, rr = 0;
    for (RANGE(k, pairs)) {
        const double2 s = vload2(k, r0);
        const double2 q = vload2(k, r) - times(omega, vload2(k, t));
        vstore2(vload2(k, x) + times(alpha, vload2(k, y)) +
                    times(omega, vload2(k, z)),
                k, x);
        vstore2(q, k, r);
        r0r += s.x * q.x + s.y * q.y;
        cross += s.x * q.y - s.y * q.x;
        rr += q.x * q.x + q.y * q.y;
    }
    r0r = group_sum(r0r, scratch);
    cross = group_sum(cross, scratch);
    rr = group_sum(rr, scratch);
    if (get_local_id(0) == 0) {
        next[get_group_id(0)] = r0r;
        next[groups + get_group_id(0)] = rr;
        next_im[get_group_id(0)] = cross;
    }
}
