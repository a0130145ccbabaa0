// SPDX-License-Identifier: BSD-3-Clause
// Coupling strengths as integer edge weights for METIS.
#include "lib/partition/weights.h"

#include "host/alloc.h"
#include "host/log.h"

// The value is uncritical: 20, 1000 and 100,000 gave iteration counts within 2
// % of each other on a heterogeneous 60 x 220 x 20 reservoir grid.
static const double scale_wanted = 1000;

// A zero diagonal counts as the largest entry of its row, an empty row as 1.
static double diagonal(const struct lcl_csr *A, int64_t i)
{
    double largest = 0;
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
        const double a = fabs(A->val[k]);
        if (A->col_ind[k] == i && a > 0)
            return a;
        largest = fmax(largest, a);
    }
    return largest > 0 ? largest : 1;
}

// Binary orders of magnitude of the strengths, from 2^-(BINS-1) up to 1.
enum { BINS = 64 };

struct spread {
    int64_t count[BINS];
    int64_t total;
    double sum;
};

static void add_row(struct spread *S, const struct lcl_weighing *W,
                    const struct lcl_csr *A, int64_t i)
{
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
        const int64_t j = A->col_ind[k];
        if (j == i || A->val[k] == 0)
            continue;
        const double s = lcl_strength(W, A->val[k], i, j);
        const int order = s > 0 ? -ilogb(s) : BINS - 1;
        ++S->count[order < BINS ? order : BINS - 1];
        ++S->total;
        S->sum += s;
    }
}

// Order of magnitude below which (counting from the strongest) the given share
// of the couplings lies.
static int quantile(const struct spread *S, double share)
{
    int64_t seen = 0;
    int bin = 0;
    for (; bin < BINS - 1; ++bin) {
        seen += S->count[bin];
        if ((double)seen > share * (double)S->total)
            break;
    }
    return bin;
}

// AUTO weights the edges if the strongest and the weakest tenth of the nonzero
// couplings are four binary orders of magnitude apart: a factor between 8 and
// 32. Grids with uniform coefficients stay well below; anisotropy or
// heterogeneity beyond a factor of 30 lies above.
static bool differs_much(const struct spread *S)
{
    return S->total > 0 && quantile(S, 0.9) - quantile(S, 0.1) >= 4;
}

enum lcl_status lcl_weighing_create(struct lcl_weighing *W,
                                    const struct lcl_csr *A,
                                    enum lcl_weights weights, int64_t budget,
                                    const struct lcl_log *log)
{
    *W = (struct lcl_weighing){0};
    if (weights == LCL_WEIGHTS_OFF)
        return LCL_OK;
    W->root = lcl_malloc((size_t)A->rows, sizeof *W->root);
    if (!W->root)
        return lcl_fail_memory(log, "the edge weights");

    for (int64_t i = 0; i < A->rows; ++i)
        W->root[i] = 1 / sqrt(diagonal(A, i));
    struct spread S = {0};
    for (int64_t i = 0; i < A->rows; ++i)
        add_row(&S, W, A, i);
    if (weights == LCL_WEIGHTS_AUTO && !differs_much(&S)) {
        lcl_weighing_finish(W);
        return LCL_OK;
    }
    const double room = (double)(budget - 2 * A->nnz);
    W->scale = fmin(scale_wanted, fmax(0, room) / fmax(1, 2 * S.sum));
    if (W->scale < 1) // all weights would be 1
        lcl_weighing_finish(W);
    return LCL_OK;
}

void lcl_weighing_finish(struct lcl_weighing *W)
{
    lcl_free(W->root);
    *W = (struct lcl_weighing){0};
}
