// SPDX-License-Identifier: BSD-3-Clause
// Transversals of largest product by shortest augmenting paths.
#include "lib/matrix/transversal.h"

#include "host/alloc.h"
#include "host/limit.h"
#include "host/log.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

// Rows are matched with columns at costs c_ij >= 0; u_i + v_j <= c_ij, with
// equality for the pairs that are matched. A search from a row without a column
// is Dijkstra's algorithm in the reduced costs c_ij - u_i - v_j.
struct search {
    const struct lcl_csr *A;
    double *cost; // of the entries; infinite for zeros
    double *u, *v;
    int32_t *column_of, *row_of; // -1: none
    // State of one search, by column
    double *distance; // infinite: not reached
    int32_t *from;    // row before it
    int32_t *place;   // in the heap
    int32_t *heap, heap_size;
    int32_t *done, done_count; // columns whose distance is final
};

// ------------------------------------------------------------------- heap

static void put(struct search *s, int32_t place, int32_t j)
{
    s->heap[place] = j;
    s->place[j] = place;
}

static void rise(struct search *s, int32_t j)
{
    int32_t at = s->place[j];
    for (; at > 0; at = (at - 1) / 2) {
        const int32_t above = s->heap[(at - 1) / 2];
        if (s->distance[above] <= s->distance[j])
            break;
        put(s, at, above);
    }
    put(s, at, j);
}

static int32_t pop(struct search *s)
{
    const int32_t top = s->heap[0], j = s->heap[--s->heap_size];
    int32_t at = 0;
    for (;;) {
        int32_t below = 2 * at + 1;
        if (below + 1 < s->heap_size &&
            s->distance[s->heap[below + 1]] < s->distance[s->heap[below]])
            ++below;
        if (below >= s->heap_size ||
            s->distance[j] <= s->distance[s->heap[below]])
            break;
        put(s, at, s->heap[below]);
        at = below;
    }
    if (s->heap_size > 0)
        put(s, at, j);
    return top;
}

// Sets the distance of column j, on the path over `row`.
static void reach(struct search *s, int32_t j, double distance, int32_t row)
{
    const bool known = isfinite(s->distance[j]);
    s->distance[j] = distance;
    s->from[j] = row;
    if (!known)
        put(s, s->heap_size++, j);
    rise(s, j);
}

// ------------------------------------------------------------------- searches

static double reduced(const struct search *s, int64_t i, int64_t k)
{
    return s->cost[k] - s->v[s->A->col_ind[k]] - s->u[i];
}

// Dijkstra's search from `row`. Returns the nearest column without a row and
// its distance *length, or -1.
static int32_t walk(struct search *s, int32_t row, double *length)
{
    const struct lcl_csr *A = s->A;
    int32_t i = row, end = -1;
    double base = 0;
    *length = INFINITY;
    for (;;) {
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
            const int32_t j = A->col_ind[k];
            const double distance = base + fmax(reduced(s, i, k), 0);
            if (!(distance < *length) || !(distance < s->distance[j]))
                continue;
            reach(s, j, distance, i);
            if (s->row_of[j] < 0) {
                *length = distance;
                end = j;
            }
        }
        if (s->heap_size == 0 || s->distance[s->heap[0]] >= *length)
            return end;
        const int32_t j = pop(s);
        s->done[s->done_count++] = j;
        base = s->distance[j];
        i = s->row_of[j];
    }
}

// Changes u and v so that all reduced costs on the path to column `end` are 0,
// and matches along the path.
static void augment(struct search *s, int32_t row, int32_t end, double length)
{
    s->u[row] += length;
    for (int32_t d = 0; d < s->done_count; ++d) {
        const int32_t j = s->done[d];
        s->v[j] -= length - s->distance[j];
        s->u[s->row_of[j]] += length - s->distance[j];
    }
    for (int32_t j = end, next; j >= 0; j = next) {
        const int32_t i = s->from[j];
        next = s->column_of[i];
        s->column_of[i] = j;
        s->row_of[j] = i;
    }
}

// Resets the columns that the search has reached.
static void forget(struct search *s)
{
    for (int32_t d = 0; d < s->done_count; ++d)
        s->distance[s->done[d]] = INFINITY;
    for (int32_t h = 0; h < s->heap_size; ++h)
        s->distance[s->heap[h]] = INFINITY;
    s->done_count = s->heap_size = 0;
}

static bool match_row(struct search *s, int32_t row)
{
    double length;
    const int32_t end = walk(s, row, &length);
    if (end >= 0)
        augment(s, row, end, length);
    forget(s);
    return end >= 0;
}

// ------------------------------------------------------------------- start

static double largest_of(const struct lcl_csr *A, int64_t i)
{
    double most = 0;
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
        most = fmax(most, fabs(A->val[k]));
    return most;
}

// Costs, dual variables, and the pairs that are tight with them.
static void begin(struct search *s)
{
    const struct lcl_csr *A = s->A;
    for (int64_t j = 0; j < A->rows; ++j) {
        s->v[j] = s->distance[j] = INFINITY;
        s->row_of[j] = s->column_of[j] = -1;
    }
    for (int64_t i = 0; i < A->rows; ++i) {
        const double most = log2(largest_of(A, i));
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
            s->cost[k] =
                A->val[k] == 0 ? INFINITY : most - log2(fabs(A->val[k]));
            s->v[A->col_ind[k]] = fmin(s->v[A->col_ind[k]], s->cost[k]);
        }
    }
    for (int64_t j = 0; j < A->rows; ++j)
        if (isinf(s->v[j]))
            s->v[j] = 0;
    for (int64_t i = 0; i < A->rows; ++i) {
        double least = INFINITY;
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            least = fmin(least, s->cost[k] - s->v[A->col_ind[k]]);
        s->u[i] = isinf(least) ? 0 : least;
        for (int64_t k = A->row_ptr[i];
             k < A->row_ptr[i + 1] && s->column_of[i] < 0; ++k) {
            const int32_t j = A->col_ind[k];
            if (s->row_of[j] < 0 && reduced(s, i, k) <= 0) {
                s->column_of[i] = j;
                s->row_of[j] = (int32_t)i;
            }
        }
    }
}

static enum lcl_status run(struct search *s, const struct lcl_limit *limit,
                           const struct lcl_log *log)
{
    begin(s);
    for (int64_t i = 0; i < s->A->rows; ++i) {
        if (s->column_of[i] >= 0)
            continue;
        if (lcl_limit_is_over(limit))
            return lcl_limit_refuse(limit, log);
        if (!match_row(s, (int32_t)i))
            return lcl_fail(log, LCL_EPIVOT,
                            "the matrix is singular: no permutation of its "
                            "columns brings nonzeros to the whole diagonal "
                            "(row %lld)",
                            (long long)i + 1);
    }
    return LCL_OK;
}

// ------------------------------------------------------------------- life

static bool search_init(struct search *s, const struct lcl_csr *A)
{
    const size_t n = (size_t)A->rows;
    *s = (struct search){
        .A = A,
        .cost = lcl_malloc((size_t)A->nnz, sizeof *s->cost),
        .u = lcl_malloc(n, sizeof *s->u),
        .v = lcl_malloc(n, sizeof *s->v),
        .column_of = lcl_malloc(n, sizeof *s->column_of),
        .row_of = lcl_malloc(n, sizeof *s->row_of),
        .distance = lcl_malloc(n, sizeof *s->distance),
        .from = lcl_malloc(n, sizeof *s->from),
        .place = lcl_malloc(n, sizeof *s->place),
        .heap = lcl_malloc(n, sizeof *s->heap),
        .done = lcl_malloc(n, sizeof *s->done),
    };
    return s->cost && s->u && s->v && s->column_of && s->row_of &&
           s->distance && s->from && s->place && s->heap && s->done;
}

static void search_finish(struct search *s)
{
    void *const all[] = {s->cost, s->u,     s->v,    s->column_of, s->row_of,
                         s->from, s->place, s->heap, s->done,      s->distance};
    for (size_t k = 0; k < sizeof all / sizeof *all; ++k)
        lcl_free(all[k]);
}

// 2^exponent, finite: with a subnormal entry it may lie beyond doubles.
static double power_of_two(double exponent)
{
    return exp2(rint(fmax(DBL_MIN_EXP, fmin(exponent, DBL_MAX_EXP - 1))));
}

// r_i = 2^u_i / max_k |a_ik|, c_j = 2^v_j, rounded to powers of two.
static enum lcl_status store_result(struct lcl_transversal *T, struct search *s,
                                    const struct lcl_log *log)
{
    const int64_t n = s->A->rows;
    T->row_scale = lcl_malloc((size_t)n, sizeof *T->row_scale);
    T->column_scale = lcl_malloc((size_t)n, sizeof *T->column_scale);
    if (!T->row_scale || !T->column_scale)
        return lcl_fail_memory(log, "scalings");
    for (int64_t i = 0; i < n; ++i) {
        T->row_scale[i] = power_of_two(s->u[i] - log2(largest_of(s->A, i)));
        T->column_scale[i] = power_of_two(s->v[i]);
    }
    T->n = n;
    T->column = s->column_of;
    s->column_of = NULL;
    return LCL_OK;
}

enum lcl_status lcl_transversal_find(struct lcl_transversal *T,
                                     const struct lcl_csr *A,
                                     const struct lcl_limit *limit,
                                     const struct lcl_log *log)
{
    struct search s;
    enum lcl_status st;
    *T = (struct lcl_transversal){.n = 0};
    if (!search_init(&s, A))
        st = lcl_fail_memory(log, "a transversal");
    else if ((st = run(&s, limit, log)) == LCL_OK)
        st = store_result(T, &s, log);
    search_finish(&s);
    if (st < 0)
        lcl_transversal_finish(T);
    return st;
}

void lcl_transversal_finish(struct lcl_transversal *T)
{
    lcl_free(T->column);
    lcl_free(T->row_scale);
    lcl_free(T->column_scale);
    *T = (struct lcl_transversal){.n = 0};
}
