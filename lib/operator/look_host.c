// SPDX-License-Identifier: BSD-3-Clause
// What a matrix in host memory looks like, row by row.
#include "lib/operator/look.h"

#include "lib/matrix/bsr.h"

#include "cl/operator/look.cl.h"

#include <math.h>

void lcl_look_add_asymmetry(double sum[2], int64_t i, int64_t j, double a)
{
    const uint32_t hi = look_hash((uint64_t)i), hj = look_hash((uint64_t)j);
    const double uw = look_u(hi) * look_w(hj), wu = look_w(hi) * look_u(hj);
    sum[0] += a * (uw - wu);
    sum[1] += fabs(a) * (fabs(uw) + fabs(wu));
}

// The sums over a row.
struct row {
    double diagonal, above, below, couplings;
};

static void add_row(double *sum, const struct row *s)
{
    const double all = s->above + s->below;
    sum[0] += s->diagonal > 0;
    sum[1] += s->diagonal < 0;
    sum[2] += all > LOOK_CLOSE * fabs(s->diagonal);
    sum[3] += all > LOOK_LOOSE * fabs(s->diagonal);
    sum[4] += s->diagonal < 0 ? s->above : s->below;
    sum[5] += all;
    sum[6] += s->couplings;
    sum[7] += s->couplings * s->couplings;
}

static void add_entry(struct row *s, double a, bool own)
{
    if (own)
        s->diagonal += a;
    else if (a > 0)
        s->above += a;
    else
        s->below -= a;
    s->couplings += !own && a != 0;
}

// Row r of block row i.
static void look_at_row(double *sum, const struct lcl_bsr *A, int64_t i, int r)
{
    const int b = A->block_size;
    struct row s = {0};
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
        for (int c = 0; c < b; ++c) {
            const double a = A->val[(k * b + r) * b + c];
            lcl_look_add_asymmetry(sum + LOOK_ASYMMETRY, i * b + r,
                                   (int64_t)A->col_ind[k] * b + c, a);
            add_entry(&s, a, A->col_ind[k] == i && c == r);
        }
    add_row(sum, &s);
}

void lcl_look_host_sums(double *sum, const struct lcl_bsr *A)
{
    for (int q = 0; q < LOOK_SUMS; ++q)
        sum[q] = 0;
    for (int64_t i = 0; i < A->rows; ++i)
        for (int r = 0; r < A->block_size; ++r)
            look_at_row(sum, A, i, r);
}

void lcl_look_host(struct lcl_look *look, const struct lcl_csr *A)
{
    const struct lcl_bsr B = lcl_bsr_of_csr(A);
    double sum[LOOK_SUMS];
    lcl_look_host_sums(sum, &B);
    lcl_look_take(look, sum);
}
