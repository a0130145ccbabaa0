// SPDX-License-Identifier: BSD-3-Clause
// The published loop of CG in plain sequential C, in fp64 and in fp32, and an
// estimate of the condition of the matrix from its coefficients.
#include "tools/levelbench/published/cg.h"

#include "host/alloc.h"
#include "host/clock.h"

#include <math.h>

#define REAL       double
#define ROOT       sqrt
#define NAME(name) name##_fp64
#include "tools/levelbench/published/cg_loop.h"

#define REAL       float
#define ROOT       sqrtf
#define NAME(name) name##_fp32
#include "tools/levelbench/published/cg_loop.h"

// ------------------------------------------------------------------- condition

// A symmetric tridiagonal matrix; e[j] couples rows j and j + 1.
struct tridiagonal {
    int n;
    double *d, *e;
};

// Turns alpha and beta of CG into the matrix of the Lanczos method (Saad,
// Iterative Methods for Sparse Linear Systems, section 6.7.3).
static struct tridiagonal lanczos(int n, double *alpha, double *beta)
{
    double before = 0; // beta / alpha of the step before
    for (int j = 0; j < n; ++j) {
        const double a = alpha[j], b = beta[j];
        alpha[j] = 1 / a + before;
        beta[j] = sqrt(b) / a;
        before = b / a;
    }
    return (struct tridiagonal){n, alpha, beta};
}

// Eigenvalues below x (Sturm).
static int count_below(const struct tridiagonal *T, double x)
{
    int count = 0;
    double q = 1;
    for (int j = 0; j < T->n; ++j) {
        const double e = j > 0 ? T->e[j - 1] : 0;
        q = T->d[j] - x - (j > 0 ? e * e / q : 0);
        if (q == 0)
            q = 1e-300;
        count += q < 0;
    }
    return count;
}

// The smallest x with at least `count` eigenvalues below it, between 0 and
// `high`.
static double find_eigenvalue(const struct tridiagonal *T, int count,
                              double high)
{
    double low = 0;
    for (int k = 0; k < 200 && high - low > 1e-6 * high; ++k) {
        const double middle = (low + high) / 2;
        if (count_below(T, middle) >= count)
            high = middle;
        else
            low = middle;
    }
    return high;
}

// Gershgorin's bound on the largest eigenvalue.
static double bound(const struct tridiagonal *T)
{
    double most = 0;
    for (int j = 0; j < T->n; ++j) {
        const double before = j > 0 ? T->e[j - 1] : 0;
        const double after = j + 1 < T->n ? T->e[j] : 0;
        most = fmax(most, T->d[j] + before + after);
    }
    return most;
}

static double condition_of(const struct tridiagonal *T)
{
    const double high = bound(T) * (1 + 1e-9);
    if (T->n < 1 || !isfinite(high))
        return 0;
    return find_eigenvalue(T, T->n, high) / find_eigenvalue(T, 1, high);
}

// ------------------------------------------------------------------- loops

enum lcl_status cpu_loop_fp64(struct cg_loop *loop, const struct lcl_csr *A,
                              const double *b)
{
    const size_t most = (size_t)loop->max_iters + 1;
    double *alpha = lcl_malloc(most, sizeof *alpha);
    double *beta = lcl_malloc(most, sizeof *beta);
    enum lcl_status st = LCL_ENOMEM;
    if (alpha && beta && (st = solve_fp64(loop, A, b, alpha, beta)) == LCL_OK) {
        const struct tridiagonal T = lanczos(loop->iterations, alpha, beta);
        loop->condition = condition_of(&T);
    }
    lcl_free(alpha);
    lcl_free(beta);
    return st;
}

enum lcl_status cpu_loop_fp32(struct cg_loop *loop, const struct lcl_csr *A,
                              const double *b)
{
    return solve_fp32(loop, A, b, NULL, NULL);
}
