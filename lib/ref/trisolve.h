// SPDX-License-Identifier: BSD-3-Clause
// Reference of the triangular solves.
#pragma once

#include "lib/ref/ildu0.h"

// x = L^-1 b or, with_d, (L D)^-1 b on each subdomain; b may be x.
void lcl_ref_lower(const struct lcl_ref_ildu0 *F, bool with_d, const double *b,
                   double *x);

// x = (L D U)^-1 b on each subdomain; b may be x.
void lcl_ref_trisolve(const struct lcl_ref_ildu0 *F, const double *b,
                      double *x);
