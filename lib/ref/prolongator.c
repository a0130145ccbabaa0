// SPDX-License-Identifier: BSD-3-Clause
// References of the smoothed prolongator and of a smoother.
#include "lib/ref/prolongator.h"

#include "host/alloc.h"
#include "lib/matrix/csr.h"

#include <stdbool.h>

// One row of P, dense.
struct row {
    double *entry; // aggregates
    bool *used;
};

static void fill_row(struct row *row, const struct lcl_csr *A,
                     const uint8_t *strong, double inv_diag,
                     const int32_t *aggregate, double w, int64_t i)
{
    row->used[aggregate[i]] = true;
    row->entry[aggregate[i]] = inv_diag == 0 ? 1 : 1 - w;
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
        const int32_t j = A->col_ind[k];
        if (!strong[k])
            continue;
        row->used[aggregate[j]] = true;
        row->entry[aggregate[j]] -= w * inv_diag * A->val[k];
    }
}

// Appends the row to P and clears it.
static void take_row(struct row *row, struct lcl_csr *P)
{
    for (int64_t q = 0; q < P->cols; ++q) {
        if (!row->used[q])
            continue;
        P->col_ind[P->nnz] = (int32_t)q;
        P->val[P->nnz++] = row->entry[q];
        row->used[q] = false;
        row->entry[q] = 0;
    }
}

enum lcl_status lcl_ref_prolongator(struct lcl_csr *P, const struct lcl_csr *A,
                                    const uint8_t *strong,
                                    const double *inv_diag,
                                    const int32_t *aggregate,
                                    int64_t aggregates, double lambda)
{
    const size_t most = (size_t)(A->nnz + A->rows);
    const double w = 4 / (3 * lambda);
    struct row row = {lcl_calloc((size_t)aggregates, sizeof *row.entry),
                      lcl_calloc((size_t)aggregates, sizeof *row.used)};
    *P = (struct lcl_csr){
        .rows = A->rows,
        .cols = aggregates,
        .row_ptr = lcl_calloc((size_t)A->rows + 1, sizeof *P->row_ptr),
        .col_ind = lcl_malloc(most, sizeof *P->col_ind),
        .val = lcl_malloc(most, sizeof *P->val),
    };
    const bool enough =
        row.entry && row.used && P->row_ptr && P->col_ind && P->val;
    for (int64_t i = 0; i < A->rows && enough; ++i) {
        if (aggregate[i] >= 0)
            fill_row(&row, A, strong, inv_diag[i], aggregate, w, i);
        take_row(&row, P);
        P->row_ptr[i + 1] = P->nnz;
    }
    lcl_free(row.entry);
    lcl_free(row.used);
    if (!enough)
        lcl_csr_finish(P);
    return enough ? LCL_OK : LCL_ENOMEM;
}

// ------------------------------------------------------------------ smoother

static double diagonal(const struct lcl_csr *A, int64_t i)
{
    const int64_t at = lcl_csr_find(A, i, i);
    return at < 0 || A->val[at] == 0 ? 1 : A->val[at];
}

static double row_dot(const struct lcl_csr *A, int64_t i, const double *x)
{
    double sum = 0;
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
        sum += A->val[k] * x[A->col_ind[k]];
    return sum;
}

void lcl_ref_chebyshev(const struct lcl_csr *A, double lambda, const double *b,
                       double *x, double *r, double *d)
{
    for (int64_t i = 0; i < A->rows; ++i) {
        r[i] = b[i] - row_dot(A, i, x);
        d[i] = 4 / (3 * lambda) * r[i] / diagonal(A, i);
    }
    for (int64_t i = 0; i < A->rows; ++i)
        x[i] += d[i] + d[i] / 5 +
                12 / (5 * lambda) * (r[i] - row_dot(A, i, d)) / diagonal(A, i);
}
