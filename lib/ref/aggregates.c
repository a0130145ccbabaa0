// SPDX-License-Identifier: BSD-3-Clause
// Reference of strong couplings and aggregates.
#include "lib/ref/aggregates.h"

#include "cl/multilevel/aggregate.cl.h"
#include "host/alloc.h"

#include <math.h>
#include <string.h>

// ------------------------------------------------------------------- strength

double lcl_ref_row_sum(double *part)
{
    for (int count = AGGREGATE_SUMS / 2; count > 0; count /= 2)
        for (int q = 0; q < count; ++q)
            part[q] += part[q + count];
    return part[0];
}

// 1 / sqrt(m_i), or 0
static double root_of(const struct lcl_csr *A, int64_t i)
{
    double m = 0;
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
        if (A->col_ind[k] != i)
            m = fmax(m, fabs(A->val[k]));
    return m > 0 ? 1 / sqrt(m) : 0;
}

static double entry_at(const struct lcl_csr *A, int64_t i, int64_t j)
{
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
        if (A->col_ind[k] == j)
            return A->val[k];
    return 0;
}

static void find_strong(struct lcl_ref_strength *S, const struct lcl_csr *A,
                        const double *root, int64_t i, double theta, bool both)
{
    double weak[AGGREGATE_SUMS] = {0}, d = 0;
    int32_t count = 0;
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
        const int32_t j = A->col_ind[k];
        const double a = A->val[k];
        const bool strong =
            j != i && (aggregate_is_strong(a, root[i], root[j], theta) ||
                       (both && aggregate_is_strong(entry_at(A, j, i), root[i],
                                                    root[j], theta)));
        S->strong[k] =
            j == i ? 0 : aggregate_coupling(strong, a, root[i], theta);
        count += strong;
        if (j == i)
            d = a;
        else if (!S->strong[k])
            weak[(k - A->row_ptr[i]) % AGGREGATE_SUMS] += a;
    }
    const double df = aggregate_diagonal(d, lcl_ref_row_sum(weak));
    S->inv_diag[i] = isnormal(df) ? 1 / df : 0;
    S->strong_count[i] = root[i] > 0 ? count : -1;
}

enum lcl_status lcl_ref_strength_init(struct lcl_ref_strength *S,
                                      const struct lcl_csr *A, double theta,
                                      bool both)
{
    const size_t n = (size_t)A->rows;
    double *root = lcl_malloc(n, sizeof *root);
    *S = (struct lcl_ref_strength){
        .strong = lcl_malloc((size_t)A->nnz, sizeof *S->strong),
        .inv_diag = lcl_malloc(n, sizeof *S->inv_diag),
        .strong_count = lcl_malloc(n, sizeof *S->strong_count),
    };
    const bool there = root && S->strong && S->inv_diag && S->strong_count;
    for (int64_t i = 0; there && i < A->rows; ++i)
        root[i] = root_of(A, i);
    for (int64_t i = 0; there && i < A->rows; ++i)
        find_strong(S, A, root, i, theta, both);
    lcl_free(root);
    if (!there)
        lcl_ref_strength_finish(S);
    return there ? LCL_OK : LCL_ENOMEM;
}

void lcl_ref_strength_finish(struct lcl_ref_strength *S)
{
    lcl_free(S->strong_count);
    lcl_free(S->inv_diag);
    lcl_free(S->strong);
    *S = (struct lcl_ref_strength){.strong = NULL};
}

// ------------------------------------------------------------------- set

struct work {
    const struct lcl_csr *A;
    const struct lcl_ref_strength *S;
    uint8_t *state;
    uint64_t *near;
    int32_t *label, *new_label, *size;
};

static bool is_strong(const struct work *w, int64_t k)
{
    return w->S->strong[k] & COUPLING_STRONG;
}

static void choose_roots(const struct work *w)
{
    const int64_t n = w->A->rows;
    bool left = true;
    for (uint32_t round = 0; left; ++round) {
        left = false;
        for (int64_t i = 0; i < n; ++i) {
            w->near[i] = aggregate_key_of(w->state[i], (uint32_t)i, round);
            for (int64_t k = w->A->row_ptr[i]; k < w->A->row_ptr[i + 1]; ++k) {
                const int32_t j = w->A->col_ind[k];
                const uint64_t key =
                    aggregate_key_of(w->state[j], (uint32_t)j, round);
                if (is_strong(w, k) && key > w->near[i])
                    w->near[i] = key;
            }
            // other rows do not carry keys between rows without an aggregate
            if (w->label[i] != AGGREGATE_FREE)
                w->near[i] = 0;
        }
        for (int64_t i = 0; i < n; ++i) {
            uint64_t key = w->near[i];
            if (w->state[i] != AGGREGATE_UNDECIDED)
                continue;
            for (int64_t k = w->A->row_ptr[i]; k < w->A->row_ptr[i + 1]; ++k)
                if (is_strong(w, k) && w->near[w->A->col_ind[k]] > key)
                    key = w->near[w->A->col_ind[k]];
            if (key == AGGREGATE_HIGHEST)
                w->state[i] = AGGREGATE_OUT;
            else if (key == aggregate_key((uint32_t)i, round))
                w->state[i] = AGGREGATE_IN;
            else
                left = true;
        }
    }
}

static void join_rows(const struct work *w, struct lcl_ref_aggregates *G,
                      uint8_t set)
{
    choose_roots(w);
    for (int64_t i = 0; i < w->A->rows; ++i) {
        if (w->label[i] != AGGREGATE_FREE)
            continue;
        if (w->state[i] == AGGREGATE_IN) {
            w->label[i] = (int32_t)i;
            G->root[i] = set;
            continue;
        }
        for (int64_t k = w->A->row_ptr[i + 1]; k-- > w->A->row_ptr[i];)
            if (is_strong(w, k) && w->state[w->A->col_ind[k]] == AGGREGATE_IN)
                w->label[i] = w->A->col_ind[k];
    }
}

static void start_second(const struct work *w, int least)
{
    for (int64_t i = 0; i < w->A->rows; ++i) {
        int64_t count = 0;
        for (int64_t k = w->A->row_ptr[i]; k < w->A->row_ptr[i + 1]; ++k)
            count +=
                is_strong(w, k) && w->label[w->A->col_ind[k]] == AGGREGATE_FREE;
        w->state[i] = w->label[i] == AGGREGATE_FREE && count >= least
                          ? AGGREGATE_UNDECIDED
                          : AGGREGATE_OUT;
    }
}

// ------------------------------------------------------------------- join

// Those by which row i joins an aggregate.
static uint8_t bits_of(const struct work *w, int64_t i)
{
    return w->S->strong_count[i] > 0 ? COUPLING_STRONG : COUPLING_FILTERED;
}

static double coupling_of(const struct work *w, int64_t i, int32_t root)
{
    double sum = 0;
    for (int64_t k = w->A->row_ptr[i]; k < w->A->row_ptr[i + 1]; ++k)
        if ((w->S->strong[k] & bits_of(w, i)) &&
            w->label[w->A->col_ind[k]] == root)
            sum += fabs(w->A->val[k]);
    return sum;
}

static int32_t best_label(const struct work *w, int64_t i)
{
    const bool is_long =
        w->A->row_ptr[i + 1] - w->A->row_ptr[i] > AGGREGATE_LONG;
    double most = -1;
    int32_t best = AGGREGATE_FREE;
    for (int64_t k = w->A->row_ptr[i]; k < w->A->row_ptr[i + 1]; ++k) {
        const int32_t root = w->label[w->A->col_ind[k]];
        if (!(w->S->strong[k] & bits_of(w, i)) || root < 0)
            continue;
        const double sum =
            is_long ? fabs(w->A->val[k]) : coupling_of(w, i, root);
        if (sum > most || (sum == most &&
                           (w->size[root] < w->size[best] ||
                            (w->size[root] == w->size[best] && root < best)))) {
            most = sum;
            best = root;
        }
    }
    return best;
}

static void join(const struct work *w)
{
    const size_t bytes = (size_t)w->A->rows * sizeof *w->label;
    for (int64_t i = 0; i < w->A->rows; ++i)
        if (w->label[i] >= 0)
            ++w->size[w->label[i]];
    for (int sweep = 0; sweep < AGGREGATE_JOINS; ++sweep) {
        for (int64_t i = 0; i < w->A->rows; ++i)
            w->new_label[i] =
                w->label[i] == AGGREGATE_FREE ? best_label(w, i) : w->label[i];
        memcpy(w->label, w->new_label, bytes);
    }
    for (int64_t i = 0; i < w->A->rows; ++i)
        if (w->label[i] == AGGREGATE_FREE)
            w->label[i] = (int32_t)i;
}

static void number(const struct work *w, struct lcl_ref_aggregates *G)
{
    int32_t *number = w->new_label;
    for (int64_t i = 0; i < w->A->rows; ++i) {
        number[i] = (int32_t)G->aggregates;
        G->aggregates += w->label[i] == i;
    }
    for (int64_t i = 0; i < w->A->rows; ++i)
        G->aggregate[i] = w->label[i] < 0 ? -1 : number[w->label[i]];
}

// ------------------------------------------------------------------- all

static void find_aggregates(const struct work *w, struct lcl_ref_aggregates *G,
                            int second)
{
    for (int64_t i = 0; i < w->A->rows; ++i) {
        const int32_t count = w->S->strong_count[i];
        w->state[i] = count > 0 ? AGGREGATE_UNDECIDED : AGGREGATE_OUT;
        w->label[i] = count < 0 ? AGGREGATE_NONE : AGGREGATE_FREE;
    }
    join_rows(w, G, 1);
    if (second > 0) {
        start_second(w, second);
        join_rows(w, G, 2);
    }
    join(w);
    number(w, G);
}

enum lcl_status lcl_ref_aggregates_init(struct lcl_ref_aggregates *G,
                                        const struct lcl_csr *A,
                                        const struct lcl_ref_strength *S,
                                        int second)
{
    const size_t n = (size_t)A->rows;
    const struct work w = {
        .A = A,
        .S = S,
        .state = lcl_malloc(n, sizeof *w.state),
        .near = lcl_malloc(n, sizeof *w.near),
        .label = lcl_malloc(n, sizeof *w.label),
        .new_label = lcl_malloc(n, sizeof *w.new_label),
        .size = lcl_calloc(n, sizeof *w.size),
    };
    *G = (struct lcl_ref_aggregates){
        .aggregate = lcl_malloc(n, sizeof *G->aggregate),
        .root = lcl_calloc(n, sizeof *G->root),
    };
    const bool there = w.state && w.near && w.label && w.new_label && w.size &&
                       G->aggregate && G->root;
    if (there)
        find_aggregates(&w, G, second);
    void *const all[] = {w.state, w.near, w.label, w.new_label, w.size};
    for (size_t a = 0; a < sizeof all / sizeof *all; ++a)
        lcl_free(all[a]);
    if (!there)
        lcl_ref_aggregates_finish(G);
    return there ? LCL_OK : LCL_ENOMEM;
}

void lcl_ref_aggregates_finish(struct lcl_ref_aggregates *G)
{
    lcl_free(G->root);
    lcl_free(G->aggregate);
    *G = (struct lcl_ref_aggregates){.aggregates = 0};
}
