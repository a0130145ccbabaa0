// SPDX-License-Identifier: BSD-3-Clause
// Vector kernels of preconditioned pipelined CG (Ghysels and Vanroose, Parallel
// Computing 40 (2014), Algorithm 4): one kernel per iteration, after one
// product with A and one with M^-1 that need none of the sums:
//
//     u = M^-1 r,  w = A u          (in exact arithmetic)
//     [m = M^-1 w;  v = A m]        while <r, u>, <w, u>, <r, r> are added up
//     beta = <r, u> / <r, u>'
//     alpha = <r, u> / (<w, u> - beta <r, u> / alpha')
//     z = v + beta z,  q = m + beta q,  s = w + beta s,  x = x + alpha' p,
//     p = u + beta p,  r = r - alpha s,  u = u - alpha q,  w = w - alpha z
//
// and the three sums of the new r, u and w: one reduction per iteration. The
// update of x is deferred by one iteration as in cg.cl, also what ends the
// method is as there: <w, u> - beta <r, u> / alpha' is <p, A p>. Without
// preconditioner u is r, m is w and q is s. The kernel moves 18 vectors, or 11
// without preconditioner, CG's two kernels 8 or 9.
#include "cg_pipelined.cl.h"
#include "krylov.cl.h"

// The sums of a work-item over its share of the vectors.
struct dots {
    double ru, wu, rr;
};

static inline struct dots no_dots(void)
{
    const struct dots none = {0, 0, 0};
    return none;
}

static inline void add_dots(struct dots *d, double r, double u, double w)
{
    d->ru += r * u;
    d->wu += w * u;
    d->rr += r * r;
}

INLINE void store_dots(struct dots own, global double *sums,
                       local double *scratch)
{
    const uint groups = get_num_groups(0), g = get_group_id(0);
    const double ru = group_sum(own.ru, scratch);
    const double wu = group_sum(own.wu, scratch);
    const double rr = group_sum(own.rr, scratch);
    if (get_local_id(0) != 0)
        return;
    sums[g] = ru;
    sums[groups + g] = wu;
    sums[2 * groups + g] = rr;
}

// The partial sums of iteration 0; with `plain` u is r.
WORK_GROUP
kernel void cg_pipelined_dots(long n, int plain,
                              global const double *restrict r,
                              global const double *restrict u,
                              global const double *restrict w,
                              global double *restrict sums)
{
    local double scratch[LCL_GROUP];
    struct dots own = no_dots();
    for (RANGE(i, n))
        add_dots(&own, r[i], plain ? r[i] : u[i], w[i]);
    store_dots(own, sums, scratch);
}

struct scalars {
    double gamma, alpha; // of an iteration
};

static inline int judge(int it, double rr, double limit, double curvature,
                        struct scalars now, struct scalars before)
{
    if (!isfinite(rr))
        return KRYLOV_NOT_FINITE;
    if (rr <= limit)
        return KRYLOV_CONVERGED;
    if (!isfinite(now.gamma))
        return KRYLOV_NOT_FINITE;
    if (!krylov_is_definite(it, now.gamma, before.gamma))
        return KRYLOV_INDEFINITE_M;
    if (!isfinite(curvature))
        return KRYLOV_NOT_FINITE;
    return isfinite(now.alpha) &&
                   krylov_is_definite(it, now.alpha, before.alpha)
               ? 0
               : KRYLOV_INDEFINITE_A;
}

// `sums` holds three rows of `count` partial sums, of <r, u>, <w, u> and
// <r, r>; `next` receives those of the new vectors, one per group. `limit` is
// the squared tolerance. p, q, s and z are 0 before iteration 0. With `plain`
// the kernel does not touch m, q and u. The stopping flags alternate, so that
// no group reads what the lead of this launch writes.
WORK_GROUP
kernel void cg_pipelined(int it, long n, double limit, int count, int plain,
                         global const double *restrict sums,
                         global double *restrict next,
                         global const double *restrict v,
                         global const double *restrict m,
                         global double *restrict z, global double *restrict q,
                         global double *restrict s, global double *restrict p,
                         global double *restrict x, global double *restrict r,
                         global double *restrict u, global double *restrict w,
                         global double *state, global int *stop)
{
    local double scratch[LCL_GROUP];
    const double own_ru = krylov_share(sums, count);
    const double own_wu = krylov_share(sums + count, count);
    const double own_rr = krylov_share(sums + 2 * count, count);
    const struct scalars before = {
        it == 0 ? 1.0 : state[CG_PIPELINED_GAMMA + (it + 1) % 2],
        it == 0 ? 1.0 : state[CG_PIPELINED_ALPHA + (it + 1) % 2]};
    if (krylov_is_over(stop, (it + 1) % 2, it % 2))
        return;
    struct scalars now;
    now.gamma = group_sum(own_ru, scratch);
    const double wu = group_sum(own_wu, scratch);
    const double rr = group_sum(own_rr, scratch);
    const double beta = it == 0 ? 0.0 : now.gamma / before.gamma;
    const double curvature = wu - beta * (now.gamma / before.alpha);
    now.alpha = krylov_ratio(now.gamma, curvature);
    const double residual = krylov_residual(state, rr);
    const int reason = judge(it, residual, limit, curvature, now, before);
    if (krylov_is_lead()) {
        krylov_decide(state, stop, it % 2, reason);
        krylov_note(state, it, residual);
        state[CG_PIPELINED_GAMMA + it % 2] = now.gamma;
        state[CG_PIPELINED_ALPHA + it % 2] = now.alpha;
    }
    if (!isfinite(rr))
        return;
    if (reason) {
        for (RANGE(i, n))
            x[i] += before.alpha * p[i];
        return;
    }
    struct dots own = no_dots();
    for (RANGE(i, n)) {
        const double p_i = p[i];
        const double s_i = w[i] + beta * s[i], z_i = v[i] + beta * z[i];
        const double r_i = r[i] - now.alpha * s_i;
        const double w_i = w[i] - now.alpha * z_i;
        double u_i = r_i;
        x[i] += before.alpha * p_i;
        if (plain) {
            p[i] = r[i] + beta * p_i;
        } else {
            const double q_i = m[i] + beta * q[i];
            u_i = u[i] - now.alpha * q_i;
            p[i] = u[i] + beta * p_i;
            q[i] = q_i;
            u[i] = u_i;
        }
        s[i] = s_i;
        z[i] = z_i;
        r[i] = r_i;
        w[i] = w_i;
        add_dots(&own, r_i, u_i, w_i);
    }
    store_dots(own, next, scratch);
}
