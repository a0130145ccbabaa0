// SPDX-License-Identifier: BSD-3-Clause
// Whether a system that no method solved has a solution.
#include "tools/clsolve/singular.h"

#include "tools/clsolve/components.h"
#include "tools/clsolve/norm.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Steps of CGLS, and entries that they visit. Gradients of singular systems
// that a chain of methods left were below 1e-6 from the first step on, those of
// most regular ones above 1e-3 after TRIAL_STEPS.
enum { STEPS = 4000, TRIAL_STEPS = 100 };
#define ENTRIES        (INT64_C(1) << 31)
#define TRIAL_GRADIENT 1e-3

// Of matrices for which looking at sums is short beside a set-up.
#define LOOK_ENTRIES (INT64_C(1) << 24)

// The least tolerance that rounding errors count against, and how far above it.
#define TOLERANCE 1e-8
#define MARGIN    10

struct search {
    const struct lcl_csr *A;
    double norm_A, tolerance;
    struct components C; // of A
    const double *b;
    double norm_b;
    double *y, *p, *q, *s; // s = A^T y
};

// ---------------------------------------------------------------- arithmetic

static double dot(const double *x, const double *y, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; ++i)
        sum += x[i] * y[i];
    return sum;
}

static void multiply_transposed(double *y, const struct lcl_csr *A,
                                const double *x)
{
    memset(y, 0, (size_t)A->cols * sizeof *y);
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            y[A->col_ind[k]] += A->val[k] * x[i];
}

static double largest(const double *x, int64_t n)
{
    double most = 0;
    for (int64_t i = 0; i < n; ++i)
        most = fmax(most, x[i]);
    return most;
}

// ||A||_2 <= sqrt(||A||_1 ||A||_inf); `rows` and `columns` are overwritten.
static double bound_norm(const struct lcl_csr *A, double *rows, double *columns)
{
    memset(rows, 0, (size_t)A->rows * sizeof *rows);
    memset(columns, 0, (size_t)A->cols * sizeof *columns);
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
            rows[i] += fabs(A->val[k]);
            columns[A->col_ind[k]] += fabs(A->val[k]);
        }
    return sqrt(largest(rows, A->rows)) * sqrt(largest(columns, A->cols));
}

// ---------------------------------------------------------------- search

// What y tells, with s = A^T y.
static bool judge(struct singularity *out, const struct search *S)
{
    const int64_t n = S->A->rows;
    const double length = norm_2(S->y, n);
    out->share = fabs(dot(S->y, S->b, n)) / (length * S->norm_b);
    out->gradient = norm_2(S->s, n) / (length * S->norm_A);
    out->found = DBL_EPSILON * (out->share - S->tolerance) >=
                     MARGIN * S->tolerance * out->gradient &&
                 out->share > MARGIN * S->tolerance;
    return out->found;
}

static bool try_constant(struct singularity *out, struct search *S)
{
    const int64_t n = S->A->rows;
    for (int64_t i = 0; i < n; ++i)
        S->y[i] = 1;
    lcl_csr_multiply(S->A, S->y, S->q);
    multiply_transposed(S->s, S->A, S->y);
    const double length = sqrt((double)n);
    out->constant = judge(out, S) &&
                    norm_2(S->q, n) <= 1e-12 * S->norm_A * length &&
                    norm_2(S->s, n) <= 1e-12 * S->norm_A * length;
    return out->found;
}

// y = the projection of b on the indicator vectors; p and q are overwritten.
static void project(struct search *S)
{
    const int64_t n = S->A->rows;
    const int32_t *label = S->C.label;
    double *sum = S->p, *rows = S->q;
    memset(sum, 0, (size_t)S->C.singular * sizeof *sum);
    memset(rows, 0, (size_t)S->C.singular * sizeof *rows);
    for (int64_t i = 0; i < n; ++i)
        if (label[i] >= 0) {
            sum[label[i]] += S->b[i];
            ++rows[label[i]];
        }
    for (int64_t i = 0; i < n; ++i)
        S->y[i] = label[i] >= 0 ? sum[label[i]] / rows[label[i]] : 0;
}

// Of a matrix of several components, some of them singular.
static bool try_components(struct singularity *out, struct search *S)
{
    if (S->C.count < 2 || S->C.singular == 0)
        return false;
    project(S);
    multiply_transposed(S->s, S->A, S->y);
    if (judge(out, S))
        out->components = S->C.singular;
    return out->found;
}

// Whether step k of CGLS is of no use: the rest of the residual is within the
// tolerance, or its gradient does not fall.
static bool is_regular(const struct singularity *out, const struct search *S,
                       double gamma, int k)
{
    return !(norm_2(S->y, S->A->rows) > MARGIN * S->tolerance * S->norm_b) ||
           !isfinite(gamma) ||
           (k == TRIAL_STEPS && out->gradient > TRIAL_GRADIENT);
}

// y - alpha A p, its gradient, and the next direction p.
static double step(struct search *S, double gamma)
{
    const struct lcl_csr *A = S->A;
    const int64_t n = A->rows;
    lcl_csr_multiply(A, S->p, S->q);
    const double alpha = gamma / dot(S->q, S->q, n);
    for (int64_t i = 0; i < n; ++i)
        S->y[i] -= alpha * S->q[i];
    multiply_transposed(S->s, A, S->y);
    const double next = dot(S->s, S->s, n);
    for (int64_t i = 0; i < n; ++i)
        S->p[i] = S->s[i] + next / gamma * S->p[i];
    return next;
}

// Source of CGLS: Bjorck (1996), Numerical Methods for Least Squares Problems,
// section 7.4. It minimises ||y - A z||, so that y becomes the part of the
// residual that A does not reach; of a regular matrix, y vanishes.
static void try_residual(struct singularity *out, struct search *S,
                         const double *x)
{
    const struct lcl_csr *A = S->A;
    const int64_t n = A->rows;
    const int64_t most = ENTRIES / (2 * A->nnz + 1);
    lcl_csr_multiply(A, x, S->q);
    for (int64_t i = 0; i < n; ++i)
        S->y[i] = S->b[i] - S->q[i];
    multiply_transposed(S->s, A, S->y);
    memcpy(S->p, S->s, (size_t)n * sizeof *S->p);
    double gamma = dot(S->s, S->s, n);
    for (int k = 0; k < STEPS && k < most; ++k) {
        if (is_regular(out, S, gamma, k) || judge(out, S))
            return;
        gamma = step(S, gamma);
    }
}

static bool allocate(struct search *S, int64_t n)
{
    const size_t count = (size_t)n;
    S->y = calloc(count, sizeof(double));
    S->p = calloc(count, sizeof(double));
    S->q = calloc(count, sizeof(double));
    S->s = calloc(count, sizeof(double));
    return S->y && S->p && S->q && S->s;
}

// What belongs to A alone; false: out of memory. *S needs finish() in any case.
static bool begin(struct search *S, const struct lcl_csr *A, double rtol)
{
    *S = (struct search){.A = A, .tolerance = fmax(rtol, TOLERANCE)};
    if (!allocate(S, A->rows) || !components_find(&S->C, A))
        return false;
    S->norm_A = bound_norm(A, S->p, S->q);
    return true;
}

static void finish(struct search *S)
{
    components_finish(&S->C);
    free(S->y);
    free(S->p);
    free(S->q);
    free(S->s);
}

static bool try_sums(struct singularity *out, struct search *S, const double *b)
{
    *out = (struct singularity){.found = false};
    S->b = b;
    S->norm_b = norm_2(b, S->A->rows);
    out->overflows = S->norm_A > 0 && S->norm_b / S->norm_A > DBL_MAX;
    return try_components(out, S) || try_constant(out, S);
}

void singular_look(struct singularity *out, const struct lcl_csr *A,
                   const double *b, int columns, double rtol)
{
    struct search S;
    *out = (struct singularity){.found = false};
    if (A->nnz > LOOK_ENTRIES)
        return;
    bool all = begin(&S, A, rtol);
    for (int k = 0; k < columns && all; ++k)
        all = try_sums(out, &S, b + k * A->rows);
    if (!all)
        *out = (struct singularity){.found = false};
    finish(&S);
}

void singular_find(struct singularity *out, const struct lcl_csr *A,
                   const double *b, const double *x, double rtol)
{
    struct search S;
    *out = (struct singularity){.found = false};
    if (begin(&S, A, rtol) && !try_sums(out, &S, b))
        try_residual(out, &S, x);
    finish(&S);
}
