// SPDX-License-Identifier: BSD-3-Clause
// Small systems in Kronecker form with random values.
#include "tests/support/krons.h"
#include "tests/support/preconds.h"

#include "lib/kron/kron.h"
#include "lib/matrix/bsr.h"
#include "lib/ref/kron.h"
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/ranks.h"
#include "tests/support/solving.h"

#include <levelcl/published.h>

#include <stdlib.h>

const enum lcl_kron_type test_kron_types[TEST_KRON_TYPES] = {
    LCL_KRON_ONE_PASS, LCL_KRON_OKP, LCL_KRON_CU};

const struct lcl_precond_params test_kron_methods[TEST_KRON_METHODS] = {
    {.type = LCL_PRECOND_NONE},
    {.type = LCL_PRECOND_BLOCK_JACOBI},
    {.type = LCL_PRECOND_ILDU0, TEST_KRON_PARTS},
    {.type = LCL_PRECOND_ILU0, TEST_KRON_PARTS},
};

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

// The diagonals of A and B dominate.
static void make_stages(struct test_kron *T, int s)
{
    uint64_t state = 77;
    for (int k = 0; k < s * s; ++k) {
        const double diagonal = k / s == k % s ? s : 0;
        T->A[k] = diagonal + test_random(&state);
        T->B[k] = diagonal + test_random(&state);
    }
}

void test_kron_of(struct test_kron *T, int stages, int b,
                  const struct lcl_csr *p, const struct lcl_csr *q)
{
    T->M = test_random_blocks(p, b, 1);
    T->L = test_random_blocks(q, b, 2);
    make_dominant(&T->M);
    make_dominant(&T->L);
    make_stages(T, stages);
    T->K = (struct lcl_kron){stages, T->A, T->B, 0.125, &T->M, &T->L};
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
    const bool differ = patterns == TEST_KRON_NEAR || patterns == TEST_KRON_FAR;
    test_kron_of(T, stages, b, &p, differ ? &q : &p);
    test_csr_finish(&p);
    test_csr_finish(&q);
}

void test_kron_finish(struct test_kron *T)
{
    test_bsr_finish(&T->M);
    test_bsr_finish(&T->L);
}

void test_kron_change(struct test_kron *T)
{
    const int64_t block = lcl_block_values(&T->M);
    T->K.tau = 0.5;
    for (int64_t k = 0; k < T->M.nnz * block; ++k)
        T->M.val[k] *= 1.25;
    for (int64_t k = 0; k < T->L.nnz * block; ++k)
        T->L.val[k] *= 0.75;
    T->A[0] += 1;
}

static struct lcl_rows rows_of(const struct lcl_bsr *A, int64_t first,
                               int64_t rows)
{
    const int64_t start = A->row_ptr[first], values = lcl_block_values(A);
    const int64_t blocks = A->row_ptr[first + rows] - start;
    struct lcl_rows R = {
        .first = first,
        .rows = rows,
        .total = A->rows,
        .row_ptr = calloc((size_t)rows + 1, sizeof *R.row_ptr),
        .col = calloc((size_t)blocks + 1, sizeof *R.col),
        .val = calloc((size_t)(blocks * values) + 1, sizeof *R.val),
    };
    assert_true(R.row_ptr && R.col && R.val);
    for (int64_t i = 0; i <= rows; ++i)
        R.row_ptr[i] = A->row_ptr[first + i] - start;
    for (int64_t k = 0; k < blocks; ++k)
        R.col[k] = A->col_ind[start + k];
    for (int64_t v = 0; v < blocks * values; ++v)
        R.val[v] = A->val[start * values + v];
    return R;
}

void test_kron_part_init(struct test_kron_part *part, const struct lcl_kron *K,
                         int64_t first, int64_t rows)
{
    part->M = rows_of(K->M, first, rows);
    part->L = rows_of(K->L, first, rows);
    part->K = (struct lcl_kron_rows){
        K->stages, K->A, K->B, K->tau, K->M->block_size, &part->M, &part->L};
}

void test_kron_part_finish(struct test_kron_part *part)
{
    test_rows_finish(&part->M);
    test_rows_finish(&part->L);
}

struct lcl_csr test_kron_whole(const struct lcl_kron *K)
{
    struct lcl_csr A;
    assert_int_equal(lcl_ref_kron_csr(&A, K, NULL), LCL_OK);
    return A;
}

lcl_precond *test_kron_precond(lcl_context *ctx, const struct lcl_kron *K,
                               const struct lcl_precond_params *params,
                               enum lcl_kron_type type)
{
    lcl_precond *M;
    assert_int_equal(test_precond_create_kron(&M, ctx, K, type, params),
                     LCL_OK);
    const struct lcl_operator_info *op =
        lcl_operator_info(test_precond_operator(M));
    assert_int_equal(op->kron, type);
    assert_int_equal(op->stages, K->stages);
    assert_true(op->bytes > 0);
    const struct lcl_precond_info *info = lcl_precond_info(M);
    assert_int_equal(info->rows, lcl_kron_rows(K));
    assert_int_equal(info->block_size, K->M->block_size);
    assert_int_equal(info->nnz,
                     (K->M->nnz + K->L->nnz) * lcl_block_values(K->M));
    return M;
}

void test_kron_expect_solved(lcl_precond *M, const struct lcl_kron *K,
                             enum lcl_solver_type type)
{
    const struct lcl_solver_params params = {.type = type, .idr_s = 4};
    struct lcl_csr A = test_kron_whole(K);
    double *b = test_right_side(&A);
    struct test_solve s = {.A = &A, .x = test_vector(A.rows)};
    assert_int_equal(test_solver_create(&s.S, M, &params), LCL_OK);
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    test_expect_known(&s, 1e-5);
    test_solve_close(&s);
    lcl_csr_finish(&A);
    free(b);
}
