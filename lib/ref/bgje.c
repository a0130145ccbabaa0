// SPDX-License-Identifier: BSD-3-Clause
// Reference of batched inversion: Gauss-Jordan with partial pivoting.
#include "lib/ref/bgje.h"

#include <math.h>
#include <string.h>

// Row, from k on, of the largest entry of column k; NaN counts as the largest.
static int pivot_row(const double *X, int m, int k)
{
    int row = k;
    for (int i = k; i < m; ++i) {
        const double size = fabs(X[i * m + k]);
        if (isnan(size))
            return i;
        if (size > fabs(X[row * m + k]))
            row = i;
    }
    return row;
}

static void exchange_rows(double *X, int m, int i, int k)
{
    for (int j = 0; j < m; ++j) {
        const double x = X[i * m + j];
        X[i * m + j] = X[k * m + j];
        X[k * m + j] = x;
    }
}

// x_ij = x_ij - x_ik / d x_kj,  x_ik = -x_ik / d,  x_kj = x_kj / d,  x_kk = 1/d
static void eliminate(double *X, int m, int k)
{
    const double d = X[k * m + k];
    X[k * m + k] = 1;
    for (int j = 0; j < m; ++j)
        X[k * m + j] /= d;
    for (int i = 0; i < m; ++i) {
        const double factor = X[i * m + k];
        if (i == k)
            continue;
        X[i * m + k] = 0;
        for (int j = 0; j < m; ++j)
            X[i * m + j] -= factor * X[k * m + j];
    }
}

// Undoes the row exchanges of A in the columns of its inverse.
static void restore_columns(double *X, const int *perm, int m)
{
    for (int k = m - 1; k >= 0; --k)
        for (int i = 0; i < m; ++i) {
            const double x = X[i * m + k];
            X[i * m + k] = X[i * m + perm[k]];
            X[i * m + perm[k]] = x;
        }
}

int lcl_ref_bgje(double *X, const double *A, int *perm, int m)
{
    memmove(X, A, (size_t)m * (size_t)m * sizeof *X);
    for (int k = 0; k < m; ++k) {
        perm[k] = pivot_row(X, m, k);
        const double d = X[perm[k] * m + k];
        if (!isfinite(d) || !isfinite(1 / d))
            return k + 1;
        exchange_rows(X, m, perm[k], k);
        eliminate(X, m, k);
    }
    restore_columns(X, perm, m);
    for (int i = 0; i < m * m; ++i)
        if (!isfinite(X[i]))
            return m;
    return 0;
}
