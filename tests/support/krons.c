// SPDX-License-Identifier: BSD-3-Clause
// Small systems in Kronecker form with random values.
#include "tests/support/krons.h"

#include "tests/support/matrices.h"

#include <stdlib.h>

// The pattern without every eighth off-diagonal entry.
static struct lcl_csr thinned(const struct lcl_csr *P)
{
    struct lcl_csr T = {.rows = P->rows, .cols = P->cols};
    T.row_ptr = calloc((size_t)P->rows + 1, sizeof *T.row_ptr);
    T.col_ind = calloc((size_t)P->nnz + 1, sizeof *T.col_ind);
    T.val = calloc((size_t)P->nnz + 1, sizeof *T.val);
    for (int64_t i = 0; i < P->rows; ++i) {
        for (int64_t k = P->row_ptr[i]; k < P->row_ptr[i + 1]; ++k)
            if (P->col_ind[k] == i || k % 8 != 0)
                T.col_ind[T.nnz++] = P->col_ind[k];
        T.row_ptr[i + 1] = T.nnz;
    }
    return T;
}

static void make_dominant(struct lcl_bsr *A)
{
    const int b = A->block_size;
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            for (int r = 0; A->col_ind[k] == i && r < b; ++r)
                A->val[(k * b + r) * b + r] += 10 * b;
}

// Diagonals of A and B are larger than what is beside them.
static void make_stages(struct test_kron *T, int s)
{
    uint64_t state = 77;
    for (int k = 0; k < s * s; ++k) {
        const double diagonal = k / s == k % s ? s : 0;
        T->A[k] = diagonal + test_random(&state);
        T->B[k] = diagonal + test_random(&state);
    }
}

void test_kron_init(struct test_kron *T, int stages, int b, int64_t rows,
                    enum test_kron_patterns patterns)
{
    struct lcl_csr p = patterns == TEST_KRON_FAR ? test_random_csr(rows, 3, 5)
                       : patterns == TEST_KRON_CHAIN
                           ? test_laplacian(rows, 1, 1)
                           : test_laplacian(rows / 4 + 1, 2, 2);
    struct lcl_csr q =
        patterns == TEST_KRON_FAR ? test_random_csr(rows, 4, 9) : thinned(&p);
    T->M = test_random_blocks(&p, b, 1);
    T->L = test_random_blocks(
        patterns == TEST_KRON_NEAR || patterns == TEST_KRON_FAR ? &q : &p, b,
        2);
    make_dominant(&T->M);
    make_dominant(&T->L);
    make_stages(T, stages);
    T->K = (struct lcl_kron){stages, T->A, T->B, 0.125, &T->M, &T->L};
    test_csr_finish(&p);
    test_csr_finish(&q);
}

void test_kron_finish(struct test_kron *T)
{
    test_bsr_finish(&T->M);
    test_bsr_finish(&T->L);
}
