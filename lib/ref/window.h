// SPDX-License-Identifier: BSD-3-Clause
// What the references of the factorisations share: a subdomain at a time, and
// what becomes of small pivots.
#pragma once

#include <levelcl/precond.h>

// The rows first .. last-1 under a policy.
struct lcl_ref_window {
    int64_t first, last;
    enum lcl_pivot pivot;
    bool positive; // negative pivots count as small
    double tol, shift;
};

static inline bool lcl_ref_is_inside(const struct lcl_ref_window *w, int64_t j)
{
    return j >= w->first && j < w->last;
}

// Where entry b_ij is stored, or -1.
int64_t lcl_ref_find(const struct lcl_csr *B, int64_t i, int64_t j);

// The pivot of a row whose largest entry is `largest`, or what replaces it:
// one of the size of the entry (REPLACE) or of tol times it, sign kept.
double lcl_ref_repair(const struct lcl_ref_window *w, double d, double largest,
                      bool *small);

// Factors row i of `user`, with w->shift of its largest entry added to the
// diagonal; returns whether a pivot was small.
typedef bool lcl_ref_factor_row(void *user, const struct lcl_ref_window *w,
                                int64_t i);

// Each subdomain p, rows part_ptr[p] .. part_ptr[p+1]-1, row by row. With the
// policy SHIFT, again with a larger diagonal until no pivot is small
// (Manteuffel 1980). bad[i] tells whether row i had one before any shift;
// returns how many had.
int64_t lcl_ref_factor(lcl_ref_factor_row *row, void *user,
                       const int64_t *part_ptr, int64_t parts,
                       const struct lcl_precond_params *params,
                       unsigned char *bad);
