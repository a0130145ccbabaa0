// SPDX-License-Identifier: BSD-3-Clause
// The vector work of right-preconditioned IDR(s), biorthogonal variant (van
// Gijzen and Sonneveld, ACM TOMS 38(1), 2011, Algorithm 913), s = LCL_MODE. A
// cycle is s inner steps and an outer one, each around one product with A and
// one with M^-1. P holds the shadow vectors, G and U the directions, G = A U;
// m is the s x s lower triangle of <p_i, g_j>:
//
//     idr_v:     [once a cycle]  m c = f;  v = r - sum c_j g_j
//     inner step k = 0 .. s-1:
//                [y = M^-1 v]
//     idr_u:     ||r|| is known;  u = omega y + sum_{j>=k} c_j u_j
//                [t = A u]
//     idr_dot:   h = P^T t,  <t, t>
//     idr_step:  m_kk alpha = h, rows and columns below k
//                g_k = t - sum_{j<k} alpha_j g_j,  u_k = u - sum alpha_j u_j
//                m_k = h - sum_{j<k} alpha_j m_j;  beta = f_k / m_kk
//                x = x + beta u_k;  r = r - beta g_k;  f = f - beta m_k
//                m c = f, rows and columns above k
//                v = r - sum_{j>k} c_j g_j;  <r, r>
//     outer step:
//                [y = M^-1 r;  t = A y;  <t, r>, <t, t>]
//     idr_omega: ||r|| is known;  omega = <t, r> / <t, t>, more where t is far
//                from r;  x = x + omega y;  r = r - omega t
//                f = P^T r,  <r, r>
//
// The published loop takes g_k through one dot product after the other; h and
// the triangle m give all alpha_j at once, so that g_k and u_k are corrected
// in one pass, which takes the step and starts the next one, too.
//
// A cycle is 3 s + 2 launches, s + 1 products and s + 1 applications of M^-1:
// for s = 4, 4.8 launches a product. These kernels move 2 s^2 + 12.5 s + 9.5
// vectors a cycle: for s = 4, 18.3 a product.
//
// P is not stored but for a word a row: the size of the row's entries, in
// [1, 2), and a sign for each vector. In w = 1, 2, 4, 8 >= s consecutive rows
// the signs are Walsh functions, in an order and with a common sign that are
// the block's and the row's own, so that the singular values of P lie within
// a factor of 2 of each other. The sizes are there since sums of signs alone
// vanish by chance for right-hand sides of a few equal entries.
//
// Loops over the vectors of U load one of them again, with a coefficient of 0,
// instead of none: the vectoriser of PoCL 3.1 gets loads on a condition wrong.
//
// Where a system starts, G, U and state[] are zero: m keeps the reciprocals of
// its diagonal, so that c = 0. A stopped kernel changes no vector: x is that
// of the last sound step.
#include "krylov.cl.h"

#ifndef LCL_MODE
# define LCL_MODE 4 // shadow vectors, 1 to 8
#endif
#define S     LCL_MODE
#define WAVES (LCL_GROUP / LCL_WIDTH)

// Stop flags: what has left r, u and omega.
#define STOP_R 0
#define STOP_U 1
#define STOP_O 2

// Own words of state[]: omega, c, f as even and as odd steps find it, m.
#define OMEGA   KRYLOV_OWN
#define C       (KRYLOV_OWN + 1)
#define F(k)    (C + S + (k) % 2 * S)
#define M(i, j) (C + 3 * S + (i)*S + (j))

// Where the cosine of the angle between r and t is below this, the outer step
// is made longer than the shortest residual has it.
#define KAPPA 0.7

// ------------------------------------------------------------------- shadow

static inline ulong mixed(ulong x)
{
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15UL;
    x = (x ^ x >> 29) * 0xd1342543de82ef95UL;
    return x ^ x >> 32;
}

// Bit j: the sign of Walsh function `row` at j.
static inline uint walsh(uint row)
{
    return (row & 1 ? 0xaau : 0u) ^ (row & 2 ? 0xccu : 0u) ^
           (row & 4 ? 0xf0u : 0u);
}

WORK_GROUP
kernel void idr_shadow(long n, global uint *words)
{
    const ulong rows = S <= 1 ? 1 : S <= 2 ? 2 : S <= 4 ? 4 : 8;
    for (RANGE(i, n)) {
        const ulong own = mixed(2 * (ulong)i + 2);
        const ulong block = mixed(2 * ((ulong)i / rows) + 1);
        const uint signs = walsh((uint)(((ulong)i ^ block) % rows));
        words[i] =
            ((uint)(own >> 32) & ~0xffu) | (signs ^ (own & 1 ? 0xffu : 0u));
    }
}

// dots[j] = dots[j] + p_j v of one row; dots[S] = dots[S] + v^2
static inline void add_dots(double *dots, uint word, double v)
{
    const ulong sized = as_ulong(v * (double)as_float(0x3f800000u | word >> 9));
    for (int j = 0; j < S; ++j)
        dots[j] += as_double(sized ^ (ulong)(word >> j & 1) << 63);
    dots[S] += v * v;
}

// ------------------------------------------------------------------- sums

// The group's own sums of S + 1 rows.
INLINE void leave_sums(const double *own, global double *sums,
                       local double *parts, local double *scratch)
{
    const uint lid = get_local_id(0);
#if LCL_WIDTH > 1 && !defined(LCL_EXCHANGE_LOCAL)
# pragma unroll
#endif
    for (int j = 0; j <= S; ++j) {
        const double v = wave_sum(own[j], LCL_WIDTH, scratch);
        if (lid % LCL_WIDTH == 0)
            parts[j * WAVES + lid / LCL_WIDTH] = v;
    }
    GROUP_BARRIER();
    for (uint j = lid; j <= S; j += LCL_GROUP) {
        double v = 0;
        for (uint w = 0; w < WAVES; ++w)
            v += parts[j * WAVES + w];
        sums[j * get_num_groups(0) + get_group_id(0)] = v;
    }
}

// ------------------------------------------------------------------- small

// What the items of a group agree on.
struct small {
    double m[S * S], h[S + 1], f[S], alpha[S], c[S];
    double beta;
    int reason;
};

// m but for column `but`, which this launch writes.
INLINE void load_triangle(local struct small *w, global const double *state,
                          uint but)
{
    for (uint e = get_local_id(0); e < S * S; e += LCL_GROUP)
        if (e % S != but)
            w->m[e] = state[M(0, 0) + e];
}

// x = m^-1 b for rows and columns from .. to-1, in place
INLINE void solve_triangle(local const struct small *w, local double *x,
                           int from, int to)
{
    for (int i = from; i < to; ++i) {
        double v = x[i];
        for (int j = from; j < i; ++j)
            v -= w->m[i * S + j] * x[j];
        x[i] = v * w->m[i * S + i];
    }
}

static inline int judge(double rr, double limit)
{
    return !isfinite(rr) ? KRYLOV_NOT_FINITE
           : rr <= limit ? KRYLOV_CONVERGED
                         : 0;
}

// `sums` holds the rows <p_j, r>.
WORK_GROUP
kernel void idr_v(long n, int groups, global const double *restrict sums,
                  global const double *restrict r,
                  global const double *restrict G, global double *restrict v,
                  global double *state, global int *stop)
{
    local double scratch[LCL_GROUP];
    local struct small w;
    if (krylov_is_over(stop, STOP_O, STOP_R))
        return;
    krylov_sum_rows(S, groups, sums, w.c, scratch);
    load_triangle(&w, state, S);
    GROUP_BARRIER();
    for (int i = 0; i < S && krylov_is_lead(); ++i)
        state[F(0) + i] = w.c[i];
    if (get_local_id(0) == 0)
        solve_triangle(&w, w.c, 0, S);
    for (int i = 0; i < S && krylov_is_lead(); ++i)
        state[C + i] = w.c[i];
    GROUP_BARRIER();
    for (RANGE(i, n)) {
        double g[S], v_i = r[i];
        for (int j = 0; j < S; ++j)
            g[j] = G[j * n + i];
        for (int j = 0; j < S; ++j)
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
    local double scratch[LCL_GROUP], c[S];
    if (krylov_is_over(stop, STOP_R, STOP_U))
        return;
    for (uint j = get_local_id(0); j < S; j += LCL_GROUP)
        c[j] = j < (uint)k ? 0 : state[C + j];
    GROUP_BARRIER();
    const double rr =
        group_sum(krylov_share(sums + row * (long)groups, groups), scratch);
    const int reason = judge(rr, limit);
    if (krylov_is_lead()) {
        krylov_decide(state, stop, STOP_U, reason);
        krylov_note(state, it, rr);
    }
    if (reason)
        return;
    const double omega = it < S ? 1 : state[OMEGA];
    for (RANGE(i, n)) {
        double u_i = omega * y[i], old[S];
        for (int j = 0; j < S; ++j)
            old[j] = U[max(j, k) * n + i];
        for (int j = 0; j < S; ++j)
            u_i += c[j] * old[j];
        u[i] = u_i;
    }
}

// Rows <p_j, t> and <t, t>.
WORK_GROUP
kernel void idr_dot(long n, global const uint *restrict words,
                    global const double *restrict t,
                    global double *restrict sums, global const int *stop,
                    int at)
{
    local double scratch[LCL_GROUP], parts[WAVES * (S + 1)];
    if (stop[at])
        return;
    double dots[S + 1] = {0};
#if LCL_WIDTH > 1 && !defined(LCL_EXCHANGE_LOCAL)
# pragma unroll 4
#endif
    for (RANGE(i, n))
        add_dots(dots, words[i], t[i]);
    leave_sums(dots, sums, parts, scratch);
}

// By one item: alpha, column k of m in h, beta, and c for the step after.
INLINE void solve_small(local struct small *w, int k, long n)
{
    for (int i = 0; i < S; ++i) {
        w->alpha[i] = i < k ? w->h[i] : 0;
        w->c[i] = 0;
    }
    solve_triangle(w, w->alpha, 0, k);
    for (int i = k; i < S; ++i) {
        double v = w->h[i];
        for (int j = 0; j < k; ++j)
            v -= w->m[i * S + j] * w->alpha[j];
        w->h[i] = v;
    }
    const double pivot = w->h[k], tt = w->h[S];
    const double beta = w->f[k] / pivot;
    w->beta = beta;
    w->reason = !isfinite(tt) || !isfinite(pivot) ? KRYLOV_NOT_FINITE
                : fabs(pivot) <= KRYLOV_TINY * sqrt(tt) * sqrt((double)n) ||
                        !isfinite(beta) || !isfinite(1 / pivot)
                    ? KRYLOV_BREAKDOWN_ALPHA
                    : 0;
    for (int i = k + 1; i < S; ++i)
        w->c[i] = w->f[i] = w->f[i] - beta * w->h[i];
    solve_triangle(w, w->c, k + 1, S);
}

// By the lead: what later kernels need.
INLINE void keep_small(local const struct small *w, int k, global double *state,
                       global int *stop)
{
    krylov_decide(state, stop, STOP_R, w->reason);
    state[M(k, k)] = 1 / w->h[k];
    for (int i = k + 1; i < S; ++i) {
        state[M(i, k)] = w->h[i];
        state[F(k + 1) + i] = w->f[i];
        state[C + i] = w->c[i];
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
    if (krylov_is_over(stop, STOP_U, STOP_R))
        return;
    krylov_sum_rows(S + 1, groups, sums, w.h, scratch);
    load_triangle(&w, state, (uint)k);
    for (uint i = k + get_local_id(0); i < S; i += LCL_GROUP)
        w.f[i] = state[F(k) + i];
    GROUP_BARRIER();
    if (get_local_id(0) == 0)
        solve_small(&w, k, n);
    GROUP_BARRIER();
    if (krylov_is_lead())
        keep_small(&w, k, state, stop);
    if (w.reason)
        return;
    // read from local memory in each turn: registers are what runs short here
    volatile local const double *alpha = w.alpha, *c = w.c + 1;
    const double beta = w.beta;
    double rr = 0;
    for (RANGE(i, n)) {
        double g[S], old[S]; // the S - 1 other vectors, in order
        double g_k = t[i], u_k = u[i], r_i = r[i], x_i = x[i];
        for (int j = 0; j < S - 1; ++j) {
            g[j] = G[(j + (j >= k)) * n + i];
            old[j] = U[min(j, max(k - 1, 0)) * n + i];
        }
        for (int j = 0; j < S - 1; ++j) {
            g_k -= alpha[j] * g[j];
            u_k -= alpha[j] * old[j];
        }
        r_i -= beta * g_k;
        G[k * n + i] = g_k;
        U[k * n + i] = u_k;
        x[i] = x_i + beta * u_k;
        r[i] = r_i;
        rr += r_i * r_i;
        for (int j = 0; j < S - 1; ++j)
            r_i -= c[j] * g[j];
        if (k + 1 < S)
            v[i] = r_i;
    }
    rr = group_sum(rr, scratch);
    if (get_local_id(0) == 0)
        norm[get_group_id(0)] = rr;
}

static inline double longer(double omega, double cosine)
{
    return cosine < KAPPA ? omega * (KAPPA / cosine) : omega;
}

// `norm` holds <r, r>, `sums` <t, r> and <t, t> of `products` groups; `next`
// receives rows <p_j, r> and <r, r>.
WORK_GROUP
kernel void idr_omega(int it, long n, double limit, int groups,
                      global const double *restrict norm, int products,
                      global const double *restrict sums,
                      global const uint *restrict words,
                      global const double *restrict y,
                      global const double *restrict t,
                      global double *restrict x, global double *restrict r,
                      global double *restrict next, global double *state,
                      global int *stop)
{
    local double scratch[LCL_GROUP], parts[WAVES * (S + 1)];
    if (krylov_is_over(stop, STOP_R, STOP_O))
        return;
    const double own_rr = krylov_share(norm, groups);
    const double own_tr = krylov_share(sums, products);
    const double own_tt = krylov_share(sums + products, products);
    const double rr = group_sum(own_rr, scratch);
    const double tr = group_sum(own_tr, scratch);
    const double tt = group_sum(own_tt, scratch);
    const double most = sqrt(tt) * sqrt(rr);
    const double omega = longer(tr / tt, fabs(tr) / most);
    int reason = judge(rr, limit);
    if (!reason && !(isfinite(tr) && isfinite(tt)))
        reason = KRYLOV_NOT_FINITE;
    if (!reason && (fabs(tr) <= KRYLOV_TINY * most || !isfinite(omega)))
        reason = KRYLOV_BREAKDOWN_OMEGA;
    if (krylov_is_lead()) {
        krylov_decide(state, stop, STOP_O, reason);
        krylov_note(state, it, rr);
        state[OMEGA] = omega;
    }
    if (reason)
        return;
    double dots[S + 1] = {0};
    for (RANGE(i, n)) {
        const double r_i = r[i] - omega * t[i];
        x[i] += omega * y[i];
        r[i] = r_i;
        add_dots(dots, words[i], r_i);
    }
    leave_sums(dots, next, parts, scratch);
}

// After the last step of all: <r, r> is in row `row` of `sums`; `at` is the
// stop flag of the kernel that left it. One group is enough.
WORK_GROUP
kernel void idr_last(int it, double limit, int groups, int row,
                     global const double *sums, global double *state,
                     global int *stop, int at)
{
    local double scratch[LCL_GROUP];
    if (krylov_is_over(stop, at, STOP_U))
        return;
    const double rr =
        group_sum(krylov_share(sums + row * (long)groups, groups), scratch);
    if (krylov_is_lead()) {
        krylov_decide(state, stop, STOP_U, judge(rr, limit));
        krylov_note(state, it, rr);
    }
}
