// SPDX-License-Identifier: BSD-3-Clause
// How judge.cl and kron_judge.cl store a row.
#pragma once

#include "long_sum.cl.h"

// `sum`: of the entries of a row times -x, after `terms` terms or fewer.
//     r[at] = b[from] + sum, away from zero by the bound on its error
//     backward[at] = |r[at]| / (the sum of the |terms| and |b|), or 0 for 0 / 0
INLINE void judge_store(struct long_sum sum, double b, double terms, long at,
                        global double *r, global double *backward)
{
    double error;
    long_sum_add(&sum, b);
    sum.size += fabs(b);
    const double value = long_sum_value(sum, terms, &error);
    const double r_at = value + copysign(error, value);
    r[at] = r_at;
    const double share = sum.size > 0 ? fabs(r_at) / sum.size : 1.0;
    backward[at] = r_at == 0 ? 0.0 : fmin(share, 1.0);
}
