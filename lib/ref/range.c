// SPDX-License-Identifier: BSD-3-Clause
// Shared by the references of the factorisations.
#include "lib/ref/range.h"

#include <math.h>

// Initial shift relative to the scale of a row; it doubles.
#define FIRST_SHIFT 1e-3
enum { SHIFT_ROUNDS = 16 };

int64_t lcl_ref_find(const struct lcl_csr *B, int64_t i, int64_t j)
{
    for (int64_t k = B->row_ptr[i]; k < B->row_ptr[i + 1]; ++k)
        if (B->col_ind[k] == j)
            return k;
    return -1;
}

double lcl_ref_scale(const struct lcl_ref_range *range, double given,
                     double largest)
{
    return range->definite && given != 0 ? fabs(given) : largest;
}

double lcl_ref_repair(const struct lcl_ref_range *range, double d, double given,
                      double scale, bool *small)
{
    const double sign = given < 0 ? -1 : 1;
    const double size =
        range->pivot == LCL_PIVOT_REPLACE ? scale : range->tol * scale;
    *small = !isfinite(d) ||
             (range->definite ? sign * d : fabs(d)) <= range->tol * scale;
    if (!*small)
        return d;
    if (scale == 0)
        return 1;
    if (range->definite)
        return sign * size;
    return isfinite(d) ? copysign(size, d) : size;
}

// Returns the number of rows with small pivots.
static int64_t factor_range(lcl_ref_factor_row *row, void *user,
                            const struct lcl_ref_range *range,
                            unsigned char *bad)
{
    int64_t small_pivots = 0;
    for (int64_t i = range->first; i < range->last; ++i) {
        const bool small = row(user, range, i);
        small_pivots += small;
        if (bad)
            bad[i] = small;
    }
    return small_pivots;
}

int64_t lcl_ref_factor(lcl_ref_factor_row *row, void *user,
                       const int64_t *part_ptr, int64_t parts,
                       const struct lcl_precond_params *params,
                       unsigned char *bad)
{
    const bool definite = params->type == LCL_PRECOND_IC0;
    int64_t repaired = 0;
    for (int64_t p = 0; p < parts; ++p) {
        struct lcl_ref_range range = {
            .first = part_ptr[p],
            .last = part_ptr[p + 1],
            .pivot =
                definite && !params->pivot ? LCL_PIVOT_SHIFT : params->pivot,
            .definite = definite,
            .tol = params->pivot_tol > 0 ? params->pivot_tol : 1e-10,
        };
        int64_t small_pivots = factor_range(row, user, &range, bad);
        repaired += small_pivots;
        for (int round = 0; round < SHIFT_ROUNDS && small_pivots > 0 &&
                            range.pivot == LCL_PIVOT_SHIFT;
             ++round) {
            range.shift = range.shift == 0 ? FIRST_SHIFT : 2 * range.shift;
            small_pivots = factor_range(row, user, &range, NULL);
        }
    }
    return repaired;
}
