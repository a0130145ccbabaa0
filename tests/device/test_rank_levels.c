// SPDX-License-Identifier: BSD-3-Clause
// Levels of multigrid on several ranks, compared with plain C and with those of
// one device.
#include "lib/multilevel/level.h"
#include "lib/multilevel/rank_source.h"
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/ranks.h"

#include <stdlib.h>
#include <string.h>

struct levels {
    struct test_ranks R;
    struct lcl_rank_source source[TEST_RANKS];
    struct lcl_level L[TEST_RANKS], next[TEST_RANKS];
    bool deeper[TEST_RANKS], symmetric;
    bool plain; // the products with smoothed prolongations are too large
    int block;
};

static struct lcl_level_params params_of(bool symmetric, bool plain)
{
    return (struct lcl_level_params){.coarsening = LCL_AMG_SA,
                                     .theta = 0.25,
                                     .symmetric = symmetric,
                                     .most = plain ? 1 : INT64_MAX};
}

static enum lcl_status make_level(void *arg, int r)
{
    struct levels *s = arg;
    const lcl_operator *A = s->R.op[r];
    const struct lcl_space *V = &A->range;
    struct lcl_level *L = &s->L[r];
    const struct lcl_level_params params = params_of(s->symmetric, s->plain);
    enum lcl_status st;
    L->space = *V;
    L->A = &L->own;
    if ((st = lcl_ownership_init(&L->rows, V->comm, V->n)) < 0 ||
        (st = lcl_rank_source_init(&s->source[r], &L->own, &L->A_halo.plan, A,
                                   A->part->matrix, &L->rows, s->block)) < 0 ||
        (s->block > 1 &&
         (st = lcl_near_null_start(&L->near_null, V->ctx, V->n / s->block,
                                   s->block)) < 0))
        return st;
    return lcl_level_coarsen(L, &s->next[r], &params, &s->deeper[r]);
}

static void levels_open_as(struct levels *s, int size, const struct lcl_csr *A,
                           const int64_t *from, int block, bool plain)
{
    memset(s, 0, sizeof *s);
    s->block = block;
    s->plain = plain;
    test_ranks_open(&s->R, size, A, from);
    assert_int_equal(test_ranks_operators(&s->R, NULL), LCL_OK);
    assert_int_equal(test_ranks_run(&s->R, make_level, s), LCL_OK);
}

static void levels_open(struct levels *s, int size, const struct lcl_csr *A,
                        const int64_t *from, int block)
{
    levels_open_as(s, size, A, from, block, false);
}

static void levels_close(struct levels *s)
{
    for (int r = 0; r < s->R.size; ++r) {
        lcl_rank_source_finish(&s->source[r]);
        lcl_level_finish(&s->next[r]);
        lcl_level_finish(&s->L[r]);
    }
    test_ranks_close(&s->R);
}

// Adds the rows of a rank to a dense matrix.
static void add_dense(double *dense, int64_t cols, const struct lcl_rows *A)
{
    for (int64_t i = 0; i < A->rows; ++i)
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
            dense[(A->first + i) * cols + A->col[k]] += A->val[k];
}

static void add_device(double *dense, int64_t cols, int64_t first,
                       const struct lcl_device_matrix *D,
                       const struct lcl_halo_plan *columns)
{
    struct lcl_bsr A;
    assert_int_equal(lcl_device_matrix_read(&A, D, true, NULL), LCL_OK);
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k) {
            const int64_t g = A.col_ind[k] - columns->rows;
            const int64_t j =
                g < 0 ? columns->first + A.col_ind[k] : columns->ghost[g];
            dense[(first + i) * cols + j] += A.val[k];
        }
    lcl_bsr_finish(&A);
}

static void multiply(const double *a, const double *b, double *c, int64_t rows,
                     int64_t inner, int64_t cols)
{
    memset(c, 0, (size_t)(rows * cols) * sizeof *c);
    for (int64_t i = 0; i < rows; ++i)
        for (int64_t k = 0; k < inner; ++k)
            for (int64_t j = 0; j < cols; ++j)
                c[i * cols + j] += a[i * inner + k] * b[k * cols + j];
}

// R = P^T and the next matrix is R A P, of the whole matrices; with a plain P,
// two thirds of it.
static void expect_galerkin(const struct levels *s)
{
    const int64_t n = s->R.A->rows, m = lcl_owned_by_all(&s->next[0].rows);
    double *A = test_vector(n * n), *P = test_vector(n * m);
    double *R = test_vector(m * n), *AP = test_vector(n * m);
    double *got = test_vector(m * m), *expected = test_vector(m * m);
    for (int r = 0; r < s->R.size; ++r) {
        const struct lcl_level *L = &s->L[r];
        const struct lcl_halo_plan *fine = &L->A_halo.plan;
        const struct lcl_halo_plan *next = &s->next[r].A_halo.plan;
        add_dense(A, n, &s->R.rows[r]);
        add_device(got, m, next->first, s->next[r].A, next);
        add_device(P, m, fine->first, &L->P, &L->P_halo.plan);
        add_device(R, n, next->first, &L->R, &L->R_halo.plan);
    }
    for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < m; ++j)
            assert_true(P[i * m + j] == R[j * n + i]);
    multiply(A, P, AP, n, n, m);
    multiply(R, AP, expected, m, n, m);
    for (int64_t k = 0; k < m * m; ++k)
        assert_float_equal(got[k], expected[k] / (s->plain ? 1.5 : 1), 1e-12);
    free(expected);
    free(got);
    free(AP);
    free(R);
    free(P);
    free(A);
}

static void test_rank_levels__levels_are_galerkin_products(void **state)
{
    static const int64_t from[] = {0, 7, 150, 210};
    struct lcl_csr A[] = {test_laplacian(7, 6, 5), test_random_csr(210, 4, 3)};
    (void)state;
    for (size_t k = 0; k < sizeof A / sizeof *A; ++k) {
        struct levels s;
        levels_open(&s, 3, &A[k], k == 0 ? from : NULL, 1);
        assert_true(s.deeper[0] && s.deeper[1] && s.deeper[2]);
        expect_galerkin(&s);
        levels_close(&s);
        test_csr_finish(&A[k]);
    }
}

static void test_rank_levels__levels_of_nodes(void **state)
{
    struct lcl_csr A = test_problem("elasticity:4");
    struct levels s;
    (void)state;
    levels_open(&s, 2, &A, NULL, 3);
    assert_true(s.deeper[0]);
    assert_int_equal(s.next[0].near_null.count, 3);
    expect_galerkin(&s);
    levels_close(&s);
    test_csr_finish(&A);
}

// Each row of P has one entry, that of its aggregate.
static void expect_plain(const struct levels *s)
{
    for (int r = 0; r < s->R.size; ++r) {
        assert_true(s->L[r].plain);
        assert_int_equal(s->L[r].P.blocks, s->L[r].P.n);
    }
}

// The level of A and the next one, on one device.
static void coarsen_alone(struct lcl_level level[2], lcl_context *ctx,
                          const struct lcl_csr *A, int block, bool plain)
{
    const struct lcl_level_params params = params_of(false, plain);
    struct lcl_level *L = &level[0];
    bool deeper;
    *L = (struct lcl_level){.space = lcl_space_of(ctx, A->rows), .A = &L->own};
    test_upload_csr(&L->own, ctx, A);
    if (block > 1)
        assert_int_equal(
            lcl_near_null_start(&L->near_null, ctx, A->rows / block, block),
            LCL_OK);
    assert_int_equal(lcl_level_coarsen(L, &level[1], &params, &deeper), LCL_OK);
    assert_true(deeper);
}

static void expect_same(const struct lcl_device_matrix *got,
                        const struct lcl_device_matrix *expected)
{
    struct lcl_bsr A, B;
    assert_int_equal(lcl_device_matrix_read(&A, got, true, NULL), LCL_OK);
    assert_int_equal(lcl_device_matrix_read(&B, expected, true, NULL), LCL_OK);
    assert_int_equal(A.rows, B.rows);
    assert_int_equal(A.nnz, B.nnz);
    assert_memory_equal(A.row_ptr, B.row_ptr,
                        (size_t)(A.rows + 1) * sizeof *A.row_ptr);
    assert_memory_equal(A.col_ind, B.col_ind,
                        (size_t)A.nnz * sizeof *A.col_ind);
    assert_memory_equal(A.val, B.val, (size_t)A.nnz * sizeof *A.val);
    lcl_bsr_finish(&A);
    lcl_bsr_finish(&B);
}

static void test_rank_levels__one_rank_has_the_levels_of_one_device(
    void **state)
{
    struct lcl_csr A[] = {test_laplacian(7, 6, 5), test_random_csr(210, 4, 3),
                          test_problem("elasticity:4")};
    for (int k = 0; k < 4; ++k) { // the last time with plain aggregates
        const struct lcl_csr *B = &A[k % 3];
        const int block = k == 2 ? 3 : 1;
        struct lcl_level level[2];
        struct levels s;
        coarsen_alone(level, *state, B, block, k == 3);
        levels_open_as(&s, 1, B, NULL, block, k == 3);
        assert_int_equal(s.L[0].plain, level[0].plain);
        expect_same(&s.L[0].P, &level[0].P);
        expect_same(&s.L[0].R, &level[0].R);
        expect_same(s.next[0].A, level[1].A);
        levels_close(&s);
        lcl_level_finish(&level[1]);
        lcl_level_finish(&level[0]);
    }
    for (int k = 0; k < 3; ++k)
        test_csr_finish(&A[k]);
}

static enum lcl_status update_level(void *arg, int r)
{
    struct levels *s = arg;
    const int64_t at = s->R.A->row_ptr[s->R.rows[r].first];
    enum lcl_status st;
    if ((st = lcl_operator_update(s->R.op[r], s->R.A->val + at)) < 0 ||
        (st = lcl_rank_source_update(&s->source[r], &s->L[r].own)) < 0)
        return st;
    return lcl_level_update(&s->L[r], &s->next[r]);
}

// The first update makes what the second one reuses.
static void expect_updates(struct levels *s)
{
    for (int k = 0; k < 2; ++k) {
        test_rescale(s->R.A);
        for (int r = 0; r < s->R.size; ++r)
            memcpy(s->R.rows[r].val,
                   s->R.A->val + s->R.A->row_ptr[s->R.rows[r].first],
                   (size_t)s->R.rows[r].row_ptr[s->R.rows[r].rows] *
                       sizeof(double));
        assert_int_equal(test_ranks_run(&s->R, update_level, s), LCL_OK);
        expect_galerkin(s);
    }
}

static void test_rank_levels__levels_take_new_values(void **state)
{
    static const int64_t from[] = {0, 7, 150, 210};
    struct lcl_csr A[] = {test_laplacian(7, 6, 5),
                          test_problem("elasticity:4")};
    (void)state;
    for (size_t k = 0; k < sizeof A / sizeof *A; ++k) {
        struct levels s;
        levels_open(&s, k == 0 ? 3 : 2, &A[k], k == 0 ? from : NULL,
                    k == 0 ? 1 : 3);
        assert_true(s.deeper[0]);
        expect_updates(&s);
        levels_close(&s);
        test_csr_finish(&A[k]);
    }
}

static void test_rank_levels__large_products_take_plain_aggregates(void **state)
{
    static const int64_t from[] = {0, 80, 150, 210};
    struct lcl_csr A = test_laplacian(7, 6, 5);
    struct levels s;
    (void)state;
    levels_open_as(&s, 3, &A, from, 1, true);
    assert_true(s.deeper[0]);
    expect_plain(&s);
    expect_galerkin(&s);
    expect_updates(&s);
    levels_close(&s);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rank_levels__levels_are_galerkin_products),
        cmocka_unit_test(test_rank_levels__levels_of_nodes),
        cmocka_unit_test(
            test_rank_levels__one_rank_has_the_levels_of_one_device),
        cmocka_unit_test(test_rank_levels__levels_take_new_values),
        cmocka_unit_test(
            test_rank_levels__large_products_take_plain_aggregates),
    };
    return test_device_run(tests);
}
