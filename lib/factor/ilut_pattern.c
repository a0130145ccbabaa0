// SPDX-License-Identifier: BSD-3-Clause
// The pattern of ILUT: the number of a column is its value in the row of L D
// and U.
#include "lib/factor/ilut_pattern.h"

#include "host/log.h"
#include "lib/factor/pattern_maker.h"

#include <math.h>

#define PIVOT_TOL 1e-10

// Of a row of A.
struct norms {
    double two, largest;
};

static struct norms row_norms(struct lcl_pattern_maker *m, int32_t i,
                              bool comparison)
{
    struct norms norms = {0, 0};
    for (LCL_COLUMNS(c, m, 0, m->rows)) {
        if (comparison && c != i)
            m->value[c] = -m->value[c];
        norms.two = hypot(norms.two, m->value[c]);
        norms.largest = fmax(norms.largest, fabs(m->value[c]));
    }
    return norms;
}

// Subtracts value[j] / d_j times row j of U. Returns whether to go on.
static bool eliminate(struct lcl_pattern_maker *m, int32_t j)
{
    const double factor = m->value[j] / m->diagonal[j];
    const int64_t end = lcl_pattern_upper_end(m, j);
    const int32_t *col = m->H.col;
    const double *entry = m->entry - m->first_entry;
    double *value = m->value;
    for (int64_t e = m->upper[j]; e < end; ++e) {
        const int32_t c = (int32_t)(col[e] - m->first_row);
        lcl_pattern_visit(m, c, 0);
        value[c] -= factor * entry[e];
    }
    return lcl_pattern_goes_on(m, end - m->upper[j]);
}

// By descending magnitude, then by ascending column.
static bool precedes(const struct lcl_candidate *x,
                     const struct lcl_candidate *y)
{
    return x->size != y->size ? x->size > y->size : x->column < y->column;
}

// Partitions `count` candidates around the middle one: the candidates that
// precede it come before it. Returns its place then. All differ.
static int32_t divide(struct lcl_candidate *all, int32_t count)
{
    const struct lcl_candidate pivot = all[count / 2];
    int32_t low = 0, high = count - 1;
    for (;;) {
        while (precedes(&all[low], &pivot))
            ++low;
        while (precedes(&pivot, &all[high]))
            --high;
        if (low == high)
            return low;
        const struct lcl_candidate kept = all[low];
        all[low] = all[high];
        all[high] = kept;
    }
}

// Moves the first p of them to the front, 0 < p < count.
static void select_first(struct lcl_candidate *all, int32_t count, int32_t p)
{
    while (p > 0 && p < count) {
        const int32_t at = divide(all, count);
        if (at >= p) {
            count = at;
        } else {
            all += at + 1;
            count -= at + 1;
            p -= at + 1;
        }
    }
}

// Drops the columns `from` .. end-1, but the p largest of at least `least`.
static void keep_largest(struct lcl_pattern_maker *m, int32_t from, int32_t end,
                         const struct lcl_ilut *T, double least)
{
    struct lcl_candidate *all = m->candidate;
    int32_t count = 0;
    for (LCL_COLUMNS(c, m, from, end))
        if (fabs(m->value[c]) >= least && m->value[c] != 0)
            all[count++] = (struct lcl_candidate){fabs(m->value[c]), c};
        else
            lcl_pattern_drop(m, c);
    if (count <= T->p)
        return;
    select_first(all, count, T->p);
    for (int32_t k = T->p; k < count; ++k)
        lcl_pattern_drop(m, all[k].column);
}

static double pivot_of(double value, double largest)
{
    const double least = largest > 0 ? PIVOT_TOL * largest : 1;
    return fabs(value) >= least ? value : copysign(least, value);
}

static void keep_large(struct lcl_pattern_maker *m, int32_t i)
{
    const struct lcl_ilut *T = m->params;
    const struct norms norms = row_norms(m, i, T->comparison);
    const double least = T->tol * norms.two;
    for (LCL_COLUMNS(j, m, 0, i))
        if (fabs(m->value[j]) >= least && !eliminate(m, j))
            return;
    keep_largest(m, 0, i, T, least);
    m->diagonal[i] = pivot_of(lcl_column_set_has(&m->set, i) ? m->value[i] : 0,
                              norms.largest);
    keep_largest(m, i + 1, m->rows, T, least);
}

enum lcl_status lcl_ilut_pattern(struct lcl_host_pattern *H,
                                 const struct lcl_csr *A, const double *val,
                                 const struct lcl_subdomains *P,
                                 const struct lcl_ilut *params,
                                 const struct lcl_fill_limit *limit,
                                 const struct lcl_log *log)
{
    const struct lcl_pattern_maker model = {
        .A = A,
        .P = P,
        .rule = keep_large,
        .params = params,
        .val = val,
        .limit = limit ? limit->time : NULL,
        .H = {.most = limit ? limit->most : 0}};
    *H = (struct lcl_host_pattern){.rows = 0};
    return params->p < 1 || !(params->tol >= 0 && params->tol < INFINITY)
               ? lcl_fail(log, LCL_EINVAL,
                          "ILUT(%d, %g): expected p >= 1 and a tolerance "
                          ">= 0",
                          params->p, params->tol)
               : lcl_pattern_make(H, &model, log);
}
