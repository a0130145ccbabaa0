// SPDX-License-Identifier: BSD-3-Clause
// Reference of preconditioned MINRES: Algorithm 4.1 of Elman, Silvester and
// Wathen, Finite Elements and Fast Iterative Solvers (2014), with the residual
// computed from x in each iteration.
#include "lib/ref/minres.h"

#include "host/alloc.h"
#include "lib/ref/vector.h"

#include <math.h>

// Of the iterations before, this one, and the next.
struct vectors {
    int64_t n;
    const double *b;
    double *x, *r;
    double *v[3], *w[3];
    double *z[2], *q;
};

struct scalars {
    double gamma[2], eta; // gamma: of the iteration before and of this one
    double s[2], c[2];
};

static double residual_of(const struct lcl_csr *A, struct vectors *w)
{
    lcl_csr_multiply(A, w->x, w->r);
    for (int64_t i = 0; i < w->n; ++i)
        w->r[i] = w->b[i] - w->r[i];
    return sqrt(lcl_ref_dot(w->n, w->r, w->r));
}

// v = r, z = M^-1 v, gamma = sqrt <v, z>
static double start(const struct lcl_ref_minres *K, struct vectors *w)
{
    for (int64_t i = 0; i < w->n; ++i)
        w->v[1][i] = w->r[i];
    K->apply(K->user, w->v[1], w->z[0]);
    return sqrt(lcl_ref_dot(w->n, w->v[1], w->z[0]));
}

static void turn(double **vector, int count)
{
    double *first = vector[0];
    for (int k = 0; k + 1 < count; ++k)
        vector[k] = vector[k + 1];
    vector[count - 1] = first;
}

// z = z / gamma,  delta = <A z, z>
// v'' = A z - (delta / gamma) v - (gamma / gamma') v',  z'' = M^-1 v''
// Returns gamma'' = sqrt <v'', z''>.
static double lanczos(const struct lcl_ref_minres *K, const struct lcl_csr *A,
                      struct vectors *w, const double *gamma, double *delta)
{
    const double old = gamma[0] > 0 ? gamma[1] / gamma[0] : 0;
    for (int64_t i = 0; i < w->n; ++i)
        w->z[0][i] /= gamma[1];
    lcl_csr_multiply(A, w->z[0], w->q);
    *delta = lcl_ref_dot(w->n, w->q, w->z[0]);
    for (int64_t i = 0; i < w->n; ++i)
        w->v[2][i] =
            w->q[i] - *delta / gamma[1] * w->v[1][i] - old * w->v[0][i];
    K->apply(K->user, w->v[2], w->z[1]);
    return sqrt(lcl_ref_dot(w->n, w->v[2], w->z[1]));
}

// One iteration. With the rotations (c', s') and (c, s) of those before:
//     a0 = c delta - c' s gamma,  a1 = sqrt(a0^2 + gamma''^2)
//     a2 = s delta + c' c gamma,  a3 = s' gamma
//     c'' = a0 / a1,  s'' = gamma'' / a1
//     w'' = (z - a3 w' - a2 w) / a1,  x = x + c'' eta w'',  eta = -s'' eta
static enum lcl_status step(const struct lcl_ref_minres *K,
                            const struct lcl_csr *A, struct vectors *w,
                            struct scalars *t)
{
    double delta;
    const double gamma = t->gamma[1];
    const double next = lanczos(K, A, w, t->gamma, &delta);
    const double a0 = t->c[1] * delta - t->c[0] * t->s[1] * gamma;
    const double a1 = hypot(a0, next);
    const double a2 = t->s[1] * delta + t->c[0] * t->c[1] * gamma;
    const double a3 = t->s[0] * gamma;
    if (isnan(next) || a1 == 0)
        return LCL_BREAKDOWN;
    const double c = a0 / a1, s = next / a1;
    for (int64_t i = 0; i < w->n; ++i) {
        w->w[2][i] = (w->z[0][i] - a3 * w->w[0][i] - a2 * w->w[1][i]) / a1;
        w->x[i] += c * t->eta * w->w[2][i];
    }
    turn(w->v, 3);
    turn(w->w, 3);
    turn(w->z, 2);
    *t = (struct scalars){
        {gamma, next}, -s * t->eta, {t->s[1], s}, {t->c[1], c}};
    return LCL_OK;
}

static enum lcl_status iterate(struct lcl_ref_minres *K,
                               const struct lcl_csr *A, struct vectors *w)
{
    const double norm_b = sqrt(lcl_ref_dot(w->n, w->b, w->b));
    struct scalars t = {.c = {1, 1}};
    for (K->iterations = 0;; ++K->iterations) {
        const double residual = residual_of(A, w) / norm_b;
        K->history[K->iterations] = residual;
        if (!isfinite(residual))
            return LCL_NOT_FINITE;
        if (residual <= K->rtol)
            return LCL_OK;
        if (K->iterations == K->max_iters)
            return LCL_ITERATION_LIMIT;
        if (K->iterations == 0)
            t.gamma[1] = t.eta = start(K, w);
        if (!(t.gamma[1] > 0))
            return LCL_BREAKDOWN;
        const enum lcl_status st = step(K, A, w, &t);
        if (st != LCL_OK)
            return st;
    }
}

enum lcl_status lcl_ref_minres(struct lcl_ref_minres *K,
                               const struct lcl_csr *A, const double *b,
                               double *x)
{
    const size_t n = (size_t)A->rows;
    double *room = lcl_calloc(10 * n, sizeof *room);
    if (!room)
        return LCL_ENOMEM;
    struct vectors w = {
        .n = A->rows,
        .b = b,
        .x = x,
        .r = room,
        .v = {room + n, room + 2 * n, room + 3 * n},
        .w = {room + 4 * n, room + 5 * n, room + 6 * n},
        .z = {room + 7 * n, room + 8 * n},
        .q = room + 9 * n,
    };
    const enum lcl_status st = iterate(K, A, &w);
    lcl_free(room);
    return st;
}
