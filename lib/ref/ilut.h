// SPDX-License-Identifier: BSD-3-Clause
// Reference of the pattern of ILUT(p, tol).
#pragma once

#include <stdbool.h>
#include <stdint.h>

// keep[i * n + j]: whether ILUT of the dense a keeps position (i, j); `stored`
// marks the entries of a (Saad 2003, Section 10.4.1; the rules of
// lcl_ilut_pattern()). Returns false if memory is short.
bool lcl_ref_ilut(bool *keep, const double *a, const bool *stored, int64_t n,
                  int p, double tol);
