// SPDX-License-Identifier: BSD-3-Clause
// Reference of coarse/fine splittings.
#include "lib/ref/splitting.h"

#include "cl/multilevel/splitting.cl.h"
#include "host/alloc.h"

#include <math.h>
#include <stdbool.h>

static void find_strong(struct lcl_ref_splitting *S, const struct lcl_csr *A,
                        int64_t i, double theta, uint32_t *counts)
{
    double d = 0, largest = 0;
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
        if (A->col_ind[k] == i)
            d = A->val[k];
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
        if (A->col_ind[k] != i)
            largest = fmax(largest, d < 0 ? A->val[k] : -A->val[k]);
    S->negative[i] = d < 0;
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
        const int32_t j = A->col_ind[k];
        S->strong[k] =
            j != i && splitting_is_strong(A->val[k], d < 0, largest, theta);
        counts[j] += S->strong[k];
    }
}

struct work {
    const struct lcl_csr *A;
    const struct lcl_ref_splitting *S;
    uint32_t *counts;
    uint8_t *state;
    uint8_t *smaller; // than an undecided neighbour
};

static void find_smaller(const struct work *w)
{
    for (int64_t i = 0; i < w->A->rows; ++i)
        w->smaller[i] = 0;
    for (int64_t i = 0; i < w->A->rows; ++i)
        for (int64_t k = w->A->row_ptr[i]; k < w->A->row_ptr[i + 1]; ++k) {
            const int64_t j = w->A->col_ind[k];
            if (!w->S->strong[k] || w->state[i] != SPLITTING_UNDECIDED ||
                w->state[j] != SPLITTING_UNDECIDED)
                continue;
            const bool less = splitting_measure(w->counts[i], (uint32_t)i) <
                              splitting_measure(w->counts[j], (uint32_t)j);
            w->smaller[less ? i : j] = 1;
        }
}

// Returns whether rows remain undecided.
static bool decide(const struct work *w)
{
    bool left = false;
    for (int64_t i = 0; i < w->A->rows; ++i)
        if (w->state[i] == SPLITTING_UNDECIDED && !w->smaller[i])
            w->state[i] = SPLITTING_COARSE;
    for (int64_t i = 0; i < w->A->rows; ++i) {
        if (w->state[i] != SPLITTING_UNDECIDED)
            continue;
        for (int64_t k = w->A->row_ptr[i]; k < w->A->row_ptr[i + 1]; ++k)
            if (w->S->strong[k] &&
                w->state[w->A->col_ind[k]] == SPLITTING_COARSE)
                w->state[i] = SPLITTING_FINE;
        left = left || w->state[i] == SPLITTING_UNDECIDED;
    }
    return left;
}

static void split(const struct work *w, struct lcl_ref_splitting *S)
{
    for (int64_t i = 0; i < w->A->rows; ++i)
        w->state[i] = w->counts[i] > 0 ? SPLITTING_UNDECIDED : SPLITTING_FINE;
    do
        find_smaller(w);
    while (decide(w));
    for (int64_t i = 0; i < w->A->rows; ++i)
        S->coarse[i] =
            w->state[i] == SPLITTING_COARSE ? (int32_t)S->count++ : -1;
}

enum lcl_status lcl_ref_splitting_init(struct lcl_ref_splitting *S,
                                       const struct lcl_csr *A, double theta)
{
    const size_t n = (size_t)A->rows;
    struct work w = {
        .A = A,
        .S = S,
        .counts = lcl_calloc(n, sizeof *w.counts),
        .state = lcl_malloc(n, 1),
        .smaller = lcl_malloc(n, 1),
    };
    *S = (struct lcl_ref_splitting){
        .strong = lcl_malloc((size_t)A->nnz, 1),
        .negative = lcl_malloc(n, 1),
        .coarse = lcl_malloc(n, sizeof *S->coarse),
    };
    const bool there = w.counts && w.state && w.smaller && S->strong &&
                       S->negative && S->coarse;
    for (int64_t i = 0; there && i < A->rows; ++i)
        find_strong(S, A, i, theta, w.counts);
    if (there)
        split(&w, S);
    lcl_free(w.counts);
    lcl_free(w.state);
    lcl_free(w.smaller);
    if (!there)
        lcl_ref_splitting_finish(S);
    return there ? LCL_OK : LCL_ENOMEM;
}

void lcl_ref_splitting_finish(struct lcl_ref_splitting *S)
{
    lcl_free(S->coarse);
    lcl_free(S->negative);
    lcl_free(S->strong);
    *S = (struct lcl_ref_splitting){.strong = NULL};
}
