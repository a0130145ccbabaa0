// SPDX-License-Identifier: BSD-3-Clause
// Stubs of the functions of klu.c for a build without KLU.
#include "lib/factor/direct.h"

bool lcl_direct_there(void)
{
    return false;
}

enum lcl_status lcl_direct_create(struct lcl_direct **out,
                                  const struct lcl_csr *A,
                                  const struct lcl_log *log)
{
    (void)A;
    *out = NULL;
    return lcl_fail(log, LCL_EUNSUPPORTED,
                    "lu: this build of the library lacks SuiteSparse");
}

void lcl_direct_destroy(struct lcl_direct **D)
{
    (void)D;
}

double lcl_direct_entries(const struct lcl_direct *D)
{
    (void)D;
    return 0;
}

double lcl_direct_operations(const struct lcl_direct *D)
{
    (void)D;
    return 0;
}

enum lcl_status lcl_direct_factor(struct lcl_direct *D, const double *val,
                                  const struct lcl_log *log)
{
    (void)D, (void)val, (void)log;
    return LCL_EUNSUPPORTED;
}

int64_t lcl_direct_nnz(const struct lcl_direct *D)
{
    (void)D;
    return 0;
}

enum lcl_status lcl_direct_solve(struct lcl_direct *D, double *x,
                                 const struct lcl_log *log)
{
    (void)D, (void)x, (void)log;
    return LCL_EUNSUPPORTED;
}
