// SPDX-License-Identifier: BSD-3-Clause
// Reference of the fused apply.
#pragma once

#include "lib/ref/ildu0.h"

// x = (L D U)^-1 b on each subdomain; b may be x.
void lcl_ref_trisolve(const struct lcl_ref_ildu0 *F, const double *b,
                      double *x);
