// SPDX-License-Identifier: BSD-3-Clause
// The inner steps of IDR(s); see idr.cl.h for the cycle.
//
//     idr_v:     v of the first step
//     idr_u:     u, before the product with A
//     idr_step:  the step after that product, and v of the next step
//
// The published loop corrects g_k by one dot product after the other. Here h
// and the triangle m give all alpha_j at once, so that one pass corrects g_k
// and u_k, takes the step and starts the next one.
//
// Loops over the vectors of U load a vector again with coefficient 0 instead of
// skipping it: the vectoriser of PoCL 3.1 miscompiles conditional loads.
#include "idr.cl.h"

// ------------------------------------------------------------------- small

// The small system and its solution, shared by the items of a group.
struct small {
    double m[IDR_S * IDR_S], h[IDR_S + 1], f[IDR_S], alpha[IDR_S], c[IDR_S];
    double beta;
    int reason;
};

// Loads m except column `but`, which this launch writes.
INLINE void load_triangle(local struct small *w, global const double *state,
                          uint but)
{
    for (uint e = get_local_id(0); e < IDR_S * IDR_S; e += LCL_GROUP)
        if (e % IDR_S != but)
            w->m[e] = state[IDR_M(0, 0) + e];
}

// x = m^-1 b for rows and columns from .. to-1, in place
INLINE void solve_triangle(local const struct small *w, local double *x,
                           int from, int to)
{
    for (int i = from; i < to; ++i) {
        double v = x[i];
        for (int j = from; j < i; ++j)
            v -= w->m[i * IDR_S + j] * x[j];
        x[i] = v * w->m[i * IDR_S + i];
    }
}

// One item only: computes alpha, column k of m in h, beta, and c for the next
// step.
INLINE void solve_small(local struct small *w, int k, long n)
{
    for (int i = 0; i < IDR_S; ++i) {
        w->alpha[i] = i < k ? w->h[i] : 0;
        w->c[i] = 0;
    }
    solve_triangle(w, w->alpha, 0, k);
    for (int i = k; i < IDR_S; ++i) {
        double v = w->h[i];
        for (int j = 0; j < k; ++j)
            v -= w->m[i * IDR_S + j] * w->alpha[j];
        w->h[i] = v;
    }
    const double pivot = w->h[k], tt = w->h[IDR_S];
    const double beta = krylov_ratio(w->f[k], pivot);
    w->beta = beta;
    w->reason = !isfinite(tt) || !isfinite(pivot) ? KRYLOV_NOT_FINITE
                : fabs(pivot) <= KRYLOV_TINY * sqrt(tt) * sqrt((double)n) ||
                        !isfinite(beta) || !isfinite(krylov_ratio(1, pivot))
                    ? KRYLOV_BREAKDOWN_ALPHA
                    : 0;
    if (w->reason)
        return;
    for (int i = k + 1; i < IDR_S; ++i)
        w->c[i] = w->f[i] = w->f[i] - beta * w->h[i];
    solve_triangle(w, w->c, k + 1, IDR_S);
}

// Lead only: stores the scalars for later kernels.
INLINE void keep_small(local const struct small *w, int k, global double *state,
                       global int *stop)
{
    krylov_decide(state, stop, IDR_STOP_R, w->reason);
    state[IDR_M(k, k)] = krylov_ratio(1, w->h[k]);
    for (int i = k + 1; i < IDR_S; ++i) {
        state[IDR_M(i, k)] = w->h[i];
        state[IDR_F(k + 1) + i] = w->f[i];
        state[IDR_C + i] = w->c[i];
    }
}

// ------------------------------------------------------------------- kernels

// `sums` holds the rows <p_j, r>.
WORK_GROUP
kernel void idr_v(long n, int groups, global const double *restrict sums,
                  global const double *restrict r,
                  global const double *restrict G, global double *restrict v,
                  global double *state, global int *stop)
{
    local double scratch[LCL_GROUP];
    local struct small w;
    if (krylov_is_over(stop, IDR_STOP_O, IDR_STOP_R))
        return;
    krylov_sum_rows(IDR_S, groups, sums, w.c, scratch);
    load_triangle(&w, state, IDR_S);
    GROUP_BARRIER();
    for (int i = 0; i < IDR_S && krylov_is_lead(); ++i)
        state[IDR_F(0) + i] = w.c[i];
    if (get_local_id(0) == 0)
        solve_triangle(&w, w.c, 0, IDR_S);
    for (int i = 0; i < IDR_S && krylov_is_lead(); ++i)
        state[IDR_C + i] = w.c[i];
    GROUP_BARRIER();
    for (RANGE(i, n)) {
        double g[IDR_S], v_i = r[i];
        for (int j = 0; j < IDR_S; ++j)
            g[j] = G[j * n + i];
        for (int j = 0; j < IDR_S; ++j)
            v_i -= w.c[j] * g[j];
        v[i] = v_i;
    }
}

// Step `it` of the cycle is inner step k; <r, r> is in row `row` of `sums`.
WORK_GROUP
kernel void idr_u(int it, int k, long n, double limit, int groups, int row,
                  global const double *restrict sums,
                  global const double *restrict y,
                  global const double *restrict U, global double *restrict u,
                  global double *state, global int *stop)
{
    local double scratch[LCL_GROUP], c[IDR_S];
    if (krylov_is_over(stop, IDR_STOP_R, IDR_STOP_U))
        return;
    for (uint j = get_local_id(0); j < IDR_S; j += LCL_GROUP)
        c[j] = j < (uint)k ? 0 : state[IDR_C + j];
    GROUP_BARRIER();
    const double rr = krylov_residual(
        state,
        group_sum(krylov_share(sums + row * (long)groups, groups), scratch));
    const int reason = judge(rr, limit);
    if (krylov_is_lead()) {
        krylov_decide(state, stop, IDR_STOP_U, reason);
        krylov_note(state, it, rr);
    }
    if (reason)
        return;
    const double omega = it < IDR_S ? 1 : state[IDR_OMEGA];
    for (RANGE(i, n)) {
        double u_i = omega * y[i], old[IDR_S];
        for (int j = 0; j < IDR_S; ++j)
            old[j] = U[max(j, k) * n + i];
        for (int j = 0; j < IDR_S; ++j)
            u_i += c[j] * old[j];
        u[i] = u_i;
    }
}

// `sums` holds the rows <p_j, t> and <t, t>; `norm` receives <r, r>.
WORK_GROUP
kernel void idr_step(int k, long n, int groups,
                     global const double *restrict sums,
                     global const double *restrict t,
                     global const double *restrict u, global double *G,
                     global double *U, global double *restrict x,
                     global double *restrict r, global double *restrict v,
                     global double *restrict norm, global double *state,
                     global int *stop)
{
    local double scratch[LCL_GROUP];
    local struct small w;
    if (krylov_is_over(stop, IDR_STOP_U, IDR_STOP_R))
        return;
    krylov_sum_rows(IDR_S + 1, groups, sums, w.h, scratch);
    load_triangle(&w, state, (uint)k);
    for (uint i = k + get_local_id(0); i < IDR_S; i += LCL_GROUP)
        w.f[i] = state[IDR_F(k) + i];
    GROUP_BARRIER();
    if (get_local_id(0) == 0)
        solve_small(&w, k, n);
    GROUP_BARRIER();
    if (krylov_is_lead())
        keep_small(&w, k, state, stop);
    if (w.reason)
        return;
    // volatile: reread from local memory in each iteration to save registers
    volatile local const double *alpha = w.alpha, *c = w.c + 1;
    const double beta = w.beta;
    double rr = 0;
    for (RANGE(i, n)) {
        double g[IDR_S], old[IDR_S]; // the s - 1 other vectors, in order
        double g_k = t[i], u_k = u[i], r_i = r[i], x_i = x[i];
        for (int j = 0; j < IDR_S - 1; ++j) {
            g[j] = G[(j + (j >= k)) * n + i];
            old[j] = U[min(j, max(k - 1, 0)) * n + i];
        }
        for (int j = 0; j < IDR_S - 1; ++j) {
            g_k -= alpha[j] * g[j];
            u_k -= alpha[j] * old[j];
        }
        r_i -= beta * g_k;
        G[k * n + i] = g_k;
        U[k * n + i] = u_k;
        x[i] = x_i + beta * u_k;
        r[i] = r_i;
        rr += r_i * r_i;
        for (int j = 0; j < IDR_S - 1; ++j)
            r_i -= c[j] * g[j];
        if (k + 1 < IDR_S)
            v[i] = r_i;
    }
    rr = group_sum(rr, scratch);
    if (get_local_id(0) == 0)
        norm[get_group_id(0)] = rr;
}
