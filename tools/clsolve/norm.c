// SPDX-License-Identifier: BSD-3-Clause
// Norms of vectors of any scale.
#include "tools/clsolve/norm.h"

#include <math.h>

double norm_2(const double *x, int64_t n)
{
    double most = 0, sum = 0;
    for (int64_t i = 0; i < n; ++i)
        most = fmax(most, fabs(x[i]));
    for (int64_t i = 0; i < n && most > 0; ++i)
        sum += x[i] / most * (x[i] / most);
    return most * sqrt(sum);
}
