// SPDX-License-Identifier: BSD-3-Clause
// The inverse of a dense matrix on the host: Gauss-Jordan with partial
// pivoting.
#include "lib/dense/host_inverse.h"

#include "host/alloc.h"

#include <float.h>
#include <math.h>

struct elimination {
    int64_t n;
    double *a;       // n x n, becomes the inverse with permuted rows
    int64_t *row_of; // pivot row of each column, -1: none
    int64_t *col_of; // pivot column of each row
};

double lcl_pivot_limit(int64_t n)
{
    return 4 * (double)n * DBL_EPSILON;
}

static double column_scale(const double *A, int64_t n, int64_t stride,
                           int64_t c)
{
    double largest = 0;
    for (int64_t i = 0; i < n; ++i)
        largest = fmax(largest, fabs(A[i * stride + c]));
    return largest;
}

// Row of the largest pivot of column c among the free rows, -1 if none exceeds
// the limit.
static int64_t pivot_row(const struct elimination *E, int64_t c, double limit)
{
    double largest = limit;
    int64_t row = -1;
    for (int64_t i = 0; i < E->n; ++i)
        if (E->col_of[i] < 0 && fabs(E->a[i * E->n + c]) > largest) {
            largest = fabs(E->a[i * E->n + c]);
            row = i;
        }
    return row;
}

// Subtracts factor times row r, whose pivot is 1, from row i; column c is
// overwritten with the column of the inverse.
static void eliminate(struct elimination *E, int64_t i, int64_t r, int64_t c)
{
    double *row = E->a + i * E->n;
    const double *pivot = E->a + r * E->n;
    const double factor = row[c];
    row[c] = 0;
    for (int64_t j = 0; j < E->n; ++j)
        row[j] -= factor * pivot[j];
}

static void step(struct elimination *E, int64_t c, int64_t r)
{
    double *pivot = E->a + r * E->n;
    const double inverse = 1 / pivot[c];
    pivot[c] = 1;
    for (int64_t j = 0; j < E->n; ++j)
        pivot[j] *= inverse;
    for (int64_t i = 0; i < E->n; ++i)
        if (i != r)
            eliminate(E, i, r, c);
    E->row_of[c] = r;
    E->col_of[r] = c;
}

// X(unknown, equation)
static void put_in_order(const struct elimination *E, double *X, int64_t stride)
{
    for (int64_t i = 0; i < E->n; ++i)
        for (int64_t j = 0; j < E->n; ++j) {
            const int64_t r = E->row_of[i], c = E->col_of[j];
            X[i * stride + j] = r < 0 || c < 0 ? 0 : E->a[r * E->n + c];
        }
}

static void invert(struct elimination *E, double *X, const double *A,
                   int64_t stride, int64_t *pinned)
{
    *pinned = 0;
    for (int64_t i = 0; i < E->n; ++i) {
        E->row_of[i] = E->col_of[i] = -1;
        for (int64_t j = 0; j < E->n; ++j)
            E->a[i * E->n + j] = A[i * stride + j];
    }
    for (int64_t c = 0; c < E->n; ++c) {
        const double scale = column_scale(A, E->n, stride, c);
        const int64_t r = pivot_row(E, c, lcl_pivot_limit(E->n) * scale);
        if (r < 0)
            ++*pinned;
        else
            step(E, c, r);
    }
    put_in_order(E, X, stride);
}

enum lcl_status lcl_host_inverse(double *X, const double *A, int64_t n,
                                 int64_t stride, int64_t *pinned)
{
    struct elimination E = {
        .n = n,
        .a = lcl_malloc((size_t)(n * n), sizeof *E.a),
        .row_of = lcl_malloc((size_t)n, sizeof *E.row_of),
        .col_of = lcl_malloc((size_t)n, sizeof *E.col_of),
    };
    const bool there = E.a && E.row_of && E.col_of;
    if (there)
        invert(&E, X, A, stride, pinned);
    lcl_free(E.col_of);
    lcl_free(E.row_of);
    lcl_free(E.a);
    return there ? LCL_OK : LCL_ENOMEM;
}
