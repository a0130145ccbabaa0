// SPDX-License-Identifier: BSD-3-Clause
// The small kernels of GMRES around the passes of gmres.cl; Saad and Schultz,
// SIAM J. Sci. Stat. Comput. 7 (1986). A cycle starts with gmres_begin. Step j,
// which computes column j of the Hessenberg matrix and residual it + 1, is
//
//     [z = M^-1 v;  w = A z]
//     gmres_dots, gmres_reduce:  h1 = V^T w
//     gmres_orthogonalise:       w = w - V h1;  partial sums of h2, <w, w>
//     gmres_step:                h = h1 + h2;  nu^2 = <w, w> - <h2, h2>
//                                rotations turn (h, nu) into column j of R
//                                g_{j+1} = -s g_j, residual norm |g_{j+1}|
//     gmres_extend:              v = (w - V h2) / nu
//
// By modified Gram-Schmidt the first pass is gmres_modified.cl's and h2 = 0.
//
// and the cycle ends with gmres_solve: y = R^-1 g;  x = x + M^-1 V y
// (FGMRES: x + Z y).
//
// nu is computed by Pythagoras: h2 is of the size of rounding errors, so that
// there is no cancellation unless w lies in the span of V to the precision of
// V. In that case the space is exhausted: nu = 0. If column j is regular, the
// residual is 0, too; if not, A M^-1 is singular and the column is left out.
//
// gmres_step and gmres_solve run in one group. A stopped kernel changes
// nothing.
#include "gmres.cl.h"

// Squared ratio of the remainder of w to its original size at which the
// remainder is rounding error.
#define EXHAUSTED_2 (16 * KRYLOV_TINY * KRYLOV_TINY)
// Ratio of a pivot of an exhausted space to the size of w at which the pivot is
// rounding error.
#define SINGULAR (64 * KRYLOV_TINY)

// The second half of `sums` holds `groups` partial sums of <r, r>.
WORK_GROUP
kernel void gmres_begin(int it, int m, long n, double limit, int groups,
                        global const double *sums, global const double *r,
                        global stored *V, global double *v, global double *h,
                        global double *state, global int *stop)
{
    local double scratch[LCL_GROUP];
    if (krylov_is_over(stop, GMRES_STOP_STEP, GMRES_STOP_BEGIN))
        return;
    const double rr = group_sum(krylov_share(sums + groups, groups), scratch);
    const double beta = sqrt(rr), scale = krylov_ratio(1, beta);
    const double residual = krylov_residual(state, rr);
    const int reason = !isfinite(rr)       ? KRYLOV_NOT_FINITE
                       : residual <= limit ? KRYLOV_CONVERGED
                                           : 0;
    if (krylov_is_lead()) {
        krylov_decide(state, stop, GMRES_STOP_BEGIN, reason);
        if (it == 0)
            krylov_note(state, it, residual);
        else
            state[GMRES_RESTARTS] += 1;
        state[GMRES_COLUMNS] = 0;
        state[GMRES_START] = rr;
        h[GMRES_RIGHT_SIDE(m)] = beta;
    }
    if (reason)
        return;
    for (RANGE(i, n)) {
        const stored first = STORED(scale * r[i]);
        V[i] = first;
        v[i] = first;
    }
}

// Word `group` of h is the sum of row `group`.
WORK_GROUP
kernel void gmres_reduce(int groups, global const double *sums,
                         global double *h, global const int *stop, int at)
{
    local double scratch[LCL_GROUP];
    if (stop[at])
        return;
    const long row = get_group_id(0);
    const double v =
        group_sum(krylov_share(sums + row * groups, groups), scratch);
    if (get_local_id(0) == 0)
        h[GMRES_H1 + row] = v;
}

// to[i] = from[i], i < count
INLINE void fetch(local double *to, global const double *from, int count)
{
    for (EACH(i, first, count)) {
        const double v = from[min(i, count - 1)];
        if (i < count)
            to[i] = v;
    }
}

// Column j and the rotations applied to it, by one item: they are sequential.
struct column {
    double h[LIMIT + 1], cosine[LIMIT], sine[LIMIT]; // of previous columns
    double g, next_g, inv_nu, nu;
    double ratio; // of the residual that the tolerance is for to <r, r>
    int reason;
};

// h = h1 + h2, h2 = 0 unless there was a second pass; returns nu^2, or 0 if it
// is rounding error. *total is <A z, A z>.
INLINE double take_sums(local struct column *w, int j, int m, int second_pass,
                        global double *h, double *total, local double *scratch)
{
    double first = 0, second = 0;
    local double *h1 = w->sine, *h2 = w->h;
    fetch(h1, h + GMRES_H1, j + 1);
    GROUP_BARRIER();
    for (EACH(k, from, j + 1)) {
        const double a = h1[min(k, j)];
        const double b = second_pass ? h2[min(k, j + 1)] : 0;
        if (k <= j) {
            first += a * a;
            second += b * b;
            h[GMRES_H2(m) + k] = b;
            h2[k] = a + b;
        }
    }
    const double ww = w->h[j + 1];
    const double left = ww - group_sum(second, scratch);
    *total = group_sum(first, scratch) + ww;
    GROUP_BARRIER();
    fetch(w->cosine, h + GMRES_COSINE(m), j);
    fetch(w->sine, h + GMRES_SINE(m), j);
    const bool spent =
        left <= 0.5 * ww || left <= (j + 1) * EXHAUSTED_2 * *total;
    return spent ? 0 : left;
}

// One item only: applies the rotations of the previous columns, then the one
// that eliminates nu.
INLINE void rotate(local struct column *w, int j, double left, double total,
                   double limit)
{
    double t = w->h[0];
    for (int i = 0; i < j; ++i) {
        const double c = w->cosine[i], s = w->sine[i], next = w->h[i + 1];
        w->h[i] = c * t + s * next;
        t = c * next - s * t;
    }
    const double pivot = sqrt(t * t + left), nu = sqrt(left);
    const double c = krylov_ratio(t, pivot), s = krylov_ratio(nu, pivot);
    const double least = (j + 1) * SINGULAR * sqrt(total);
    w->h[j] = pivot;
    w->cosine[j] = c;
    w->sine[j] = s;
    w->next_g = -s * w->g;
    w->g *= c;
    w->nu = nu;
    w->inv_nu = left > 0 ? krylov_ratio(1, nu) : 0;
    w->reason = !isfinite(total) || !isfinite(pivot) ? KRYLOV_NOT_FINITE
                : left == 0 && pivot <= least        ? KRYLOV_BREAKDOWN_SPACE
                : w->next_g * w->next_g * w->ratio <= limit ? KRYLOV_CONVERGED
                                                            : 0;
}

// Stores the scalars for later kernels, and the residual: all items read, the
// lead writes.
INLINE void keep_step(local const struct column *w, int it, int j, int m,
                      global double *h, global double *state, global int *stop)
{
    const double c = w->cosine[j], s = w->sine[j], g = w->g, next = w->next_g;
    const double inv_nu = w->inv_nu, nu = w->nu, ratio = w->ratio;
    const int reason = w->reason;
    const bool sound = reason == 0 || reason == KRYLOV_CONVERGED;
    if (krylov_is_lead()) {
        state[GMRES_INV_NU] = inv_nu;
        state[GMRES_EXHAUSTED] = nu == 0;
        krylov_decide(state, stop, GMRES_STOP_STEP, reason);
    }
    if (krylov_is_lead() && sound) {
        state[GMRES_COLUMNS] = j + 1;
        krylov_note(state, it + 1, next * next * ratio);
        h[GMRES_COSINE(m) + j] = c;
        h[GMRES_SINE(m) + j] = s;
        h[GMRES_RIGHT_SIDE(m) + j] = g;
        h[GMRES_RIGHT_SIDE(m) + j + 1] = next;
    }
}

// `sums` holds j + 2 rows; `before` is the stopping flag of the preceding
// kernel.
WORK_GROUP
kernel void gmres_step(int it, int j, int m, int second_pass, double limit,
                       int groups, global const double *sums, global double *h,
                       global double *state, global int *stop, int before)
{
    local double scratch[LCL_GROUP];
    local struct column w;
    if (before == GMRES_STOP_STEP
            ? stop[before]
            : krylov_is_over(stop, before, GMRES_STOP_STEP))
        return;
    const double g = h[GMRES_RIGHT_SIDE(m) + j], other = state[KRYLOV_NORM];
    const double ratio =
        other > 0 ? krylov_ratio(other, state[GMRES_START]) : 1;
    krylov_sum_rows(j + 2, groups, sums, w.h, scratch);
    GROUP_BARRIER();
    double total;
    const double left = take_sums(&w, j, m, second_pass, h, &total, scratch);
    GROUP_BARRIER();
    if (get_local_id(0) == 0) {
        w.g = g;
        w.ratio = ratio;
        rotate(&w, j, left, total, limit);
    }
    GROUP_BARRIER_GLOBAL();
    keep_step(&w, it, j, m, h, state, stop);
    for (EACH(i, first, j + 1)) {
        const double h_i = w.h[min(i, j)];
        if (i <= j)
            h[GMRES_COLUMN(m, j) + i] = h_i;
    }
}

// y of the first k columns; all zeros if one of its entries overflows.
WORK_GROUP
kernel void gmres_solve(int k, int m, global double *h, global const int *stop,
                        int at)
{
    local double scratch[LCL_GROUP], y[LIMIT];
    if (stop[at])
        return;
    fetch(y, h + GMRES_RIGHT_SIDE(m), k);
    GROUP_BARRIER();
    for (int j = k - 1; j >= 0; --j) {
        global const double *r = h + GMRES_COLUMN(m, j);
        const double y_j = krylov_ratio(y[j], r[j]);
        GROUP_BARRIER();
        for (EACH(i, first, j + 1)) {
            const double r_i = r[min(i, j)];
            if (i <= j)
                y[i] = i < j ? y[i] - r_i * y_j : y_j;
        }
        GROUP_BARRIER();
    }
    double bad = 0;
    for (EACH(i, first, k))
        bad += i < k && !isfinite(y[min(i, k - 1)]) ? 1 : 0;
    bad = group_sum(bad, scratch);
    for (EACH(i, first, k)) {
        const double y_i = bad > 0 ? 0 : y[min(i, k - 1)];
        if (i < k)
            h[GMRES_SOLUTION(m) + i] = y_i;
    }
}

// x = x + z
WORK_GROUP
kernel void gmres_add(long n, global const double *z, global double *x,
                      global const int *stop, int at)
{
    if (stop[at])
        return;
    for (RANGE(i, n))
        x[i] += z[i];
}
