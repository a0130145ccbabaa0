// SPDX-License-Identifier: BSD-3-Clause
// Reference of ILUT on dense rows.
#include "lib/ref/ilut.h"

#include "host/alloc.h"

#include <math.h>
#include <string.h>

// Drops the entries of columns first .. last - 1 of a row, but the p largest of
// at least `least`: one by one, the smallest and last.
static void keep_largest(bool *keep, const double *w, int64_t first,
                         int64_t last, int p, double least)
{
    int64_t count = 0;
    for (int64_t j = first; j < last; ++j) {
        keep[j] = keep[j] && fabs(w[j]) >= least && w[j] != 0;
        count += keep[j];
    }
    for (; count > p; --count) {
        int64_t worst = -1;
        for (int64_t j = first; j < last; ++j)
            if (keep[j] && (worst < 0 || fabs(w[j]) <= fabs(w[worst])))
                worst = j;
        keep[worst] = false;
    }
}

static double pivot(double d, double largest)
{
    const double least = largest > 0 ? 1e-10 * largest : 1;
    return fabs(d) >= least ? d : copysign(least, d);
}

// Makes row i from the rows of U before it, in u, with their pivots in d.
static void make_row(bool *keep, double *u, double *d, const double *a,
                     const bool *stored, int64_t n, int64_t i, int p,
                     double tol)
{
    bool *own = keep + i * n;
    double *w = u + i * n, norm = 0, largest = 0;
    for (int64_t j = 0; j < n; ++j) {
        own[j] = stored[i * n + j];
        w[j] = own[j] ? a[i * n + j] : 0;
        norm = hypot(norm, w[j]);
        largest = fmax(largest, fabs(w[j]));
    }
    const double least = tol * norm;
    for (int64_t m = 0; m < i; ++m) {
        if (!own[m] || !(fabs(w[m]) >= least))
            continue;
        const double factor = w[m] / d[m];
        for (int64_t j = m + 1; j < n; ++j)
            if (keep[m * n + j]) {
                own[j] = true;
                w[j] -= factor * u[m * n + j];
            }
    }
    d[i] = pivot(own[i] ? w[i] : 0, largest);
    keep_largest(own, w, 0, i, p, least);
    keep_largest(own, w, i + 1, n, p, least);
}

bool lcl_ref_ilut(bool *keep, const double *a, const bool *stored, int64_t n,
                  int p, double tol)
{
    double *u = lcl_calloc((size_t)(n * n), sizeof *u);
    double *d = lcl_calloc((size_t)n, sizeof *d);
    for (int64_t i = 0; u && d && i < n; ++i)
        make_row(keep, u, d, a, stored, n, i, p, tol);
    const bool enough = u && d;
    lcl_free(u);
    lcl_free(d);
    return enough;
}
