// SPDX-License-Identifier: BSD-3-Clause
// Reference of values that come from a caller's.
#pragma once

#include <stdbool.h>
#include <stdint.h>

// val[v] = x[of[v]] for v < n; the sum in order of x[list[start[g]]] ..
// x[list[start[g + 1] - 1]] if of[v] is entries + g; 0 if it is UINT32_MAX.
// If `is_signed`, bit 31 of of[v] and list[k] changes the sign of a value of x.
void lcl_ref_sources(double *val, int64_t n, int64_t entries,
                     const uint32_t *of, const uint32_t *start,
                     const uint32_t *list, const double *x, bool is_signed);
