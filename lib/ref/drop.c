// SPDX-License-Identifier: BSD-3-Clause
// Reference of the statistics that the symbolic phase computes from the values
// of a matrix.
#include "lib/ref/drop.h"

#include "lib/matrix/csr.h"

#include <math.h>

struct tally {
    int64_t kept, dropped, diagonals;
    double kept_weight, dropped_weight; // off-diagonal
};

static void count_row(struct tally *T, const struct lcl_csr *B, int64_t i,
                      int64_t first, int64_t last)
{
    for (int64_t k = B->row_ptr[i]; k < B->row_ptr[i + 1]; ++k) {
        const int64_t j = B->col_ind[k];
        if (j < first || j >= last) {
            ++T->dropped;
            T->dropped_weight += fabs(B->val[k]);
            continue;
        }
        ++T->kept;
        if (j == i)
            ++T->diagonals;
        else
            T->kept_weight += fabs(B->val[k]);
    }
}

static double opposite_share(const struct lcl_csr *A)
{
    double all = 0, opposite = 0;
    for (int64_t i = 0; i < A->rows; ++i) {
        const int64_t at = lcl_csr_find(A, i, i);
        const double d = at < 0 ? 0 : A->val[at];
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1] && d != 0; ++k) {
            const double coupling = k == at ? 0 : A->val[k] / d;
            all += fabs(coupling);
            opposite += coupling < 0 ? -coupling : 0;
        }
    }
    return all > 0 ? opposite / all : 0;
}

static bool has_both_signs(const struct lcl_csr *A)
{
    bool positive = false, negative = false;
    for (int64_t i = 0; i < A->rows; ++i) {
        const int64_t at = lcl_csr_find(A, i, i);
        positive |= at >= 0 && A->val[at] > 0;
        negative |= at >= 0 && A->val[at] < 0;
    }
    return positive && negative;
}

struct lcl_drop_info lcl_ref_drop(const struct lcl_subdomains *P,
                                  const struct lcl_csr *B)
{
    struct tally T = {0};
    for (int64_t p = 0; p < P->parts; ++p)
        for (int64_t i = P->part_ptr[p]; i < P->part_ptr[p + 1]; ++i)
            count_row(&T, B, i, P->part_ptr[p], P->part_ptr[p + 1]);
    const int64_t couplings = T.kept - T.diagonals + T.dropped;
    const double weight = T.kept_weight + T.dropped_weight;
    return (struct lcl_drop_info){
        .kept = T.kept,
        .share = couplings ? (double)T.dropped / (double)couplings : 0,
        .weight = weight > 0 ? T.dropped_weight / weight : 0,
        .missing_diagonals = P->n - T.diagonals,
        .opposite = opposite_share(B),
        .mixed = has_both_signs(B),
    };
}
