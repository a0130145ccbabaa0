// SPDX-License-Identifier: BSD-3-Clause
// Steps of a V-cycle on a level whose matrix A has a unit diagonal. Two steps
// of the Chebyshev iteration of the fourth kind (Lottes, Numer. Linear Algebra
// Appl. 30 (2023)) start from x: with s = 1 / lambda and c = (4/3) s,
//     y = x + c (b - A x)
//     z = y + (y - x) / 5 + (12/5) s (b - A y)
// For each step, `out` is
//     FIRST     z from x = 0, by one product with b
//     RESIDUAL  b - A x
//     AGAIN     y
//     LAST      z
//     RESTRICT  A x
//     PROLONG   out + A x
// and for damped Jacobi, where x = c b
//     BEFORE    b - A x, by one product with b
//     RAISE     x + A y, where A is the prolongation and y its argument
#pragma once

#define FIRST    0
#define RESIDUAL 1
#define AGAIN    2
#define LAST     3
#define RESTRICT 4
#define PROLONG  5
#define BEFORE   6
#define RAISE    7

struct vectors {
    global const float *b, *x, *y;
    global float *out;
    float s; // 1 / lambda, the largest eigenvalue of A
};

// The vector that A is multiplied with.
static inline global const float *operand_of(int step, struct vectors v)
{
    return step == FIRST || step == BEFORE ? v.b
           : step == LAST || step == RAISE ? v.y
                                           : v.x;
}

// Row i of `out`, if that of the product is `dot`.
static inline void finish_row(int step, struct vectors v, long i, float dot)
{
    const float c = 4.0f / 3 * v.s, e = 12.0f / 5 * v.s;
    if (step == FIRST)
        v.out[i] = 6.0f / 5 * c * v.b[i] + e * (v.b[i] - c * dot);
    else if (step == RESIDUAL)
        v.out[i] = v.b[i] - dot;
    else if (step == AGAIN)
        v.out[i] = v.x[i] + c * (v.b[i] - dot);
    else if (step == LAST)
        v.out[i] = v.y[i] + (v.y[i] - v.x[i]) / 5 + e * (v.b[i] - dot);
    else if (step == RESTRICT)
        v.out[i] = dot;
    else if (step == BEFORE)
        v.out[i] = v.b[i] - c * dot;
    else if (step == RAISE)
        v.out[i] = c * v.b[i] + dot;
    else
        v.out[i] += dot;
}
