// SPDX-License-Identifier: BSD-3-Clause
// The shadow vectors P of IDR(s), and its outer step; see idr.cl.h for the
// cycle.
//
//     idr_shadow:  creates P
//     idr_dot:     <p_j, t>, <t, t>
//     idr_products: <t, r>, <t, t>
//     idr_omega:   the outer step and <p_j, r>, <r, r>
//     idr_last:    tests the last <r, r>
//
// P is stored as one word per row: the magnitude of the row's entries, in
// [1, 2), and one sign bit per vector. In each block of w = 1, 2, 4, 8 >= s
// consecutive rows the signs are Walsh functions, permuted by a pseudo-random
// number per block and multiplied by a pseudo-random sign per row, so that the
// singular values of P lie within a factor of 2 of each other. The magnitudes
// vary because sums of signs alone vanish by chance for right-hand sides with a
// few equal entries.
#include "idr.cl.h"

#define WAVES (LCL_GROUP / LCL_WIDTH)

// If the cosine of the angle between r and t is below this, the outer step is
// longer than the one that minimises the residual.
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
    const ulong rows = IDR_S <= 1 ? 1 : IDR_S <= 2 ? 2 : IDR_S <= 4 ? 4 : 8;
    for (RANGE(i, n)) {
        const ulong own = mixed(2 * (ulong)i + 2);
        const ulong block = mixed(2 * ((ulong)i / rows) + 1);
        const uint signs = walsh((uint)(((ulong)i ^ block) % rows));
        words[i] =
            ((uint)(own >> 32) & ~0xffu) | (signs ^ (own & 1 ? 0xffu : 0u));
    }
}

// dots[j] = dots[j] + p_j v of one row; dots[s] = dots[s] + v^2
static inline void add_dots(double *dots, uint word, double v)
{
    const ulong sized = as_ulong(v * (double)as_float(0x3f800000u | word >> 9));
    for (int j = 0; j < IDR_S; ++j)
        dots[j] += as_double(sized ^ (ulong)(word >> j & 1) << 63);
    dots[IDR_S] += v * v;
}

// ------------------------------------------------------------------- sums

// Stores the group's own sums of s + 1 rows.
INLINE void leave_sums(const double *own, global double *sums,
                       local double *parts, local double *scratch)
{
    const uint lid = get_local_id(0);
#if LCL_WIDTH > 1 && !defined(LCL_EXCHANGE_LOCAL)
# pragma unroll
#endif
    for (int j = 0; j <= IDR_S; ++j) {
        const double v = wave_sum(own[j], LCL_WIDTH, scratch);
        if (lid % LCL_WIDTH == 0)
            parts[j * WAVES + lid / LCL_WIDTH] = v;
    }
    GROUP_BARRIER();
    for (uint j = lid; j <= IDR_S; j += LCL_GROUP) {
        double v = 0;
        for (uint w = 0; w < WAVES; ++w)
            v += parts[j * WAVES + w];
        sums[j * get_num_groups(0) + get_group_id(0)] = v;
    }
}

// Rows <p_j, t> and <t, t>.
WORK_GROUP
kernel void idr_dot(long n, global const uint *restrict words,
                    global const double *restrict t,
                    global double *restrict sums, global const int *stop,
                    int at)
{
    local double scratch[LCL_GROUP], parts[WAVES * (IDR_S + 1)];
    if (stop[at])
        return;
    double dots[IDR_S + 1] = {0};
#if LCL_WIDTH > 1 && !defined(LCL_EXCHANGE_LOCAL)
# pragma unroll 4
#endif
    for (RANGE(i, n))
        add_dots(dots, words[i], t[i]);
    leave_sums(dots, sums, parts, scratch);
}

// ------------------------------------------------------------------- outer

// Rows <t, r> and <t, t>, as a product with A leaves them.
WORK_GROUP
kernel void idr_products(long n, global const double *r, global const double *t,
                         global double *sums, global const int *stop, int at)
{
    local double scratch[LCL_GROUP];
    double tr = 0, tt = 0;
    if (stop[at])
        return;
    for (RANGE(i, n)) {
        tr += t[i] * r[i];
        tt += t[i] * t[i];
    }
    tr = group_sum(tr, scratch);
    tt = group_sum(tt, scratch);
    if (get_local_id(0) == 0) {
        sums[get_group_id(0)] = tr;
        sums[get_num_groups(0) + get_group_id(0)] = tt;
    }
}

static inline double longer(double omega, double cosine)
{
    return omega * (KAPPA / clamp(cosine, KRYLOV_TINY, KAPPA));
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
    local double scratch[LCL_GROUP], parts[WAVES * (IDR_S + 1)];
    if (krylov_is_over(stop, IDR_STOP_R, IDR_STOP_O))
        return;
    const double own_rr = krylov_share(norm, groups);
    const double own_tr = krylov_share(sums, products);
    const double own_tt = krylov_share(sums + products, products);
    const double rr = group_sum(own_rr, scratch);
    const double tr = group_sum(own_tr, scratch);
    const double tt = group_sum(own_tt, scratch);
    const double most = sqrt(tt) * sqrt(rr);
    const double cosine = krylov_ratio(fabs(tr), most);
    const double omega = longer(krylov_ratio(tr, tt), cosine);
    const double residual = krylov_residual(state, rr);
    int reason = judge(residual, limit);
    if (!reason && !(isfinite(tr) && isfinite(tt)))
        reason = KRYLOV_NOT_FINITE;
    if (!reason && (fabs(tr) <= KRYLOV_TINY * most || !isfinite(omega)))
        reason = KRYLOV_BREAKDOWN_OMEGA;
    if (krylov_is_lead()) {
        krylov_decide(state, stop, IDR_STOP_O, reason);
        krylov_note(state, it, residual);
        state[IDR_OMEGA] = omega;
    }
    if (reason)
        return;
    double dots[IDR_S + 1] = {0};
    for (RANGE(i, n)) {
        const double r_i = r[i] - omega * t[i];
        x[i] += omega * y[i];
        r[i] = r_i;
        add_dots(dots, words[i], r_i);
    }
    leave_sums(dots, next, parts, scratch);
}

// Runs after the last step of the solve: <r, r> is in row `row` of `sums`; `at`
// is the stopping flag of the kernel that computed it. One group is enough.
WORK_GROUP
kernel void idr_last(int it, double limit, int groups, int row,
                     global const double *sums, global double *state,
                     global int *stop, int at)
{
    local double scratch[LCL_GROUP];
    if (krylov_is_over(stop, at, IDR_STOP_U))
        return;
    const double rr = krylov_residual(
        state,
        group_sum(krylov_share(sums + row * (long)groups, groups), scratch));
    if (krylov_is_lead()) {
        krylov_decide(state, stop, IDR_STOP_U, judge(rr, limit));
        krylov_note(state, it, rr);
    }
}
