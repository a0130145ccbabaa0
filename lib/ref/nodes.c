// SPDX-License-Identifier: BSD-3-Clause
// References of nodes and of their tentative prolongator.
#include "lib/ref/nodes.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

void lcl_ref_node_norms(double *norm, const struct lcl_csr *A, int block)
{
    const int64_t nodes = A->rows / block;
    memset(norm, 0, (size_t)(nodes * nodes) * sizeof *norm);
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
            double *at = norm + i / block * nodes + A->col_ind[k] / block;
            *at = hypot(*at, A->val[k]);
        }
}

// Adds row i of A_F to `row`; returns its diagonal entry.
static double filter_row(double *row, const struct lcl_csr *A, int block,
                         const unsigned char *strong, int64_t i)
{
    double d = 0, lump = 0;
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
        const int64_t j = A->col_ind[k];
        const bool kept = j / block == i / block || strong[j / block];
        if (j == i)
            d = A->val[k];
        else if (kept)
            row[j] = A->val[k];
        else if ((j - i) % block == 0)
            lump += A->val[k];
    }
    return (d + lump) / d > 0.1 ? d + lump : d;
}

void lcl_ref_node_filter(double *F, const struct lcl_csr *A, int block,
                         const unsigned char *strong, double lambda)
{
    const int64_t n = A->rows;
    const double w = 4 / (3 * lambda);
    memset(F, 0, (size_t)(n * n) * sizeof *F);
    for (int64_t i = 0; i < n; ++i) {
        double *row = F + i * n;
        const double df =
            filter_row(row, A, block, strong + i / block * (n / block), i);
        for (int64_t j = 0; j < n; ++j)
            row[j] *= isnormal(df) ? -w / df : 0;
        row[i] = isnormal(df) ? 1 - w : 1;
    }
}

static double dot(const double *Q, int64_t rows, int count, int c, int d)
{
    double sum = 0;
    for (int64_t i = 0; i < rows; ++i)
        sum += Q[i * count + c] * Q[i * count + d];
    return sum;
}

// Modified Gram-Schmidt, twice.
void lcl_ref_orthonormalise(double *Q, double *R, int64_t rows, int count)
{
    memset(R, 0, (size_t)(count * count) * sizeof *R);
    for (int c = 0; c < count; ++c) {
        const double whole = sqrt(dot(Q, rows, count, c, c));
        for (int pass = 0; pass < 2 * c; ++pass) {
            const int d = pass % c;
            const double part = dot(Q, rows, count, d, c);
            for (int64_t i = 0; i < rows; ++i)
                Q[i * count + c] -= part * Q[i * count + d];
            R[d * count + c] += part;
        }
        const double rest = sqrt(dot(Q, rows, count, c, c));
        const bool kept = rest > 1e-10 * whole;
        for (int64_t i = 0; i < rows; ++i)
            Q[i * count + c] = kept ? Q[i * count + c] / rest : 0;
        R[c * count + c] = kept ? rest : 0;
    }
}
