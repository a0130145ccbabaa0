// SPDX-License-Identifier: BSD-3-Clause
// Why an iteration of BiCGSTAB ends; of complex rho and omega, their magnitude.
#pragma once

#include "krylov.cl.h"

static inline int bicgstab_judge(int it, double rho, double rr, double residual,
                                 double rr0, double limit, double omega)
{
    if (!isfinite(rr) || !isfinite(rho))
        return KRYLOV_NOT_FINITE;
    if (residual <= limit)
        return KRYLOV_CONVERGED;
    if (it > 0 && omega == 0)
        return KRYLOV_BREAKDOWN_OMEGA;
    if (fabs(rho) <= KRYLOV_TINY * sqrt(rr) * sqrt(rr0))
        return KRYLOV_BREAKDOWN_RHO;
    return 0;
}
