// SPDX-License-Identifier: BSD-3-Clause
// Residuals in quadruple precision.
#include "tests/support/quad.h"

#include "tests/support/device.h"

#include <stdlib.h>

void test_quad_residual(quad *r, quad *size, const struct lcl_csr *A,
                        const double *x, const double *b)
{
    for (int64_t i = 0; i < A->rows; ++i) {
        r[i] = b[i];
        size[i] = quad_abs(b[i]);
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
            const quad term = (quad)A->val[k] * (quad)x[A->col_ind[k]];
            r[i] -= term;
            size[i] += quad_abs(term);
        }
    }
}

// Adds coef[l] times row r of a matrix times stage l of x, for all l.
static void subtract_row(quad *r, quad *size, const struct lcl_bsr *A,
                         int64_t row, const double *coef, int stages,
                         const double *x)
{
    const int b = A->block_size, q = (int)(row % b);
    const int64_t n = A->rows * b, i = row / b;
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
        for (int e = 0; e < b; ++e)
            for (int l = 0; l < stages; ++l) {
                const double a = A->val[(k * b + q) * b + e];
                const double v = x[l * n + (int64_t)A->col_ind[k] * b + e];
                const quad term = (quad)coef[l] * ((quad)a * (quad)v);
                *r -= term;
                *size += quad_abs(term);
            }
}

void test_quad_kron_residual(quad *r, quad *size, const struct lcl_kron *K,
                             const double *x, const double *b)
{
    const int s = K->stages;
    const int64_t n = K->M->rows * K->M->block_size;
    double of_l[LCL_KRON_STAGES_MAX];
    for (int j = 0; j < s; ++j) {
        for (int l = 0; l < s; ++l)
            of_l[l] = K->tau * K->B[j * s + l];
        for (int64_t i = 0; i < n; ++i) {
            quad *r_i = r + j * n + i, *size_i = size + j * n + i;
            *r_i = b[j * n + i];
            *size_i = quad_abs(*r_i);
            subtract_row(r_i, size_i, K->M, i, K->A + j * s, s, x);
            subtract_row(r_i, size_i, K->L, i, of_l, s, x);
        }
    }
}

bool test_quad_within(const struct lcl_csr *A, const double *x, const double *b,
                      double tolerance)
{
    quad *r = calloc((size_t)A->rows, 2 * sizeof *r);
    assert_non_null(r);
    test_quad_residual(r, r + A->rows, A, x, b);
    quad sum = 0;
    for (int64_t i = 0; i < A->rows; ++i)
        sum += r[i] * r[i];
    free(r);
    return sum <= (quad)tolerance * (quad)tolerance;
}
