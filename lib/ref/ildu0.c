// SPDX-License-Identifier: BSD-3-Clause
// Reference of the factorisation: row by row, on CSR, one entry at a time.
#include "lib/ref/ildu0.h"

#include "host/alloc.h"

#include <math.h>
#include <string.h>

// A shift starts at this share of a row's largest entry and doubles.
#define FIRST_SHIFT 1e-3
enum { SHIFT_ROUNDS = 16 };

// The rows first .. last-1 under a policy.
struct window {
    struct lcl_ref_ildu0 *F;
    int64_t first, last;
    enum lcl_pivot pivot;
    bool positive; // negative pivots count as small
    double tol, shift;
};

static bool is_inside(const struct window *w, int64_t j)
{
    return j >= w->first && j < w->last;
}

// Where b_ij is stored, or -1.
static int64_t find(const struct lcl_csr *B, int64_t i, int64_t j)
{
    for (int64_t k = B->row_ptr[i]; k < B->row_ptr[i + 1]; ++k)
        if (B->col_ind[k] == j)
            return k;
    return -1;
}

// max_j |b_ij| over the window.
static double largest_of(const struct window *w, int64_t i)
{
    const struct lcl_csr *B = w->F->B;
    double largest = 0;
    for (int64_t k = B->row_ptr[i]; k < B->row_ptr[i + 1]; ++k)
        if (is_inside(w, B->col_ind[k]))
            largest = fmax(largest, fabs(B->val[k]));
    return largest;
}

// Row i -= l_ij (row j of D U) on the pattern of row i; F->val[k] holds
// a = l_ij d_j on entry, l_ij on return. Returns what d_i loses.
static double eliminate(const struct window *w, int64_t i, int64_t k)
{
    struct lcl_ref_ildu0 *F = w->F;
    const struct lcl_csr *B = F->B;
    const int64_t j = B->col_ind[k];
    const double a = F->val[k], l = a * F->inv_d[j];
    double from_diagonal = 0;
    F->val[k] = l;
    for (int64_t m = B->row_ptr[j]; m < B->row_ptr[j + 1]; ++m) {
        const int64_t c = B->col_ind[m];
        const double update = a * F->val[m];
        if (c <= j || !is_inside(w, c))
            continue;
        const int64_t at = find(B, i, c);
        if (c == i)
            from_diagonal += update;
        else if (at >= 0)
            F->val[at] -= update;
    }
    return from_diagonal;
}

// The pivot of a row whose largest entry is `largest`, or what replaces it:
// one of the size of the entry (REPLACE) or of tol times it, sign kept.
static double repair(const struct window *w, double d, double largest,
                     bool *small)
{
    const double size =
        w->pivot == LCL_PIVOT_REPLACE ? largest : w->tol * largest;
    *small = !isfinite(d) || (w->positive ? d : fabs(d)) <= w->tol * largest;
    if (!*small)
        return d;
    if (largest == 0)
        return 1;
    return isfinite(d) && !w->positive ? copysign(size, d) : size;
}

// l_ij = (a_ij - sum_k l_ik d_k u_kj) / d_j    for j < i,
// d_i  =  a_ii - sum_k l_ik d_k u_ki,
// u_ij = (a_ij - sum_k l_ik d_k u_kj) / d_i    for j > i,
// where the entry is stored. Returns whether the pivot was small.
static bool factor_row(const struct window *w, int64_t i)
{
    struct lcl_ref_ildu0 *F = w->F;
    const struct lcl_csr *B = F->B;
    const int64_t from = B->row_ptr[i], to = B->row_ptr[i + 1];
    const int64_t diagonal = find(B, i, i);
    const double largest = largest_of(w, i);
    double d = diagonal < 0 ? 0 : B->val[diagonal];
    bool small;
    memcpy(F->val + from, B->val + from, (size_t)(to - from) * sizeof *F->val);
    d += copysign(w->shift * largest, w->positive ? 1 : d);
    for (int64_t k = from; k < to && B->col_ind[k] < i; ++k)
        if (is_inside(w, B->col_ind[k]))
            d -= eliminate(w, i, k);
    F->inv_d[i] = 1 / repair(w, d, largest, &small);
    for (int64_t k = from; k < to; ++k)
        if (B->col_ind[k] > i)
            F->val[k] *= F->inv_d[i];
    return small;
}

// Returns how many pivots were small.
static int64_t factor_window(const struct window *w, unsigned char *bad)
{
    int64_t small_pivots = 0;
    for (int64_t i = w->first; i < w->last; ++i) {
        const bool small = factor_row(w, i);
        small_pivots += small;
        if (bad)
            bad[i] = small;
    }
    return small_pivots;
}

// With the policy SHIFT, again with a larger diagonal until no pivot is small
// (Manteuffel 1980).
static void factor_part(struct window *w)
{
    int64_t small_pivots = factor_window(w, w->F->bad);
    w->F->repaired += small_pivots;
    for (int round = 0; round < SHIFT_ROUNDS && small_pivots > 0 &&
                        w->pivot == LCL_PIVOT_SHIFT;
         ++round) {
        w->shift = w->shift == 0 ? FIRST_SHIFT : 2 * w->shift;
        small_pivots = factor_window(w, NULL);
    }
}

enum lcl_status lcl_ref_ildu0_init(struct lcl_ref_ildu0 *F,
                                   const struct lcl_csr *B,
                                   const int64_t *part_ptr, int64_t parts,
                                   const struct lcl_precond_params *params)
{
    const bool positive = params->type == LCL_PRECOND_IC0;
    *F = (struct lcl_ref_ildu0){
        .B = B,
        .part_ptr = part_ptr,
        .parts = parts,
        .val = lcl_calloc((size_t)B->nnz, sizeof *F->val),
        .inv_d = lcl_calloc((size_t)B->rows, sizeof *F->inv_d),
        .bad = lcl_calloc((size_t)B->rows, 1),
    };
    if (!F->val || !F->inv_d || !F->bad) {
        lcl_ref_ildu0_finish(F);
        return LCL_ENOMEM;
    }
    for (int64_t p = 0; p < parts; ++p) {
        struct window w = {
            .F = F,
            .first = part_ptr[p],
            .last = part_ptr[p + 1],
            .pivot =
                positive && !params->pivot ? LCL_PIVOT_SHIFT : params->pivot,
            .positive = positive,
            .tol = params->pivot_tol > 0 ? params->pivot_tol : 1e-10,
        };
        factor_part(&w);
    }
    return LCL_OK;
}

void lcl_ref_ildu0_finish(struct lcl_ref_ildu0 *F)
{
    lcl_free(F->val);
    lcl_free(F->inv_d);
    lcl_free(F->bad);
    *F = (struct lcl_ref_ildu0){0};
}
