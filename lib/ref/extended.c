// SPDX-License-Identifier: BSD-3-Clause
// Reference of extended+i interpolation.
#include "lib/ref/extended.h"

#include "cl/multilevel/aggregate.cl.h"
#include "cl/multilevel/extended.cl.h"
#include "host/alloc.h"
#include "host/order.h"
#include "lib/matrix/csr.h"
#include "lib/ref/aggregates.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// A row of the interpolation: weight[e] of column key[e], both by e < count.
struct work {
    const struct lcl_csr *A;
    const struct lcl_ref_splitting *S;
    int most;
    int64_t count;
    int32_t *key;   // rows
    double *weight; // rows
    int32_t *place; // rows: of a candidate in key[]; -1 for other rows
    double total;   // the sum that the row shall have
};

// ------------------------------------------------------------------- C_i'

static void add_candidate(struct work *w, int64_t j)
{
    if (w->place[j] >= 0)
        return;
    w->place[j] = 0;
    w->key[w->count++] = (int32_t)j;
}

static void add_coarse(struct work *w, int64_t i, bool fine_ones)
{
    for (int64_t k = w->A->row_ptr[i]; k < w->A->row_ptr[i + 1]; ++k) {
        const int64_t j = w->A->col_ind[k];
        if (w->S->strong[k] && w->S->coarse[j] >= 0)
            add_candidate(w, j);
        else if (w->S->strong[k] && fine_ones)
            add_coarse(w, j, false);
    }
}

static void find_candidates(struct work *w, int64_t i)
{
    w->count = 0;
    add_candidate(w, i);
    add_coarse(w, i, true);
    lcl_sort_int32(w->key, w->count);
    for (int64_t e = 0; e < w->count; ++e)
        w->place[w->key[e]] = (int32_t)e;
}

static void forget_candidates(const struct work *w)
{
    for (int64_t e = 0; e < w->count; ++e)
        w->place[w->key[e]] = -1;
}

// ------------------------------------------------------------------- weights

static bool is_opposite(const struct work *w, int64_t i, double a)
{
    return w->S->negative[i] ? a > 0 : a < 0;
}

// a_ij of the candidates and, for row i, the diagonal and the weak couplings.
static void start_row(const struct work *w, int64_t i)
{
    const struct lcl_csr *A = w->A;
    double lump[AGGREGATE_SUMS] = {0}, d = 0;
    for (int64_t e = 0; e < w->count; ++e)
        w->weight[e] = 0;
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
        const int64_t j = A->col_ind[k];
        if (j == i)
            d = A->val[k];
        else if (w->place[j] >= 0)
            w->weight[w->place[j]] = A->val[k];
        else if (!w->S->strong[k])
            lump[(k - A->row_ptr[i]) % AGGREGATE_SUMS] += A->val[k];
    }
    w->weight[w->place[i]] = d + lcl_ref_row_sum(lump);
}

// Distributes a_ik to the candidates on which row k depends.
static void distribute(const struct work *w, int64_t i, int64_t k, double a)
{
    const struct lcl_csr *A = w->A;
    const int64_t from = A->row_ptr[k], to = A->row_ptr[k + 1];
    double part[AGGREGATE_SUMS] = {0};
    for (int64_t e = from; e < to; ++e)
        if (w->place[A->col_ind[e]] >= 0 && is_opposite(w, k, A->val[e]))
            part[(e - from) % AGGREGATE_SUMS] += A->val[e];
    const double s = lcl_ref_row_sum(part);
    if (!isnormal(s) || !isfinite(a / s)) {
        w->weight[w->place[i]] += a;
        return;
    }
    for (int64_t e = from; e < to; ++e) {
        const int32_t p = w->place[A->col_ind[e]];
        if (p >= 0 && is_opposite(w, k, A->val[e]))
            w->weight[p] = fma(a / s, A->val[e], w->weight[p]);
    }
}

// Leaves no weights if the divisor is not normal.
static void divide(struct work *w, int64_t i)
{
    const double d = w->weight[w->place[i]];
    double part[AGGREGATE_SUMS] = {0};
    for (int64_t e = 0; e < w->count; ++e) {
        const double q = isnormal(d) ? -(w->weight[e] / d) : 0;
        w->weight[e] = w->key[e] != i && isfinite(q) ? q : 0;
        part[e % AGGREGATE_SUMS] += w->weight[e];
    }
    w->total = lcl_ref_row_sum(part);
}

static void extend(struct work *w, int64_t i)
{
    start_row(w, i);
    for (int64_t k = w->A->row_ptr[i]; k < w->A->row_ptr[i + 1]; ++k)
        if (w->S->strong[k] && w->S->coarse[w->A->col_ind[k]] < 0)
            distribute(w, i, w->A->col_ind[k], w->A->val[k]);
    divide(w, i);
    forget_candidates(w);
}

// Direct interpolation; replaces the candidates.
static void copy_row(struct work *w, int64_t i)
{
    const struct lcl_csr *A = w->A;
    double same[AGGREGATE_SUMS] = {0}, opposite[AGGREGATE_SUMS] = {0}, d = 0;
    forget_candidates(w);
    w->count = 0;
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
        const int64_t j = A->col_ind[k],
                      q = (k - A->row_ptr[i]) % AGGREGATE_SUMS;
        if (j == i)
            d = A->val[k];
        else if (is_opposite(w, i, A->val[k]))
            opposite[q] += A->val[k];
        else
            same[q] += A->val[k];
        if (w->S->strong[k] && w->S->coarse[j] >= 0) {
            w->weight[w->count] = A->val[k];
            w->key[w->count++] = (int32_t)j;
        }
    }
    d += lcl_ref_row_sum(same);
    w->total = -(lcl_ref_row_sum(opposite) / d);
    if (!isnormal(d))
        w->count = 0;
}

// ------------------------------------------------------------------- largest

// Clears all weights but the `most` largest ones.
static void keep_largest(const struct work *w)
{
    for (int64_t e = 0; e < w->count; ++e) {
        int before = 0;
        for (int64_t f = 0; f < w->count; ++f)
            before += fabs(w->weight[f]) > fabs(w->weight[e]) ||
                      (fabs(w->weight[f]) == fabs(w->weight[e]) && f < e);
        w->place[e] = before < w->most ? 0 : -2;
    }
    for (int64_t e = 0; e < w->count; ++e) {
        if (w->place[e] == -2)
            w->weight[e] = 0;
        w->place[e] = -1;
    }
}

static void append_row(const struct work *w, struct lcl_csr *P)
{
    double kept = 0;
    for (int64_t e = w->count - 1; e >= 0; --e)
        kept += w->weight[e];
    const double ratio = w->total / kept;
    const double scale = kept != 0 && isnormal(ratio) ? ratio : 1;
    for (int64_t e = 0; e < w->count; ++e) {
        if (w->weight[e] == 0)
            continue;
        P->col_ind[P->nnz] = w->S->coarse[w->key[e]];
        P->val[P->nnz++] = w->weight[e] * scale;
    }
}

static void interpolate(struct work *w, struct lcl_csr *P, int64_t i)
{
    if (w->S->coarse[i] >= 0) {
        P->col_ind[P->nnz] = w->S->coarse[i];
        P->val[P->nnz++] = 1;
        return;
    }
    find_candidates(w, i);
    if (w->count > EXTENDED_KEYS)
        copy_row(w, i);
    else
        extend(w, i);
    keep_largest(w);
    append_row(w, P);
}

enum lcl_status lcl_ref_extended(struct lcl_csr *P, const struct lcl_csr *A,
                                 const struct lcl_ref_splitting *S, int most)
{
    const size_t n = (size_t)A->rows;
    struct work w = {
        .A = A,
        .S = S,
        .most = most,
        .key = lcl_malloc(n, sizeof *w.key),
        .weight = lcl_malloc(n, sizeof *w.weight),
        .place = lcl_malloc(n, sizeof *w.place),
    };
    *P = (struct lcl_csr){
        .rows = A->rows,
        .cols = S->count,
        .row_ptr = lcl_calloc(n + 1, sizeof *P->row_ptr),
        .col_ind = lcl_malloc(n * (size_t)most, sizeof *P->col_ind),
        .val = lcl_malloc(n * (size_t)most, sizeof *P->val),
    };
    const bool enough =
        w.key && w.weight && w.place && P->row_ptr && P->col_ind && P->val;
    if (enough)
        memset(w.place, 0xff, n * sizeof *w.place);
    for (int64_t i = 0; i < A->rows && enough; ++i) {
        interpolate(&w, P, i);
        P->row_ptr[i + 1] = P->nnz;
    }
    lcl_free(w.key);
    lcl_free(w.weight);
    lcl_free(w.place);
    if (!enough)
        lcl_csr_finish(P);
    return enough ? LCL_OK : LCL_ENOMEM;
}
