// SPDX-License-Identifier: BSD-3-Clause
// Coupling strengths as integer edge weights for METIS.
#pragma once

#include <levelcl/precond.h>

#include <math.h>

// The strength of the coupling a_ij is s_ij = |a_ij| / sqrt(|a_ii a_jj|), at
// most 1; its edge has weight 1 + scale * s_ij. All zero: every edge has weight
// 1.
struct lcl_weighing {
    double *root; // rows, 1 / sqrt(|a_ii|); NULL: unweighted
    double scale;
};

// Decides whether and how to weight the edges of A. `budget` bounds the sum of
// the weights over all stored entries, each counted from both ends; if the
// budget is too small for weights, the edges are unweighted. Returns LCL_OK or
// LCL_ENOMEM.
enum lcl_status lcl_weighing_create(struct lcl_weighing *W,
                                    const struct lcl_csr *A,
                                    enum lcl_weights weights, int64_t budget,
                                    const struct lcl_log *log);
void lcl_weighing_finish(struct lcl_weighing *W);

static inline double lcl_strength(const struct lcl_weighing *W, double value,
                                  int64_t i, int64_t j)
{
    return fmin(1.0, fabs(value) * W->root[i] * W->root[j]);
}
