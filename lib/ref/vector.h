// SPDX-License-Identifier: BSD-3-Clause
// Vector operations shared by the references of Krylov methods.
#pragma once

#include <stdint.h>

static inline double lcl_ref_dot(int64_t n, const double *a, const double *b)
{
    double sum = 0;
    for (int64_t i = 0; i < n; ++i)
        sum += a[i] * b[i];
    return sum;
}

// y = y + a x
static inline void lcl_ref_axpy(int64_t n, double a, const double *x, double *y)
{
    for (int64_t i = 0; i < n; ++i)
        y[i] += a * x[i];
}
