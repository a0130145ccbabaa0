// SPDX-License-Identifier: BSD-3-Clause
// Reference of the projection along a null space.
#pragma once

#include <stdint.h>

// c = N^T z, then z = z - N (c - wanted); N is stored by `count` columns of n.
void lcl_ref_projection(int64_t n, int count, const double *N,
                        const double *wanted, double *z, double *c);
