// SPDX-License-Identifier: BSD-3-Clause
// Reference of block-Jacobi for Kronecker systems.
#include "lib/ref/kron_blocks.h"

#include "lib/ref/bgje.h"

// Entry (r, c) of the diagonal block of block row i.
static double entry(const struct lcl_bsr *T, int64_t i, int r, int c)
{
    const int b = T->block_size;
    for (int64_t k = T->row_ptr[i]; k < T->row_ptr[i + 1]; ++k)
        if (T->col_ind[k] == i)
            return T->val[(k * b + r) * b + c];
    return 0;
}

void lcl_ref_kron_block(double *D, const struct lcl_kron *K, int64_t i)
{
    const int s = K->stages, m = s * K->M->block_size;
    for (int q = 0; q < m; ++q)
        for (int p = 0; p < m; ++p) {
            const int at = q % s * s + p % s;
            D[q * m + p] = K->A[at] * entry(K->M, i, q / s, p / s) +
                           K->tau * K->B[at] * entry(K->L, i, q / s, p / s);
        }
}

// Element q of block row i.
static int64_t place(const struct lcl_kron *K, int64_t i, int q)
{
    const int64_t b = K->M->block_size, n = K->M->rows * b;
    return q % K->stages * n + i * b + q / K->stages;
}

int64_t lcl_ref_kron_block_jacobi(const struct lcl_kron *K, const double *x,
                                  double *y)
{
    double D[LCL_DIAGONAL_BLOCK_MAX * LCL_DIAGONAL_BLOCK_MAX];
    double X[LCL_DIAGONAL_BLOCK_MAX * LCL_DIAGONAL_BLOCK_MAX];
    int perm[LCL_DIAGONAL_BLOCK_MAX];
    const int m = K->stages * K->M->block_size;
    int64_t bad = 0;
    for (int64_t i = 0; i < K->M->rows; ++i) {
        lcl_ref_kron_block(D, K, i);
        const bool regular = lcl_ref_bgje(X, D, perm, m) == 0;
        bad += !regular;
        for (int q = 0; q < m; ++q) {
            double sum = regular ? 0 : x[place(K, i, q)];
            for (int p = 0; p < m && regular; ++p)
                sum += X[q * m + p] * x[place(K, i, p)];
            y[place(K, i, q)] = sum;
        }
    }
    return bad;
}
