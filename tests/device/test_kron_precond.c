// SPDX-License-Identifier: BSD-3-Clause
// Preconditioners of Kronecker systems, and what they report.
#include "tests/support/device.h"
#include "tests/support/krons.h"
#include "tests/support/matrices.h"
#include "tests/support/preconds.h"
#include "tests/support/simulator.h"

#include "host/runtime.h"
#include "lib/kron/kron.h"
#include "lib/matrix/bsr.h"
#include "lib/ref/kron_blocks.h"

#include <levelcl/published.h>

#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- application

static const struct lcl_precond_params block_jacobi = {
    .type = LCL_PRECOND_BLOCK_JACOBI};

static void expect_block_jacobi(lcl_precond *M, const struct lcl_kron *K,
                                double tolerance)
{
    const int64_t n = lcl_kron_rows(K);
    double *b = test_random_vector(n, 1), *x = test_random_vector(n, 2);
    double *expected = test_vector(n);
    assert_int_equal(lcl_ref_kron_block_jacobi(K, b, expected), 0);
    assert_int_equal(lcl_precond_apply(M, b, x), LCL_OK);
    test_expect_near("x", x, expected, n, tolerance);
    free(b);
    free(x);
    free(expected);
}

static void expect_dense_blocks(lcl_context *ctx, int s, int b,
                                enum lcl_kron_type type)
{
    struct test_kron T;
    test_kron_init(&T, s, b, 40, TEST_KRON_NEAR);
    lcl_precond *M = test_kron_precond(ctx, &T.K, &block_jacobi, type);
    const struct lcl_precond_info *info = lcl_precond_info(M);
    assert_int_equal(info->type, LCL_PRECOND_BLOCK_JACOBI);
    assert_int_equal(info->storage, LCL_FACTOR_STORAGE_FP64);
    assert_int_equal(info->blocks.count, T.M.rows);
    assert_int_equal(info->blocks.rows_max, s * b);
    assert_int_equal(info->bytes, T.M.rows * s * b * s * b * 8);
    assert_int_equal(info->nnz_kept, 2 * T.M.rows * b * b);
    assert_int_equal(info->launches, 1);
    expect_block_jacobi(M, &T.K, 1e-12);
    test_kron_change(&T);
    assert_int_equal(test_precond_update_kron(M, &T.K), LCL_OK);
    expect_block_jacobi(M, &T.K, 1e-12);
    test_precond_destroy(&M);
    test_kron_finish(&T);
}

static void test_kron__block_jacobi_solves_with_dense_blocks(void **state)
{
    for (int t = 0; t < TEST_KRON_TYPES; ++t)
        expect_dense_blocks(*state, 3, 2, test_kron_types[t]);
    expect_dense_blocks(*state, 8, 4, LCL_KRON_ONE_PASS);
    expect_dense_blocks(*state, 1, 3, LCL_KRON_OKP);
}

static void test_kron__block_jacobi_stores_floats(void **state)
{
    struct lcl_precond_params params = block_jacobi;
    struct test_kron T;
    params.storage = LCL_FACTOR_STORAGE_FP32;
    test_kron_init(&T, 3, 2, 30, TEST_KRON_EQUAL);
    lcl_precond *M = test_kron_precond(*state, &T.K, &params, LCL_KRON_OKP);
    assert_int_equal(lcl_precond_info(M)->storage, LCL_FACTOR_STORAGE_FP32);
    assert_int_equal(lcl_precond_info(M)->blocks.fp32, T.M.rows);
    assert_int_equal(lcl_precond_info(M)->bytes, T.M.rows * 36 * 4);
    expect_block_jacobi(M, &T.K, 1e-6);
    test_precond_destroy(&M);
    test_kron_finish(&T);
}

// Stage j on its own.
static struct lcl_kron stage_of(const struct lcl_kron *K, int j)
{
    struct lcl_kron one = *K;
    one.stages = 1;
    one.A += j * (K->stages + 1);
    one.B += j * (K->stages + 1);
    return one;
}

// Fails unless x solves the systems of all stages.
static void expect_exact(lcl_precond *M, const struct lcl_kron *K)
{
    const int64_t n = lcl_kron_rows(K), rows = n / K->stages;
    double *b = test_random_vector(n, 1), *x = test_random_vector(n, 2);
    double *product = test_vector(n);
    assert_int_equal(lcl_precond_apply(M, b, x), LCL_OK);
    for (int j = 0; j < K->stages; ++j) {
        const struct lcl_kron one = stage_of(K, j);
        assert_int_equal(
            lcl_kron_multiply(&one, x + j * rows, product + j * rows), LCL_OK);
    }
    test_expect_near("product", product, b, n, 1e-10);
    free(b);
    free(x);
    free(product);
}

// A chain has no fill.
static void test_kron__factors_of_a_chain_are_exact(void **state)
{
    static const enum lcl_precond_type methods[] = {LCL_PRECOND_ILDU0,
                                                    LCL_PRECOND_ILU0};
    for (int k = 0; k < 2 * TEST_KRON_TYPES; ++k) {
        const struct lcl_precond_params params = {
            .type = methods[k / TEST_KRON_TYPES],
            .partition = {.type = LCL_PARTITION_NATURAL, .rows = 64},
            .storage = LCL_FACTOR_STORAGE_FP64,
        };
        struct test_kron T;
        test_kron_init(&T, 3, 1 + k / TEST_KRON_TYPES, 50, TEST_KRON_CHAIN);
        lcl_precond *M = test_kron_precond(
            *state, &T.K, &params, test_kron_types[k % TEST_KRON_TYPES]);
        const struct lcl_precond_info *info = lcl_precond_info(M);
        assert_int_equal(info->type, params.type);
        assert_int_equal(info->factors.parts, 3);
        assert_int_equal(info->factors.part_rows_max, 50);
        assert_int_equal(info->launches, 1);
        assert_int_equal(info->factors.trisolve, LCL_TRISOLVE_PACKED);
        assert_int_equal(info->coarse.type, LCL_COARSE_NONE);
        assert_int_equal(info->storage, LCL_FACTOR_STORAGE_FP64);
        assert_true(info->bytes > 0 && info->factors.dropped_share == 0);
        expect_exact(M, &T.K);
        test_kron_change(&T);
        assert_int_equal(test_precond_update_kron(M, &T.K), LCL_OK);
        expect_exact(M, &T.K);
        test_precond_destroy(&M);
        test_kron_finish(&T);
    }
}

// diag(a_jj M + tau b_jj L) in blocks.
static struct lcl_bsr block_diagonal(const struct test_kron *T)
{
    double A[LCL_KRON_STAGES_MAX * LCL_KRON_STAGES_MAX] = {0};
    double B[LCL_KRON_STAGES_MAX * LCL_KRON_STAGES_MAX] = {0};
    const int s = T->K.stages;
    struct lcl_kron K = T->K;
    struct lcl_bsr D;
    for (int j = 0; j < s * s; j += s + 1) {
        A[j] = T->A[j];
        B[j] = T->B[j];
    }
    K.A = A;
    K.B = B;
    struct lcl_csr stored = test_kron_whole(&K), kept = stored;
    kept.nnz = 0;
    for (int64_t i = 0, k = 0; i < stored.rows; ++i) {
        for (; k < stored.row_ptr[i + 1]; ++k)
            if (stored.val[k] != 0) {
                kept.col_ind[kept.nnz] = stored.col_ind[k];
                kept.val[kept.nnz++] = stored.val[k];
            }
        kept.row_ptr[i + 1] = kept.nnz;
    }
    assert_int_equal(lcl_bsr_from_csr(&D, &kept, T->M.block_size, NULL),
                     LCL_OK);
    lcl_csr_finish(&stored);
    return D;
}

// One of the block-diagonal matrix, on subdomains of `part` block rows.
static lcl_precond *create_block_diagonal(
    lcl_context *ctx, const struct test_kron *T, int64_t part,
    const struct lcl_precond_params *params)
{
    struct lcl_precond_params own = *params;
    struct lcl_bsr D = block_diagonal(T);
    const int64_t n = T->M.rows;
    int32_t *labels = malloc((size_t)D.rows * sizeof *labels);
    lcl_precond *M;
    assert_non_null(labels);
    for (int64_t i = 0; i < D.rows; ++i)
        labels[i] = (int32_t)(i / n * n + i % n / part);
    own.partition = (struct lcl_partition_params){
        .type = LCL_PARTITION_LABELS, .labels = labels, .labels_count = D.rows};
    assert_int_equal(test_precond_create_bsr(&M, ctx, &D, &own), LCL_OK);
    lcl_bsr_finish(&D);
    free(labels);
    return M;
}

static void expect_equal(lcl_precond *M, lcl_precond *reference)
{
    const int64_t n = lcl_precond_info(M)->rows;
    double *b = test_random_vector(n, 1), *x = test_random_vector(n, 2);
    double *expected = test_vector(n);
    assert_int_equal(lcl_precond_apply(M, b, x), LCL_OK);
    assert_int_equal(lcl_precond_apply(reference, b, expected), LCL_OK);
    test_expect_near("x", x, expected, n, 1e-12);
    free(b);
    free(x);
    free(expected);
}

static void expect_block_diagonal(lcl_context *ctx, int b,
                                  const struct lcl_precond_params *params)
{
    enum { PART = 9 };
    struct test_kron T;
    test_kron_init(&T, 3, b, 60, TEST_KRON_FAR);
    const int64_t rows = T.M.rows * b;
    struct lcl_precond_params own = *params;
    int32_t *labels = malloc((size_t)rows * sizeof *labels);
    assert_non_null(labels);
    for (int64_t i = 0; i < rows; ++i)
        labels[i] = 1000 - (int32_t)(i / b / PART);
    own.partition = (struct lcl_partition_params){
        .type = LCL_PARTITION_LABELS, .labels = labels, .labels_count = rows};
    lcl_precond *reference = create_block_diagonal(ctx, &T, PART, params);
    for (int t = 0; t < TEST_KRON_TYPES; ++t) {
        lcl_precond *M = test_kron_precond(ctx, &T.K, &own, test_kron_types[t]);
        assert_int_equal(lcl_precond_info(M)->factors.parts,
                         lcl_precond_info(reference)->factors.parts);
        assert_int_equal(lcl_precond_info(M)->launches,
                         lcl_precond_info(reference)->launches);
        expect_equal(M, reference);
        test_precond_destroy(&M);
    }
    test_precond_destroy(&reference);
    test_kron_finish(&T);
    free(labels);
}

static void test_kron__stages_are_those_of_the_block_diagonal_matrix(
    void **state)
{
    const struct lcl_precond_params plain = {.type = LCL_PRECOND_ILDU0};
    const struct lcl_precond_params ilu0 = {.type = LCL_PRECOND_ILU0};
    const struct lcl_precond_params add = {.coarse = LCL_COARSE_ADD};
    const struct lcl_precond_params mult = {.coarse = LCL_COARSE_MULT};
    expect_block_diagonal(*state, 1, &plain);
    expect_block_diagonal(*state, 2, &ilu0);
    expect_block_diagonal(*state, 2, &add);
    expect_block_diagonal(*state, 2, &mult);
}

// ------------------------------------------------------------------- pivots

// Row `row` of blocks is zero where it meets the diagonal.
static void clear_diagonal(struct lcl_bsr *A, int64_t row)
{
    const int64_t size = lcl_block_values(A);
    for (int64_t k = A->row_ptr[row]; k < A->row_ptr[row + 1]; ++k)
        for (int64_t e = 0; A->col_ind[k] == row && e < size; ++e)
            A->val[k * size + e] = 0;
}

static void test_kron__singular_blocks_are_reported(void **state)
{
    for (int t = 0; t < TEST_KRON_TYPES; ++t) {
        struct lcl_precond_params params = block_jacobi;
        struct test_kron T;
        lcl_precond *M;
        test_kron_init(&T, 3, 2, 40, TEST_KRON_EQUAL);
        clear_diagonal(&T.M, 5);
        clear_diagonal(&T.L, 5);
        const enum lcl_kron_type type = test_kron_types[t];
        assert_int_equal(
            test_precond_create_kron(&M, *state, &T.K, type, &params),
            LCL_PIVOTS_REPAIRED);
        assert_int_equal(lcl_precond_info(M)->pivots_repaired, 1);
        assert_int_equal(lcl_precond_info(M)->repaired_rows[0], 10);
        const int64_t n = lcl_kron_rows(&T.K), rows = n / 3;
        double *b = test_random_vector(n, 1), *x = test_vector(n);
        double *expected = test_vector(n);
        assert_int_equal(lcl_ref_kron_block_jacobi(&T.K, b, expected), 1);
        assert_int_equal(lcl_precond_apply(M, b, x), LCL_OK);
        test_expect_near("x", x, expected, n, 1e-12);
        for (int j = 0; j < 3; ++j)
            assert_true(x[j * rows + 11] == b[j * rows + 11]);
        params.pivot = LCL_PIVOT_FAIL;
        test_precond_destroy(&M);
        assert_int_equal(
            test_precond_create_kron(&M, *state, &T.K, type, &params),
            LCL_EPIVOT);
        assert_null(M);
        test_kron_finish(&T);
        free(b);
        free(x);
        free(expected);
    }
}

static void test_kron__missing_diagonal_blocks_are_counted(void **state)
{
    const double A[] = {2, 0, 0, 2}, B[] = {1, 0, 0, 1};
    const double m[] = {0, 1, 0, 1, 2, 0, 0, 0, 3},
                 l[] = {0, 0, 1, 0, 1, 0, 1, 0, 0};
    struct lcl_csr p = test_csr_from_dense(3, m), q = test_csr_from_dense(3, l);
    const struct lcl_bsr M = lcl_bsr_of_csr(&p), L = lcl_bsr_of_csr(&q);
    const struct lcl_kron K = {2, A, B, 0.5, &M, &L};
    lcl_precond *P;
    assert_int_equal(
        test_precond_create_kron(&P, *state, &K, LCL_KRON_OKP, &block_jacobi),
        LCL_PIVOTS_REPAIRED);
    assert_int_equal(lcl_precond_info(P)->missing_diagonals, 2);
    assert_int_equal(lcl_precond_info(P)->nnz_kept, 3);
    assert_int_equal(lcl_precond_info(P)->repaired_rows[0], 0);
    test_precond_destroy(&P);
    test_csr_finish(&p);
    test_csr_finish(&q);
}

// Rows without a block have all of their diagonal missing.
static void test_kron__systems_without_blocks_are_taken(void **state)
{
    int64_t row_ptr[6] = {0};
    int32_t no_column = 0;
    double no_value = 0, b[20], x[20];
    const double A[] = {1, 0, 0, 1};
    const struct lcl_bsr T = {5, 5, 0, 2, row_ptr, &no_column, &no_value};
    const struct lcl_kron K = {2, A, A, 1, &T, &T};
    for (int i = 0; i < 20; ++i)
        b[i] = 1 + i;
    for (int m = 0; m < TEST_KRON_METHODS; ++m)
        for (int t = 0; t < TEST_KRON_TYPES; ++t) {
            const struct lcl_precond_params params = test_kron_methods[m];
            lcl_precond *M;
            assert_int_equal(test_precond_create_kron(
                                 &M, *state, &K, test_kron_types[t], &params),
                             m == 0 ? LCL_OK : LCL_PIVOTS_REPAIRED);
            assert_int_equal(lcl_precond_info(M)->missing_diagonals,
                             m == 0 ? 0 : 20);
            assert_int_equal(lcl_precond_apply(M, b, x), LCL_OK);
            test_expect_near("x", x, b, 20, 1e-12);
            test_precond_destroy(&M);
        }
}

// What a log has heard.
struct heard {
    char text[4096];
};

static void hear(void *user, enum lcl_log_level level, const char *text)
{
    struct heard *H = user;
    (void)level;
    strncat(H->text, text, sizeof H->text - strlen(H->text) - 1);
}

static lcl_context *listening(struct heard *H)
{
    const struct lcl_context_params params = {
        .log = {.fn = hear, .user = H, .level = LCL_LOG_WARN}};
    lcl_context *ctx;
    *H = (struct heard){""};
    assert_int_equal(lcl_runtime_create(&ctx, &params, test_simulator_api()),
                     LCL_OK);
    return ctx;
}

static void expect_heard(const struct heard *H, const char *part)
{
    if (!strstr(H->text, part))
        fail_msg("\"%s\" does not contain \"%s\"", H->text, part);
}

static void expect_stage_2_reported(const struct test_kron *T)
{
    struct lcl_precond_params params = {TEST_KRON_PARTS};
    const int64_t rows = lcl_kron_rows(&T->K) / 3;
    struct heard H;
    lcl_context *ctx = listening(&H);
    lcl_precond *M;
    assert_int_equal(
        test_precond_create_kron(&M, ctx, &T->K, LCL_KRON_DEFAULT, &params),
        LCL_PIVOTS_REPAIRED);
    const struct lcl_precond_info *info = lcl_precond_info(M);
    assert_true(info->pivots_repaired > 0);
    assert_in_range(info->repaired_rows[0], rows, 2 * rows - 1);
    expect_heard(&H, "stage 2: ");
    expect_heard(&H, "pivots repaired");
    test_precond_destroy(&M);
    params.pivot = LCL_PIVOT_FAIL;
    H.text[0] = '\0';
    assert_int_equal(
        test_precond_create_kron(&M, ctx, &T->K, LCL_KRON_DEFAULT, &params),
        LCL_EPIVOT);
    assert_null(M);
    expect_heard(&H, "stage 2: ");
    expect_heard(&H, "pivot policy is 'fail'");
    lcl_context_destroy(&ctx);
}

static void test_kron__singular_stages_are_reported(void **state)
{
    struct test_kron T;
    (void)state;
    test_kron_init(&T, 3, 2, 40, TEST_KRON_EQUAL);
    T.A[4] = T.B[4] = 0;
    expect_stage_2_reported(&T);
    T.A[4] = -1;
    T.B[4] = 1 / T.K.tau;
    for (int64_t k = 0; k < T.M.nnz * 4; ++k)
        T.L.val[k] = T.M.val[k];
    expect_stage_2_reported(&T);
    test_kron_finish(&T);
}

static void test_kron__updates_forget_singular_stages(void **state)
{
    struct lcl_precond_params params = {TEST_KRON_PARTS};
    struct test_kron T;
    lcl_precond *M;
    test_kron_init(&T, 3, 2, 40, TEST_KRON_EQUAL);
    const double a = T.A[0], b = T.B[0];
    T.A[0] = T.B[0] = 0;
    assert_int_equal(
        test_precond_create_kron(&M, *state, &T.K, LCL_KRON_DEFAULT, &params),
        LCL_PIVOTS_REPAIRED);
    assert_true(lcl_precond_info(M)->pivots_repaired > 0);
    T.A[0] = a;
    T.B[0] = b;
    assert_int_equal(test_precond_update_kron(M, &T.K), LCL_OK);
    assert_int_equal(lcl_precond_info(M)->pivots_repaired, 0);
    test_kron_expect_solved(M, &T.K, LCL_SOLVER_BICGSTAB);
    test_precond_destroy(&M);
    test_kron_finish(&T);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kron__block_jacobi_solves_with_dense_blocks),
        cmocka_unit_test(test_kron__block_jacobi_stores_floats),
        cmocka_unit_test(test_kron__factors_of_a_chain_are_exact),
        cmocka_unit_test(
            test_kron__stages_are_those_of_the_block_diagonal_matrix),
        cmocka_unit_test(test_kron__singular_blocks_are_reported),
        cmocka_unit_test(test_kron__missing_diagonal_blocks_are_counted),
        cmocka_unit_test(test_kron__systems_without_blocks_are_taken),
        cmocka_unit_test(test_kron__singular_stages_are_reported),
        cmocka_unit_test(test_kron__updates_forget_singular_stages),
    };
    return test_device_run(tests);
}
