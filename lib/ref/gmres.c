// SPDX-License-Identifier: BSD-3-Clause
// Reference of GMRES(m) and FGMRES(m), loop by loop.
#include "lib/ref/gmres.h"

#include "host/alloc.h"
#include "lib/ref/vector.h"

#include <math.h>
#include <string.h>

// ------------------------------------------------------------------- parts

void lcl_ref_gmres_dots(int64_t n, int64_t ld, int k, const double *V,
                        const double *w, double *h)
{
    for (int j = 0; j < k; ++j)
        h[j] = lcl_ref_dot(n, V + j * ld, w);
}

void lcl_ref_gmres_sum(int64_t n, int64_t ld, int k, double a, const double *V,
                       const double *c, double *y)
{
    for (int j = 0; j < k; ++j)
        for (int64_t i = 0; i < n; ++i)
            y[i] += a * c[j] * V[j * ld + i];
}

static double *column_of(const struct lcl_ref_gmres_scalars *s, int j)
{
    return s->R + (size_t)j * ((size_t)j + 1) / 2;
}

double lcl_ref_gmres_rotate(struct lcl_ref_gmres_scalars *s, int j,
                            const double *h, double nu)
{
    double *r = column_of(s, j), below = h[0];
    for (int i = 0; i < j; ++i) {
        r[i] = s->cosine[i] * below + s->sine[i] * h[i + 1];
        below = s->cosine[i] * h[i + 1] - s->sine[i] * below;
    }
    r[j] = hypot(below, nu);
    s->cosine[j] = below / r[j];
    s->sine[j] = nu / r[j];
    s->g[j + 1] = -s->sine[j] * s->g[j];
    s->g[j] *= s->cosine[j];
    return r[j];
}

void lcl_ref_gmres_solve(const struct lcl_ref_gmres_scalars *s, int k,
                         double *y)
{
    for (int i = k - 1; i >= 0; --i) {
        y[i] = s->g[i];
        for (int j = i + 1; j < k; ++j)
            y[i] -= column_of(s, j)[i] * y[j];
        y[i] /= column_of(s, i)[i];
    }
}

// ------------------------------------------------------------------- cycles

struct cycle {
    int64_t n;
    int m;
    double *V, *Z, *w, *u, *x, *h1, *h2, *y;
    struct lcl_ref_gmres_scalars s;
    double norm_b;
};

static void subtract(int64_t n, const double *b, double *r)
{
    for (int64_t i = 0; i < n; ++i)
        r[i] = b[i] - r[i];
}

// V_0 = r / ||r||, g = (||r||, 0, ...); returns ||r||.
static double begin(struct cycle *c, const struct lcl_csr *A, const double *b)
{
    lcl_csr_multiply(A, c->x, c->w);
    subtract(c->n, b, c->w);
    const double beta = sqrt(lcl_ref_dot(c->n, c->w, c->w));
    for (int64_t i = 0; i < c->n; ++i)
        c->V[i] = c->w[i] / beta;
    c->s.g[0] = beta;
    return beta;
}

// Orthogonalises w against columns 0 .. j: h1 = h1 + h2. Returns ||w||, 0 if w
// lies in their span; *norm is ||w|| on entry.
static double orthogonalise(struct cycle *c, int j, double *norm)
{
    const double eps = 2.2e-16;
    *norm = sqrt(lcl_ref_dot(c->n, c->w, c->w));
    lcl_ref_gmres_dots(c->n, c->n, j + 1, c->V, c->w, c->h1);
    lcl_ref_gmres_sum(c->n, c->n, j + 1, -1, c->V, c->h1, c->w);
    const double once = sqrt(lcl_ref_dot(c->n, c->w, c->w));
    lcl_ref_gmres_dots(c->n, c->n, j + 1, c->V, c->w, c->h2);
    lcl_ref_gmres_sum(c->n, c->n, j + 1, -1, c->V, c->h2, c->w);
    for (int i = 0; i <= j; ++i)
        c->h1[i] += c->h2[i];
    const double twice = sqrt(lcl_ref_dot(c->n, c->w, c->w));
    return twice <= sqrt(0.5) * once || twice <= 4 * eps * sqrt(j + 1) * *norm
               ? 0
               : twice;
}

static enum lcl_status step(struct lcl_ref_gmres *K, const struct lcl_csr *A,
                            struct cycle *c, int j)
{
    const int64_t n = c->n;
    double norm, *z = c->Z + j * n;
    K->apply(K->user, c->V + j * n, z);
    lcl_csr_multiply(A, z, c->w);
    const double nu = orthogonalise(c, j, &norm);
    const double pivot = lcl_ref_gmres_rotate(&c->s, j, c->h1, nu);
    if (!isfinite(norm) || !isfinite(pivot))
        return LCL_NOT_FINITE;
    K->exhausted = nu == 0;
    if (nu == 0 && pivot <= 64 * 2.2e-16 * (j + 1) * norm)
        return LCL_BREAKDOWN;
    for (int64_t i = 0; i < n && nu > 0; ++i)
        c->V[(j + 1) * n + i] = c->w[i] / nu;
    K->history[++K->iterations] = fabs(c->s.g[j + 1]) / c->norm_b;
    return K->history[K->iterations] <= K->rtol ? LCL_OK : LCL_ITERATION_LIMIT;
}

// x = x + Z y, or x = x + M^-1 V y.
static void add_columns(const struct lcl_ref_gmres *K, struct cycle *c, int k)
{
    lcl_ref_gmres_solve(&c->s, k, c->y);
    if (K->flexible) {
        lcl_ref_gmres_sum(c->n, c->n, k, 1, c->Z, c->y, c->x);
        return;
    }
    memset(c->w, 0, (size_t)c->n * sizeof *c->w);
    lcl_ref_gmres_sum(c->n, c->n, k, 1, c->V, c->y, c->w);
    K->apply(K->user, c->w, c->u);
    for (int64_t i = 0; i < c->n; ++i)
        c->x[i] += c->u[i];
}

static enum lcl_status iterate(struct lcl_ref_gmres *K, const struct lcl_csr *A,
                               struct cycle *c, const double *b)
{
    for (;; ++K->restarts) {
        enum lcl_status st = LCL_ITERATION_LIMIT;
        int j = 0;
        const double residual = begin(c, A, b) / c->norm_b;
        if (K->iterations == 0)
            K->history[0] = residual;
        if (!isfinite(residual))
            return LCL_NOT_FINITE;
        if (residual <= K->rtol)
            return LCL_OK;
        const int before = K->iterations;
        for (; j < c->m && K->iterations < K->max_iters &&
               st == LCL_ITERATION_LIMIT;
             ++j)
            st = step(K, A, c, j);
        add_columns(K, c, K->iterations - before);
        if (st != LCL_ITERATION_LIMIT || K->iterations == K->max_iters)
            return st;
    }
}

enum lcl_status lcl_ref_gmres(struct lcl_ref_gmres *K, const struct lcl_csr *A,
                              const double *b, double *x)
{
    const size_t n = (size_t)A->rows;
    const size_t m = K->restart < A->rows ? (size_t)K->restart : n;
    const size_t small = 6 * m + 1 + m * (m + 1) / 2;
    double *room = lcl_calloc((2 * m + 3) * n + small, sizeof *room);
    if (!room)
        return LCL_ENOMEM;
    struct cycle c = {.n = A->rows, .m = (int)m, .V = room, .x = x};
    c.Z = c.V + (m + 1) * n;
    c.w = c.Z + m * n;
    c.u = c.w + n;
    c.h1 = c.u + n;
    c.h2 = c.h1 + m;
    c.y = c.h2 + m;
    c.s.cosine = c.y + m;
    c.s.sine = c.s.cosine + m;
    c.s.g = c.s.sine + m;
    c.s.R = c.s.g + m + 1;
    c.norm_b = sqrt(lcl_ref_dot(A->rows, b, b));
    K->iterations = K->restarts = 0;
    K->exhausted = false;
    const enum lcl_status st = iterate(K, A, &c, b);
    lcl_free(room);
    return st;
}
