// SPDX-License-Identifier: BSD-3-Clause
// Reference of IDR(s): the loop of Algorithm 913, vector by vector.
#include "lib/ref/idr.h"

#include "host/alloc.h"
#include "lib/ref/vector.h"

#include <math.h>

enum { S = LCL_REF_IDR_MAX_S };

// If the cosine of the angle between r and A M^-1 r is below this value, omega
// is enlarged ("maintaining the convergence").
static const double kappa = 0.7;

struct vectors {
    int64_t n;
    double *x, *r, *v, *y, *t;
    double *p[S], *g[S], *u[S];
    double M[S][S], f[S], c[S], omega;
};

// ------------------------------------------------------------------ shadow

int lcl_ref_idr_room(int64_t n, int s)
{
    int w = 1;
    while (w < s)
        w *= 2;
    if (n >= w)
        return s;
    while (w > n && w > 1)
        w /= 2;
    return w;
}

static uint64_t mixed(uint64_t x)
{
    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 29) * 0xd1342543de82ef95u;
    return x ^ x >> 32;
}

void lcl_ref_idr_words(int64_t n, int s, uint32_t *words)
{
    static const uint32_t walsh[8] = {0x00, 0xaa, 0xcc, 0x66,
                                      0xf0, 0x5a, 0x3c, 0x96};
    uint64_t w = 1;
    while (w < (uint64_t)s)
        w *= 2;
    for (uint64_t i = 0; i < (uint64_t)n; ++i) {
        const uint64_t own = mixed(2 * i + 2), block = mixed(2 * (i / w) + 1);
        const uint32_t signs =
            walsh[(i ^ block) % w] ^ (own & 1 ? 0xffu : 0x00u);
        words[i] = ((uint32_t)(own >> 32) & ~0xffu) | signs;
    }
}

void lcl_ref_idr_vector(int64_t n, const uint32_t *words, int j, double *p)
{
    for (int64_t i = 0; i < n; ++i) {
        const double size = 1 + ldexp((double)(words[i] >> 9), -23);
        p[i] = words[i] >> j & 1 ? -size : size;
    }
}

// ------------------------------------------------------------------ steps

// c = M^-1 f for rows and columns >= k
static void solve_small(struct vectors *w, int s, int k)
{
    for (int i = k; i < s; ++i) {
        w->c[i] = w->f[i];
        for (int j = k; j < i; ++j)
            w->c[i] -= w->M[i][j] * w->c[j];
        w->c[i] /= w->M[i][i];
    }
}

//     v = r - sum_{i>=k} c_i g_i,  u_k = omega M^-1 v + sum_{i>=k} c_i u_i
//     g_k = A u_k
static void new_direction(const struct lcl_ref_idr *K, const struct lcl_csr *A,
                          struct vectors *w, int s, int k)
{
    const int64_t n = w->n;
    solve_small(w, s, k);
    for (int64_t i = 0; i < n; ++i)
        w->v[i] = w->r[i];
    for (int i = k; i < s; ++i)
        lcl_ref_axpy(n, -w->c[i], w->g[i], w->v);
    K->apply(K->user, w->v, w->y);
    for (int64_t i = 0; i < n; ++i)
        w->u[k][i] = w->omega * w->y[i] + w->c[k] * w->u[k][i];
    for (int i = k + 1; i < s; ++i)
        lcl_ref_axpy(n, w->c[i], w->u[i], w->u[k]);
    lcl_csr_multiply(A, w->u[k], w->g[k]);
}

// Step k of a cycle: computes a direction whose g_k is orthogonal to p_0 ..
// p_{k-1}, and a residual orthogonal to p_0 .. p_k.
static enum lcl_status inner_step(const struct lcl_ref_idr *K,
                                  const struct lcl_csr *A, struct vectors *w,
                                  int s, int k)
{
    const int64_t n = w->n;
    new_direction(K, A, w, s, k);
    for (int i = 0; i < k; ++i) {
        const double alpha = lcl_ref_dot(n, w->p[i], w->g[k]) / w->M[i][i];
        lcl_ref_axpy(n, -alpha, w->g[i], w->g[k]);
        lcl_ref_axpy(n, -alpha, w->u[i], w->u[k]);
    }
    for (int i = k; i < s; ++i)
        w->M[i][k] = lcl_ref_dot(n, w->p[i], w->g[k]);
    const double beta = w->f[k] / w->M[k][k];
    if (w->M[k][k] == 0 || !isfinite(beta))
        return LCL_BREAKDOWN;
    lcl_ref_axpy(n, -beta, w->g[k], w->r);
    lcl_ref_axpy(n, beta, w->u[k], w->x);
    for (int i = k + 1; i < s; ++i)
        w->f[i] -= beta * w->M[i][k];
    return LCL_OK;
}

// Enters the next space: r = r - omega A M^-1 r, then f for the next cycle.
static enum lcl_status outer_step(const struct lcl_ref_idr *K,
                                  const struct lcl_csr *A, struct vectors *w,
                                  int s)
{
    const int64_t n = w->n;
    K->apply(K->user, w->r, w->y);
    lcl_csr_multiply(A, w->y, w->t);
    const double tt = lcl_ref_dot(n, w->t, w->t);
    const double tr = lcl_ref_dot(n, w->t, w->r);
    const double cosine = tr / sqrt(tt * lcl_ref_dot(n, w->r, w->r));
    if (tt == 0 || tr == 0)
        return LCL_BREAKDOWN;
    w->omega = tr / tt;
    if (fabs(cosine) < kappa)
        w->omega *= kappa / fabs(cosine);
    lcl_ref_axpy(n, w->omega, w->y, w->x);
    lcl_ref_axpy(n, -w->omega, w->t, w->r);
    for (int i = 0; i < s; ++i)
        w->f[i] = lcl_ref_dot(n, w->p[i], w->r);
    return LCL_OK;
}

// ------------------------------------------------------------------ the whole

static enum lcl_status iterate(struct lcl_ref_idr *K, const struct lcl_csr *A,
                               struct vectors *w, int s, double norm_b)
{
    enum lcl_status st;
    for (K->iterations = 0;; ++K->iterations) {
        const double residual = sqrt(lcl_ref_dot(w->n, w->r, w->r)) / norm_b;
        const int k = K->iterations % (s + 1);
        K->history[K->iterations] = residual;
        if (!isfinite(residual))
            return LCL_NOT_FINITE;
        if (residual <= K->rtol)
            return LCL_OK;
        if (K->iterations == K->max_iters)
            return LCL_ITERATION_LIMIT;
        st = k < s ? inner_step(K, A, w, s, k) : outer_step(K, A, w, s);
        if (st != LCL_OK)
            return st;
    }
}

// r = b - A x, G = U = 0, M = I, omega = 1
static void begin(struct vectors *w, const struct lcl_csr *A, int s,
                  const uint32_t *words, const double *b)
{
    lcl_csr_multiply(A, w->x, w->t);
    for (int64_t i = 0; i < w->n; ++i)
        w->r[i] = b[i] - w->t[i];
    for (int j = 0; j < s; ++j) {
        lcl_ref_idr_vector(w->n, words, j, w->p[j]);
        w->f[j] = lcl_ref_dot(w->n, w->p[j], w->r);
        w->M[j][j] = 1;
    }
    w->omega = 1;
}

enum lcl_status lcl_ref_idr(struct lcl_ref_idr *K, const struct lcl_csr *A,
                            const double *b, double *x)
{
    const size_t n = (size_t)A->rows;
    const int s = lcl_ref_idr_room(A->rows, K->s);
    double *room = lcl_calloc((4 + 3 * S) * n, sizeof *room);
    uint32_t *words = lcl_malloc(n, sizeof *words);
    enum lcl_status st = LCL_ENOMEM;
    if (room && words) {
        struct vectors w = {.n = A->rows,
                            .x = x,
                            .r = room,
                            .v = room + n,
                            .y = room + 2 * n,
                            .t = room + 3 * n};
        for (size_t j = 0; j < S; ++j) {
            w.p[j] = room + (4 + j) * n;
            w.g[j] = room + (4 + S + j) * n;
            w.u[j] = room + (4 + 2 * S + j) * n;
        }
        lcl_ref_idr_words(A->rows, s, words);
        begin(&w, A, s, words, b);
        st = iterate(K, A, &w, s, sqrt(lcl_ref_dot(w.n, b, b)));
    }
    lcl_free(words);
    lcl_free(room);
    return st;
}
