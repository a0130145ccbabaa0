// SPDX-License-Identifier: BSD-3-Clause
// References of the smoothed prolongator and of a smoother.
#pragma once

#include <levelcl/matrix.h>

// P = (I - w D_F^-1 A_F) T with w = 4 / (3 lambda), as in
// cl/multilevel/prolongator.cl. Returns LCL_OK or LCL_ENOMEM; *P is then all
// zero.
enum lcl_status lcl_ref_prolongator(struct lcl_csr *P, const struct lcl_csr *A,
                                    const uint8_t *strong,
                                    const double *inv_diag,
                                    const int32_t *aggregate,
                                    int64_t aggregates, double lambda);

// Two steps of the Chebyshev iteration of the fourth kind for A x = b, from x
// on; `r` and `d` hold rows doubles.
void lcl_ref_chebyshev(const struct lcl_csr *A, double lambda, const double *b,
                       double *x, double *r, double *d);
