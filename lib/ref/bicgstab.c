// SPDX-License-Identifier: BSD-3-Clause
// Reference of BiCGSTAB: the textbook loop, vector by vector.
#include "lib/ref/bicgstab.h"

#include "host/alloc.h"
#include "lib/ref/vector.h"

#include <math.h>

struct vectors {
    int64_t n;
    double *x, *r, *r0, *p, *v, *t, *y, *z;
};

// p = r + beta (p - omega v)
static void update_p(struct vectors *w, double beta, double omega)
{
    for (int64_t i = 0; i < w->n; ++i)
        w->p[i] = w->r[i] + beta * (w->p[i] - omega * w->v[i]);
}

// One iteration; *rho is <r0, r>, before and after.
//     y = M^-1 p,  v = A y,  alpha = rho / <r0, v>,  s = r - alpha v
//     z = M^-1 s,  t = A z,  omega = <t, s> / <t, t>
//     x = x + alpha y + omega z,  r = s - omega t
//     beta = (rho' / rho) (alpha / omega),  p = r + beta (p - omega v)
static enum lcl_status step(const struct lcl_ref_bicgstab *K,
                            const struct lcl_csr *A, struct vectors *w,
                            double *rho)
{
    const int64_t n = w->n;
    K->apply(K->user, w->p, w->y);
    lcl_csr_multiply(A, w->y, w->v);
    const double alpha = *rho / lcl_ref_dot(n, w->r0, w->v);
    if (!isfinite(alpha))
        return LCL_BREAKDOWN;
    lcl_ref_axpy(n, -alpha, w->v, w->r);
    K->apply(K->user, w->r, w->z);
    lcl_csr_multiply(A, w->z, w->t);
    const double tt = lcl_ref_dot(n, w->t, w->t);
    const double omega = tt == 0 ? 0 : lcl_ref_dot(n, w->t, w->r) / tt;
    lcl_ref_axpy(n, alpha, w->y, w->x);
    lcl_ref_axpy(n, omega, w->z, w->x);
    lcl_ref_axpy(n, -omega, w->t, w->r);
    const double next = lcl_ref_dot(n, w->r0, w->r);
    update_p(w, next / *rho * (alpha / omega), omega);
    *rho = next;
    return LCL_OK;
}

static enum lcl_status iterate(struct lcl_ref_bicgstab *K,
                               const struct lcl_csr *A, struct vectors *w,
                               double norm_b)
{
    enum lcl_status st;
    double rho = lcl_ref_dot(w->n, w->r, w->r);
    for (K->iterations = 0;; ++K->iterations) {
        const double residual = sqrt(lcl_ref_dot(w->n, w->r, w->r)) / norm_b;
        K->history[K->iterations] = residual;
        if (!isfinite(residual))
            return LCL_NOT_FINITE;
        if (residual <= K->rtol)
            return LCL_OK;
        if (K->iterations == K->max_iters)
            return LCL_ITERATION_LIMIT;
        if (rho == 0)
            return LCL_BREAKDOWN;
        if ((st = step(K, A, w, &rho)) != LCL_OK)
            return st;
    }
}

enum lcl_status lcl_ref_bicgstab(struct lcl_ref_bicgstab *K,
                                 const struct lcl_csr *A, const double *b,
                                 double *x)
{
    const size_t n = (size_t)A->rows;
    double *room = lcl_calloc(7 * n, sizeof *room);
    if (!room)
        return LCL_ENOMEM;
    struct vectors w = {
        .n = A->rows,
        .x = x,
        .r = room,
        .r0 = room + n,
        .p = room + 2 * n,
        .v = room + 3 * n,
        .t = room + 4 * n,
        .y = room + 5 * n,
        .z = room + 6 * n,
    };
    lcl_csr_multiply(A, x, w.t);
    for (size_t i = 0; i < n; ++i)
        w.r[i] = w.r0[i] = w.p[i] = b[i] - w.t[i];
    const enum lcl_status st = iterate(K, A, &w, sqrt(lcl_ref_dot(w.n, b, b)));
    lcl_free(room);
    return st;
}
