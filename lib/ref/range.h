// SPDX-License-Identifier: BSD-3-Clause
// Shared by the references of the factorisations: loops over subdomains and
// treatment of small pivots.
#pragma once

#include <levelcl/precond.h>

// The rows first .. last-1 and a pivot policy.
struct lcl_ref_range {
    int64_t first, last;
    enum lcl_pivot pivot;
    bool definite; // pivots of the other sign than a_ii count as small
    double tol, shift;
};

static inline bool lcl_ref_is_inside(const struct lcl_ref_range *range,
                                     int64_t j)
{
    return j >= range->first && j < range->last;
}

// Position of entry b_ij, or -1.
int64_t lcl_ref_find(const struct lcl_csr *B, int64_t i, int64_t j);

// The reference value for pivots and shifts of a row: its largest entry or, if
// `definite`, its diagonal entry `given`, unless that is 0.
double lcl_ref_scale(const struct lcl_ref_range *range, double given,
                     double largest);

// The pivot d of a row with the diagonal entry `given`, or its replacement: the
// scale of the row (REPLACE) or tol times it, with the sign of the pivot or, if
// `definite`, of `given`.
double lcl_ref_repair(const struct lcl_ref_range *range, double d, double given,
                      double scale, bool *small);

// Factors row i of `user` with range->shift times its scale added to the
// diagonal; returns whether a pivot was small.
typedef bool lcl_ref_factor_row(void *user, const struct lcl_ref_range *range,
                                int64_t i);

// Factors each subdomain p, rows part_ptr[p] .. part_ptr[p+1]-1, row by row.
// With the policy SHIFT, repeats with a larger diagonal until no pivot is small
// (Manteuffel 1980). Sets bad[i] if the pivot of row i was small before any
// shift; returns the number of such rows.
int64_t lcl_ref_factor(lcl_ref_factor_row *row, void *user,
                       const int64_t *part_ptr, int64_t parts,
                       const struct lcl_precond_params *params,
                       unsigned char *bad);
