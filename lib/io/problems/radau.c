// SPDX-License-Identifier: BSD-3-Clause
// The Radau IIA methods: collocation at the zeros of P_s - P_{s-1}, mapped from
// (-1, 1] to (0, 1].
#include "lib/io/problems/radau.h"

#include <math.h>

// P_k(x) for k = n - 1 and n, and their derivatives:
//   k P_k = (2k - 1) x P_{k-1} - (k - 1) P_{k-2},  P'_k = x P'_{k-1} + k
//   P_{k-1}
struct legendre {
    double before, last;
    double slope_before, slope_last;
};

static struct legendre legendre(int n, double x)
{
    struct legendre P = {0, 1, 0, 0};
    for (int k = 1; k <= n; ++k) {
        const double next = ((2 * k - 1) * x * P.last - (k - 1) * P.before) / k;
        const double slope = x * P.slope_last + k * P.last;
        P = (struct legendre){P.last, next, P.slope_last, slope};
    }
    return P;
}

// Zero i, in ascending order, by Newton's method from the nearest
// Chebyshev-Gauss-Radau point.
static double zero(int s, int i)
{
    enum { STEPS = 20 };
    double x = cos(2 * acos(-1) * (s - 1 - i) / (2 * s - 1));
    if (i == s - 1)
        return 1;
    for (int step = 0; step < STEPS; ++step) {
        const struct legendre P = legendre(s, x);
        x -= (P.last - P.before) / (P.slope_last - P.slope_before);
    }
    return x;
}

// l_j(t), the polynomial that is 1 at c_j and 0 at the other nodes.
static double lagrange(int s, const double *c, int j, double t)
{
    double product = 1;
    for (int k = 0; k < s; ++k)
        if (k != j)
            product *= (t - c[k]) / (c[j] - c[k]);
    return product;
}

// a_ij is the integral of l_j from 0 to c_i. The quadrature with these nodes
// and the weights w_k = c_k / (s P_{s-1}(2 c_k - 1))^2 integrates it exactly,
// like all polynomials of degree up to 2 s - 2.
void lcl_radau(int s, double *c, double *matrix)
{
    double weight[LCL_RADAU_MAX];
    for (int i = 0; i < s; ++i) {
        const double x = zero(s, i), p = s * legendre(s, x).before;
        c[i] = (1 + x) / 2;
        weight[i] = c[i] / (p * p);
    }
    for (int i = 0; i < s; ++i)
        for (int j = 0; j < s; ++j) {
            double sum = 0;
            for (int k = 0; k < s; ++k)
                sum += weight[k] * lagrange(s, c, j, c[i] * c[k]);
            matrix[i * s + j] = c[i] * sum;
        }
}
