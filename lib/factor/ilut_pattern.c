// SPDX-License-Identifier: BSD-3-Clause
// The pattern of ILUT: the number of a column is its value in the row of L D
// and U.
#include "lib/factor/ilut_pattern.h"

#include "host/log.h"
#include "lib/factor/pattern_maker.h"

#include <math.h>
#include <stdlib.h>

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

// Subtracts value[j] / d_j times row j of U.
static void eliminate(struct lcl_pattern_maker *m, int32_t j)
{
    const double factor = m->value[j] / m->diagonal[j];
    for (int64_t e = m->upper[j]; e < lcl_pattern_upper_end(m, j); ++e) {
        const int32_t c = (int32_t)(m->H.col[e] - m->first_row);
        lcl_pattern_visit(m, c, 0);
        m->value[c] -= factor * m->entry[e - m->first_entry];
    }
}

// By descending magnitude, then by ascending column.
static int compare(const void *a, const void *b)
{
    const struct lcl_candidate *x = a, *y = b;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
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
    qsort(all, (size_t)count, sizeof *all, compare);
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
        if (fabs(m->value[j]) >= least)
            eliminate(m, j);
    keep_largest(m, 0, i, T, least);
    m->diagonal[i] = pivot_of(lcl_column_set_has(&m->set, i) ? m->value[i] : 0,
                              norms.largest);
    keep_largest(m, i + 1, m->rows, T, least);
}

enum lcl_status lcl_ilut_pattern(struct lcl_host_pattern *H,
                                 const struct lcl_csr *A, const double *val,
                                 const struct lcl_subdomains *P,
                                 const struct lcl_ilut *params, int64_t most,
                                 const struct lcl_log *log)
{
    const struct lcl_pattern_maker model = {.A = A,
                                            .P = P,
                                            .rule = keep_large,
                                            .params = params,
                                            .val = val,
                                            .H = {.most = most}};
    *H = (struct lcl_host_pattern){.rows = 0};
    return params->p < 1 || !(params->tol >= 0 && params->tol < INFINITY)
               ? lcl_fail(log, LCL_EINVAL,
                          "ILUT(%d, %g): expected p >= 1 and a tolerance "
                          ">= 0",
                          params->p, params->tol)
               : lcl_pattern_make(H, &model, log);
}
