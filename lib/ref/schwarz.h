// SPDX-License-Identifier: BSD-3-Clause
// Reference of schwarz.cl.
#pragma once

#include "lib/partition/subdomains.h"

// Row k of `extended` is the row of x at position order[k] of P, for blocks of
// `block` rows.
void lcl_ref_schwarz_extend(double *extended, const double *x,
                            const struct lcl_subdomains *P,
                            const int32_t *order, int block);

// Adds these rows to y; if `restricted`, only the rows that their part owns.
void lcl_ref_schwarz_collect(double *y, const double *extended,
                             const struct lcl_subdomains *P,
                             const int32_t *order, int block, bool restricted);
