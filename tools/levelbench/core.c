// SPDX-License-Identifier: BSD-3-Clause
// Products, triangular solves and GMRES(m) in plain sequential C.
#include "tools/levelbench/core.h"

#include "host/alloc.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// ------------------------------------------------------------------- vectors

// Four sums, since additions to one would wait for each other.
static double dot(int64_t n, const double *x, const double *y)
{
    double sum[4] = {0};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (int k = 0; k < 4; ++k)
            sum[k] += x[i + k] * y[i + k];
    for (; i < n; ++i)
        sum[0] += x[i] * y[i];
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

// y = y + a x
static void add(int64_t n, double a, const double *x, double *y)
{
    for (int64_t i = 0; i < n; ++i)
        y[i] += a * x[i];
}

// y = a x
static void scale(int64_t n, double a, const double *x, double *y)
{
    for (int64_t i = 0; i < n; ++i)
        y[i] = a * x[i];
}

// ------------------------------------------------------------------- products

// The sum over the entries k to end - 1 of a row.
static inline double row_sum(const struct lcl_csr *A, const double *x,
                             int64_t k, int64_t end)
{
    double sum = 0;
    for (; k < end; ++k)
        sum += A->val[k] * x[A->col_ind[k]];
    return sum;
}

void core_multiply(const struct lcl_csr *A, const double *x, double *y)
{
    for (int64_t i = 0; i < A->rows; ++i)
        y[i] = row_sum(A, x, A->row_ptr[i], A->row_ptr[i + 1]);
}

// L y = b, then U x = D^-1 y; b may be x.
static void solve_factors(const struct core_factors *M, const double *b,
                          double *x)
{
    const struct lcl_csr *L = &M->L, *U = &M->U;
    for (int64_t i = 0; i < L->rows; ++i)
        x[i] = b[i] - row_sum(L, x, L->row_ptr[i], L->row_ptr[i + 1]);
    for (int64_t i = U->rows; i-- > 0;)
        x[i] = x[i] * M->inv_d[i] -
               row_sum(U, x, U->row_ptr[i], U->row_ptr[i + 1]);
}

void core_apply(const struct core_factors *M, const double *x, double *y)
{
    if (!M->row) {
        solve_factors(M, x, y);
        return;
    }
    for (int64_t k = 0; k < M->L.rows; ++k)
        M->x[k] = x[M->row[k]];
    solve_factors(M, M->x, M->x);
    for (int64_t i = 0; i < M->n; ++i)
        y[i] = M->x[M->from[i]];
}

// ------------------------------------------------------------------- GMRES

struct cycle {
    int64_t n;
    double *V, *z, *w;             // m + 1 columns of n, n, n
    double *R;                     // m columns of m
    double *cosine, *sine, *g, *y; // m, m, m + 1, m
};

static double *column(const struct cycle *c, int j)
{
    return c->V + (int64_t)j * c->n;
}

static bool cycle_init(struct cycle *c, int64_t n, int m)
{
    const size_t vectors = ((size_t)m + 3) * (size_t)n;
    const size_t small = (size_t)m * (size_t)m + 4 * (size_t)m + 1;
    *c = (struct cycle){.n = n, .V = lcl_malloc(vectors + small, sizeof *c->V)};
    if (!c->V)
        return false;
    c->z = column(c, m + 1);
    c->w = c->z + n;
    c->R = c->w + n;
    c->cosine = c->R + (int64_t)m * m;
    c->sine = c->cosine + m;
    c->y = c->sine + m;
    c->g = c->y + m;
    return true;
}

// V_0 = r / ||r|| with r = b - A x; returns ||r||.
static double begin(const struct core_gmres *K, struct cycle *c,
                    const double *b, const double *x)
{
    core_multiply(K->A, x, c->w);
    for (int64_t i = 0; i < c->n; ++i)
        c->w[i] = b[i] - c->w[i];
    const double norm = sqrt(dot(c->n, c->w, c->w));
    if (norm > 0)
        scale(c->n, 1 / norm, c->w, c->V);
    c->g[0] = norm;
    return norm;
}

// Rotates the new column r with the subdiagonal nu; g_{j+1} becomes the
// residual norm up to its sign.
static void rotate(struct cycle *c, double *r, int j, double nu)
{
    for (int i = 0; i < j; ++i) {
        const double above = r[i];
        r[i] = c->cosine[i] * above + c->sine[i] * r[i + 1];
        r[i + 1] = c->cosine[i] * r[i + 1] - c->sine[i] * above;
    }
    const double d = hypot(r[j], nu);
    c->cosine[j] = d > 0 ? r[j] / d : 1;
    c->sine[j] = d > 0 ? nu / d : 0;
    r[j] = d;
    c->g[j + 1] = -c->sine[j] * c->g[j];
    c->g[j] *= c->cosine[j];
}

// Column j of the basis: w = A M^-1 V_j, orthogonalised. Returns whether the
// space grew; if not and A M^-1 is singular, the diagonal of R is 0.
static bool step(const struct core_gmres *K, struct cycle *c, int j, int m)
{
    const double tiny = 1e-14;
    double *r = c->R + (int64_t)j * m;
    core_apply(K->M, column(c, j), c->z);
    core_multiply(K->A, c->z, c->w);
    const double norm = sqrt(dot(c->n, c->w, c->w));
    for (int i = 0; i <= j; ++i) {
        r[i] = dot(c->n, column(c, i), c->w);
        add(c->n, -r[i], column(c, i), c->w);
    }
    const double nu = sqrt(dot(c->n, c->w, c->w));
    const bool grew = nu > tiny * norm;
    if (grew)
        scale(c->n, 1 / nu, c->w, column(c, j + 1));
    rotate(c, r, j, grew ? nu : 0);
    if (!grew && r[j] <= tiny * norm)
        r[j] = 0;
    return grew;
}

// x = x + M^-1 V R^-1 g for k columns; a column of zeros is left out.
static void finish(const struct core_gmres *K, struct cycle *c, int k, int m,
                   double *x)
{
    for (int i = k - 1; i >= 0; --i) {
        const double d = c->R[(int64_t)i * m + i];
        c->y[i] = c->g[i];
        for (int j = i + 1; j < k; ++j)
            c->y[i] -= c->R[(int64_t)j * m + i] * c->y[j];
        c->y[i] = d > 0 ? c->y[i] / d : 0;
    }
    memset(c->w, 0, (size_t)c->n * sizeof *c->w);
    for (int j = 0; j < k; ++j)
        add(c->n, c->y[j], column(c, j), c->w);
    core_apply(K->M, c->w, c->z);
    add(c->n, 1, c->z, x);
}

// Returns whether the space could grow to the end of the cycle.
static bool run_cycle(struct core_gmres *K, struct cycle *c, int m,
                      double tolerance, double *x)
{
    bool grew = true;
    int j = 0;
    while (grew && j < m && K->iterations < K->max_iters) {
        grew = step(K, c, j, m);
        ++K->iterations;
        if (!(fabs(c->g[++j]) > tolerance))
            break;
    }
    finish(K, c, j, m, x);
    return grew;
}

static enum lcl_status iterate(struct core_gmres *K, struct cycle *c, int m,
                               const double *b, double *x)
{
    const double norm_b = sqrt(dot(c->n, b, b));
    const double tolerance = K->rtol * norm_b;
    for (bool grew = true;;) {
        const double norm = begin(K, c, b, x);
        K->residual = norm > 0 ? norm / norm_b : 0;
        if (!isfinite(norm))
            return LCL_NOT_FINITE;
        if (norm <= tolerance)
            return LCL_OK;
        if (!grew)
            return LCL_BREAKDOWN;
        if (K->iterations >= K->max_iters)
            return LCL_ITERATION_LIMIT;
        if (K->restarted)
            K->restarted(K->user, K->iterations, K->residual);
        grew = run_cycle(K, c, m, tolerance, x);
    }
}

enum lcl_status core_gmres(struct core_gmres *K, const double *b, double *x)
{
    const int64_t n = K->A->rows;
    const int m = K->restart < n ? K->restart : (int)n;
    struct cycle c;
    if (!cycle_init(&c, n, m))
        return LCL_ENOMEM;
    memset(x, 0, (size_t)n * sizeof *x);
    K->iterations = 0;
    const enum lcl_status st = iterate(K, &c, m, b, x);
    lcl_free(c.V);
    return st;
}
