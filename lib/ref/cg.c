// SPDX-License-Identifier: BSD-3-Clause
// Reference of preconditioned CG: the textbook loop.
#include "lib/ref/cg.h"

#include "host/alloc.h"
#include "lib/ref/vector.h"

#include <math.h>
#include <stdbool.h>

struct vectors {
    int64_t n;
    double *x, *r, *z, *p, *q;
};

// Whether a scalar has kept its sign; `before` is 0 in the first iteration.
static bool is_definite(double now, double before)
{
    return now != 0 && (before == 0 || (now > 0) == (before > 0));
}

// One iteration; *rho is <r, z> of the previous iteration and *step its alpha,
// both 0 in the first.
//     z = M^-1 r,  beta = <r, z> / rho,  p = z + beta p
//     q = A p,  alpha = <r, z> / <p, q>,  x = x + alpha p,  r = r - alpha q
static enum lcl_status step(const struct lcl_ref_cg *K, const struct lcl_csr *A,
                            struct vectors *w, double *rho, double *step)
{
    K->apply(K->user, w->r, w->z);
    const double next = lcl_ref_dot(w->n, w->r, w->z);
    const double beta = *rho == 0 ? 0 : next / *rho;
    if (!is_definite(next, *rho))
        return isnan(next) ? LCL_NOT_FINITE : LCL_BREAKDOWN;
    for (int64_t i = 0; i < w->n; ++i)
        w->p[i] = w->z[i] + beta * w->p[i];
    lcl_csr_multiply(A, w->p, w->q);
    const double curvature = lcl_ref_dot(w->n, w->p, w->q);
    if (curvature == 0 || isnan(curvature))
        return isnan(curvature) ? LCL_NOT_FINITE : LCL_BREAKDOWN;
    const double alpha = next / curvature;
    if (!is_definite(alpha, *step))
        return LCL_BREAKDOWN;
    for (int64_t i = 0; i < w->n; ++i) {
        w->x[i] += alpha * w->p[i];
        w->r[i] -= alpha * w->q[i];
    }
    *rho = next;
    *step = alpha;
    return LCL_OK;
}

static enum lcl_status iterate(struct lcl_ref_cg *K, const struct lcl_csr *A,
                               struct vectors *w, double norm_b)
{
    double rho = 0, alpha = 0;
    for (K->iterations = 0;; ++K->iterations) {
        const double residual = sqrt(lcl_ref_dot(w->n, w->r, w->r)) / norm_b;
        K->history[K->iterations] = residual;
        if (!isfinite(residual))
            return LCL_NOT_FINITE;
        if (residual <= K->rtol)
            return LCL_OK;
        if (K->iterations == K->max_iters)
            return LCL_ITERATION_LIMIT;
        const enum lcl_status st = step(K, A, w, &rho, &alpha);
        if (st != LCL_OK)
            return st;
    }
}

enum lcl_status lcl_ref_cg(struct lcl_ref_cg *K, const struct lcl_csr *A,
                           const double *b, double *x)
{
    const size_t n = (size_t)A->rows;
    double *room = lcl_calloc(4 * n, sizeof *room);
    if (!room)
        return LCL_ENOMEM;
    struct vectors w = {
        .n = A->rows,
        .x = x,
        .r = room,
        .z = room + n,
        .p = room + 2 * n,
        .q = room + 3 * n,
    };
    lcl_csr_multiply(A, x, w.q);
    for (size_t i = 0; i < n; ++i)
        w.r[i] = b[i] - w.q[i];
    const enum lcl_status st = iterate(K, A, &w, sqrt(lcl_ref_dot(w.n, b, b)));
    lcl_free(room);
    return st;
}
