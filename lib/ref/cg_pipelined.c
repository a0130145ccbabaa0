// SPDX-License-Identifier: BSD-3-Clause
// Reference of preconditioned pipelined CG: Algorithm 4 of the paper, with the
// update of x one iteration later.
#include "lib/ref/cg_pipelined.h"

#include "host/alloc.h"
#include "lib/ref/vector.h"

#include <math.h>

enum { VECTORS = 9 }; // besides x

// Of an iteration; all 0 before the first.
struct scalars {
    double gamma, alpha;
};

struct lcl_ref_pipelined_dots lcl_ref_cg_pipelined_dots(
    const struct lcl_ref_pipelined *V)
{
    return (struct lcl_ref_pipelined_dots){
        .ru = lcl_ref_dot(V->n, V->r, V->u),
        .wu = lcl_ref_dot(V->n, V->w, V->u),
        .rr = lcl_ref_dot(V->n, V->r, V->r),
    };
}

void lcl_ref_cg_pipelined_update(struct lcl_ref_pipelined *V, double beta,
                                 double alpha, double step)
{
    for (int64_t i = 0; i < V->n; ++i) {
        V->x[i] += step * V->p[i];
        V->z[i] = V->v[i] + beta * V->z[i];
        V->q[i] = V->m[i] + beta * V->q[i];
        V->s[i] = V->w[i] + beta * V->s[i];
        V->p[i] = V->u[i] + beta * V->p[i];
        V->r[i] -= alpha * V->s[i];
        V->u[i] -= alpha * V->q[i];
        V->w[i] -= alpha * V->z[i];
    }
}

// Whether a scalar is not 0 and has kept its sign; `before` is 0 in the first
// iteration.
static int is_definite(double now, double before)
{
    return now != 0 && (before == 0 || (now > 0) == (before > 0));
}

static enum lcl_status step(const struct lcl_ref_cg *K, const struct lcl_csr *A,
                            struct lcl_ref_pipelined *V,
                            struct lcl_ref_pipelined_dots dots,
                            struct scalars *t)
{
    const double beta = t->gamma == 0 ? 0 : dots.ru / t->gamma;
    const double curvature =
        t->gamma == 0 ? dots.wu : dots.wu - beta * dots.ru / t->alpha;
    const struct scalars now = {dots.ru, dots.ru / curvature};
    if (isnan(now.gamma) || isnan(curvature))
        return LCL_NOT_FINITE;
    if (!is_definite(now.gamma, t->gamma) || curvature == 0 ||
        !is_definite(now.alpha, t->alpha))
        return LCL_BREAKDOWN;
    K->apply(K->user, V->w, V->m);
    lcl_csr_multiply(A, V->m, V->v);
    lcl_ref_cg_pipelined_update(V, beta, now.alpha, t->alpha);
    *t = now;
    return LCL_OK;
}

// x is then the iterate of r.
static enum lcl_status iterate(struct lcl_ref_cg *K, const struct lcl_csr *A,
                               struct lcl_ref_pipelined *V, double norm_b)
{
    struct scalars t = {0, 0};
    enum lcl_status st = LCL_OK;
    for (K->iterations = 0;; ++K->iterations) {
        const struct lcl_ref_pipelined_dots dots = lcl_ref_cg_pipelined_dots(V);
        const double residual = sqrt(dots.rr) / norm_b;
        K->history[K->iterations] = residual;
        st = !isfinite(residual)             ? LCL_NOT_FINITE
             : residual <= K->rtol           ? LCL_OK
             : K->iterations == K->max_iters ? LCL_ITERATION_LIMIT
                                             : step(K, A, V, dots, &t);
        if (st != LCL_OK || residual <= K->rtol)
            break;
    }
    lcl_ref_axpy(V->n, t.alpha, V->p, V->x);
    return st;
}

enum lcl_status lcl_ref_cg_pipelined(struct lcl_ref_cg *K,
                                     const struct lcl_csr *A, const double *b,
                                     double *x)
{
    const size_t n = (size_t)A->rows;
    double *room = lcl_calloc(VECTORS * n, sizeof *room);
    if (!room)
        return LCL_ENOMEM;
    struct lcl_ref_pipelined V = {.n = A->rows, .x = x};
    double **const all[VECTORS] = {&V.v, &V.m, &V.z, &V.q, &V.s,
                                   &V.p, &V.r, &V.u, &V.w};
    for (size_t k = 0; k < VECTORS; ++k)
        *all[k] = room + k * n;
    lcl_csr_multiply(A, x, V.v);
    for (size_t i = 0; i < n; ++i)
        V.r[i] = b[i] - V.v[i];
    K->apply(K->user, V.r, V.u);
    lcl_csr_multiply(A, V.u, V.w);
    const enum lcl_status st = iterate(K, A, &V, sqrt(lcl_ref_dot(V.n, b, b)));
    lcl_free(room);
    return st;
}
