// SPDX-License-Identifier: BSD-3-Clause
// Reference of statistics of couplings.
#include "lib/ref/couplings.h"

#include "cl/multilevel/aggregate.cl.h"
#include "cl/multilevel/couplings.cl.h"
#include "host/alloc.h"
#include "lib/ref/aggregates.h"

#include <math.h>
#include <stdlib.h>

struct row {
    double opposite, all, ratio; // ratio: 0 without couplings
};

static struct row survey_row(const struct lcl_csr *A, int64_t i)
{
    double opposite[AGGREGATE_SUMS] = {0}, all[AGGREGATE_SUMS] = {0};
    double d = 0, most = 0, least = INFINITY;
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
        if (A->col_ind[k] == i)
            d = A->val[k];
        else
            most = fmax(most, fabs(A->val[k]));
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
        const int64_t q = (k - A->row_ptr[i]) % AGGREGATE_SUMS;
        const double a = A->val[k];
        if (A->col_ind[k] == i)
            continue;
        all[q] += fabs(a);
        if (d < 0 ? a > 0 : a < 0)
            opposite[q] += fabs(a);
        if (a != 0 && fabs(a) >= COUPLINGS_NOISE * most)
            least = fmin(least, fabs(a));
    }
    return (struct row){lcl_ref_row_sum(opposite), lcl_ref_row_sum(all),
                        most > 0 ? most / least : 0};
}

// Sums of COUPLINGS_EACH numbers, then of as many sums, to the last one.
static double add_up(double *v, int64_t n)
{
    for (int64_t count = n; count > 1;) {
        int64_t sums = 0;
        for (int64_t k = 0; k < count; ++sums) {
            double sum = 0;
            for (int e = 0; e < COUPLINGS_EACH && k < count; ++e)
                sum += v[k++];
            v[sums] = sum;
        }
        count = sums;
    }
    return n > 0 ? v[0] : 0;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum lcl_status lcl_ref_couplings(struct lcl_ref_couplings *out,
                                  const struct lcl_csr *A)
{
    const size_t n = (size_t)A->rows;
    double *opposite = lcl_malloc(n, sizeof *opposite);
    double *all = lcl_malloc(n, sizeof *all);
    double *ratio = lcl_malloc(n, sizeof *ratio);
    const enum lcl_status st = opposite && all && ratio ? LCL_OK : LCL_ENOMEM;
    *out = (struct lcl_ref_couplings){.rows = 0};
    for (int64_t i = 0; st == LCL_OK && i < A->rows; ++i) {
        const struct row r = survey_row(A, i);
        opposite[i] = r.opposite;
        all[i] = r.all;
        if (r.ratio > 0)
            ratio[out->rows++] = r.ratio;
    }
    if (st == LCL_OK) {
        const double sum = add_up(all, A->rows);
        const double part = add_up(opposite, A->rows);
        out->opposite = sum > 0 && isfinite(sum) ? part / sum : 0;
        qsort(ratio, (size_t)out->rows, sizeof *ratio, by_size);
        out->median = out->rows > 0 ? ratio[(out->rows - 1) / 2] : 0;
    }
    lcl_free(opposite);
    lcl_free(all);
    lcl_free(ratio);
    return st;
}
