// SPDX-License-Identifier: BSD-3-Clause
// Operators through the public interface, which of the products is chosen, and
// what is refused.
#include "tests/support/device.h"
#include "tests/support/fake_cl.h"
#include "tests/support/folder.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"

#include "host/autotune.h"
#include "host/interop.h"
#include "host/runtime.h"
#include "lib/spmv/autotune.h"

#include <levelcl/opencl.h>
#include <levelcl/published.h>

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static lcl_operator *open_operator(lcl_context *ctx, const struct lcl_csr *A,
                                   enum lcl_spmv_type type, int block)
{
    const struct lcl_operator_params params = {.spmv = type,
                                               .block_size = block};
    lcl_operator *P = NULL;
    assert_int_equal(lcl_operator_create(&P, ctx, A, &params), LCL_OK);
    const struct lcl_operator_info *info = lcl_operator_info(P);
    assert_int_equal(info->rows, A->rows);
    assert_int_equal(info->cols, A->cols);
    assert_int_equal(info->nnz, A->nnz);
    assert_true(info->bytes >= info->traffic);
    return P;
}

// A is taken for as long as a product of it is looked at.
static void expect_product(lcl_operator *P, const struct lcl_csr *A)
{
    double *x = test_random_vector(A->cols, 3), *y = test_vector(A->rows);
    double *expected = test_vector(A->rows);
    lcl_csr_multiply(A, x, expected);
    assert_int_equal(lcl_operator_apply(P, x, y), LCL_OK);
    test_expect_near("y", y, expected, A->rows, 1e-12);
    free(x);
    free(y);
    free(expected);
}

static void expect_columns(lcl_operator *P, const struct lcl_csr *A,
                           int64_t vectors)
{
    const int64_t ldx = A->cols + 1, ldy = A->rows + 2;
    double *x = test_random_vector(ldx * vectors, 3);
    double *y = test_vector(ldy * vectors), *expected = test_vector(A->rows);
    for (int64_t i = 0; i < ldy * vectors; ++i)
        y[i] = -7;
    assert_int_equal(lcl_operator_apply_many(P, x, ldx, y, ldy, vectors),
                     LCL_OK);
    for (int64_t j = 0; j < vectors; ++j) {
        lcl_csr_multiply(A, x + j * ldx, expected);
        test_expect_near("a column of Y", y + j * ldy, expected, A->rows,
                         1e-12);
        assert_true(y[j * ldy + A->rows] == -7);
        assert_true(y[j * ldy + A->rows + 1] == -7);
    }
    free(x);
    free(y);
    free(expected);
}

// ------------------------------------------------------------------ products

static void test_operator__rectangular_products_match(void **state)
{
    static const int64_t sizes[][2] = {{61, 500}, {61, 40}, {1, 3}, {7, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
        for (int type = 0; type < LCL_SPMV_COUNT; ++type) {
            struct lcl_csr A = test_stretched_csr(sizes[i][0], sizes[i][1], 1);
            lcl_operator *P =
                open_operator(*state, &A, (enum lcl_spmv_type)type, 1);
            expect_product(P, &A);
            expect_product(P, &A);
            lcl_operator_destroy(&P);
            assert_null(P);
            test_csr_finish(&A);
        }
}

static void test_operator__columns_match(void **state)
{
    struct lcl_csr A = test_stretched_csr(61, 200, 1);
    for (int type = LCL_SPMV_CSR; type < LCL_SPMV_COUNT; ++type) {
        lcl_operator *P =
            open_operator(*state, &A, (enum lcl_spmv_type)type, 1);
        expect_columns(P, &A, 1);
        expect_columns(P, &A, 11);
        assert_int_equal(
            lcl_operator_apply_many(P, A.val, A.cols, A.val, A.rows, 0),
            LCL_OK);
        lcl_operator_destroy(&P);
    }
    test_csr_finish(&A);
}

static void test_operator__blocks_with_holes_and_new_values(void **state)
{
    struct lcl_csr A = test_stretched_csr(60, 90, 1);
    double *val = test_random_vector(A.nnz, 5);
    for (int i = 0; i < 2; ++i) {
        lcl_operator *P =
            open_operator(*state, &A, i ? LCL_SPMV_SLICED : LCL_SPMV_CSR, 3);
        assert_int_equal(lcl_operator_info(P)->block_size, 3);
        expect_product(P, &A);
        assert_int_equal(lcl_operator_update(P, val), LCL_OK);
        struct lcl_csr B = A;
        B.val = val;
        expect_product(P, &B);
        val[7] = NAN;
        assert_int_equal(lcl_operator_update(P, val), LCL_EFORMAT);
        val[7] = B.val[8];
        lcl_operator_destroy(&P);
    }
    free(val);
    test_csr_finish(&A);
}

static void test_operator__kinds_for_single_entries_refuse_blocks(void **state)
{
    struct lcl_csr A = test_stretched_csr(60, 90, 1);
    static const enum lcl_spmv_type types[] = {LCL_SPMV_BINNED,
                                               LCL_SPMV_ADAPTIVE, LCL_SPMV_HEC};
    for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
        const struct lcl_operator_params params = {.spmv = types[i],
                                                   .block_size = 3};
        lcl_operator *P;
        assert_int_equal(lcl_operator_create(&P, *state, &A, &params),
                         LCL_EUNSUPPORTED);
        assert_null(P);
    }
    test_csr_finish(&A);
}

// Rows of up to 6 entries.
static void test_operator__hec_takes_a_width(void **state)
{
    static const int refused[] = {-1, 7, INT_MAX};
    struct lcl_csr A = test_stretched_csr(60, 90, 1);
    struct lcl_operator_params params = {.spmv = LCL_SPMV_HEC, .hec_width = 2};
    lcl_operator *P;
    assert_int_equal(lcl_operator_create(&P, *state, &A, &params), LCL_OK);
    expect_product(P, &A);
    assert_int_equal(lcl_operator_info(P)->spmv, LCL_SPMV_HEC);
    lcl_operator_destroy(&P);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
        params.hec_width = refused[i];
        assert_int_equal(lcl_operator_create(&P, *state, &A, &params),
                         LCL_EINVAL);
        assert_null(P);
    }
    test_csr_finish(&A);
}

static void test_operator__a_matrix_in_blocks_matches(void **state)
{
    struct lcl_csr pattern = test_stretched_csr(31, 40, 1);
    struct lcl_bsr A = test_random_blocks(&pattern, 2, 3);
    const int64_t rows = 2 * A.rows, cols = 2 * A.cols;
    double *x = test_random_vector(cols, 3), *y = test_vector(rows);
    double *expected = test_vector(rows);
    lcl_operator *P;
    struct lcl_operator_params params = {.spmv = LCL_SPMV_SLICED,
                                         .block_size = 2};
    assert_int_equal(lcl_operator_create_bsr(&P, *state, &A, &params), LCL_OK);
    lcl_bsr_multiply(&A, x, expected);
    assert_int_equal(lcl_operator_apply(P, x, y), LCL_OK);
    test_expect_near("y", y, expected, rows, 1e-12);
    lcl_operator_destroy(&P);
    params.block_size = 3;
    assert_int_equal(lcl_operator_create_bsr(&P, *state, &A, &params),
                     LCL_EINVAL);
    assert_null(P);
    free(x);
    free(y);
    free(expected);
    test_bsr_finish(&A);
    test_csr_finish(&pattern);
}

static void test_operator__a_matrix_without_entries_gives_zero(void **state)
{
    int64_t row_ptr[3] = {0};
    int32_t col_ind[1];
    double val[1], y[2];
    const struct lcl_csr none = {0, 0, 0, row_ptr, col_ind, val};
    const struct lcl_csr zero = {2, 1, 0, row_ptr, col_ind, val};
    lcl_operator *P = NULL;
    assert_int_equal(lcl_operator_create(&P, *state, &none, NULL), LCL_EFORMAT);
    for (int type = 0; type < LCL_SPMV_COUNT; ++type) {
        P = open_operator(*state, &zero, (enum lcl_spmv_type)type, 0);
        y[0] = y[1] = 1;
        assert_int_equal(lcl_operator_apply(P, y, y), LCL_OK);
        assert_true(y[0] == 0 && y[1] == 0);
        lcl_operator_destroy(&P);
    }
}

// x and y are parts of one buffer; doubles before and between them stay.
static void expect_parts(lcl_operator *P, const double *x, const double *y)
{
    const int64_t rows = P->info.rows, cols = P->info.cols;
    const int64_t of_x = 3, of_y = of_x + cols + 2, all = of_y + rows;
    double *got = test_vector(all), *expected = test_vector(all);
    memcpy(expected + of_x, x, (size_t)cols * sizeof *x);
    lcl_buffer *buffer = test_upload(P->range.ctx, expected, all, sizeof *x);
    const struct lcl_array_cl from = {lcl_buffer_mem(buffer), of_x},
                              to = {lcl_buffer_mem(buffer), of_y},
                              across = {lcl_buffer_mem(buffer), of_x + 1};
    assert_int_equal(lcl_operator_apply_cl(P, &from, &across, NULL),
                     LCL_EINVAL);
    assert_int_equal(lcl_operator_apply_cl(P, &from, &to, NULL), LCL_OK);
    memcpy(expected + of_y, y, (size_t)rows * sizeof *y);
    test_download(buffer, got, all, sizeof *got);
    test_expect_same("parts of a buffer", got, expected, all);
    lcl_buffer_destroy(&buffer);
    free(got);
    free(expected);
}

static void test_operator__buffers_of_the_caller_match(void **state)
{
    struct lcl_csr A = test_stretched_csr(61, 200, 1);
    lcl_operator *P = open_operator(*state, &A, LCL_SPMV_DEFAULT, 1);
    double *x = test_random_vector(A.cols, 3), *y = test_vector(A.rows);
    double *expected = test_vector(A.rows);
    lcl_buffer *in = test_upload(*state, x, A.cols, sizeof *x);
    lcl_buffer *out = test_poisoned(*state, A.rows, sizeof *y);
    const struct lcl_array_cl from = {lcl_buffer_mem(in), 0},
                              to = {lcl_buffer_mem(out), 0};
    lcl_csr_multiply(&A, x, expected);
    assert_int_equal(lcl_operator_apply_cl(P, &from, &to, NULL), LCL_OK);
    test_download(out, y, A.rows, sizeof *y);
    test_expect_near("y", y, expected, A.rows, 1e-12);
    expect_parts(P, x, y);
    assert_int_equal(lcl_operator_apply_cl(P, &to, &from, NULL), LCL_EINVAL);
    assert_int_equal(lcl_operator_apply_cl(P, &from, &from, NULL), LCL_EINVAL);
    lcl_buffer_destroy(&in);
    lcl_buffer_destroy(&out);
    lcl_operator_destroy(&P);
    free(x);
    free(y);
    free(expected);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------ refusals

static void test_operator__wrong_arguments_are_refused(void **state)
{
    struct lcl_csr A = test_identity(6);
    struct lcl_operator_params params = {.spmv = LCL_SPMV_COUNT};
    lcl_operator *P = NULL;
    double v[6] = {0};
    assert_misuse(lcl_operator_create(NULL, *state, &A, NULL));
    assert_misuse(lcl_operator_create(&P, NULL, &A, NULL));
    assert_misuse(lcl_operator_create(&P, *state, NULL, NULL));
    assert_misuse(lcl_operator_create_bsr(&P, *state, NULL, NULL));
    assert_misuse(lcl_operator_create(&P, *state, &A, &params));
    params.spmv = LCL_SPMV_DEFAULT;
    for (params.block_size = -1; params.block_size < 12;
         params.block_size += 5) // -1, 4 and 9
        assert_int_equal(lcl_operator_create(&P, *state, &A, &params),
                         LCL_EINVAL);
    assert_null(P);
    assert_misuse(lcl_operator_apply(NULL, v, v));
    assert_misuse(lcl_operator_update(NULL, v));
    assert_misuse(lcl_operator_apply_cl(NULL, NULL, NULL, NULL));
    assert_null(lcl_operator_info(NULL));
    lcl_operator_destroy(NULL);
    lcl_operator_destroy(&P);
    P = open_operator(*state, &A, LCL_SPMV_CSR, 1);
    assert_misuse(lcl_operator_apply(P, NULL, v));
    assert_misuse(lcl_operator_apply_many(P, v, 6, NULL, 6, 1));
    assert_int_equal(lcl_operator_apply_many(P, v, 5, v, 6, 1), LCL_EINVAL);
    assert_int_equal(lcl_operator_apply_many(P, v, 6, v, 5, 1), LCL_EINVAL);
    assert_int_equal(lcl_operator_apply_many(P, v, 6, v, 6, -1), LCL_EINVAL);
    assert_int_equal(lcl_operator_apply_many(P, v, INT64_MAX, v, 6, 2),
                     LCL_ERANGE);
    expect_product(P, &A);
    lcl_operator_destroy(&P);
    test_csr_finish(&A);
}

static void test_operator__malformed_matrices_are_refused(void **state)
{
    struct lcl_csr A = test_identity(6);
    struct lcl_csr dense = test_dense_row(60, 7);
    const struct lcl_operator_params sliced = {.spmv = LCL_SPMV_SLICED};
    lcl_operator *P = NULL;
    A.col_ind[3] = 6;
    assert_int_equal(lcl_operator_create(&P, *state, &A, NULL), LCL_EFORMAT);
    A.col_ind[3] = 3;
    A.row_ptr[6] = INT64_MAX;
    assert_int_equal(lcl_operator_create(&P, *state, &A, NULL), LCL_EFORMAT);
    A.row_ptr[6] = 6;
    A.val[5] = INFINITY;
    assert_int_equal(lcl_operator_create(&P, *state, &A, NULL), LCL_EFORMAT);
    assert_int_equal(lcl_operator_create(&P, *state, &dense, &sliced),
                     LCL_EUNSUPPORTED);
    assert_null(P);
    test_csr_finish(&A);
    test_csr_finish(&dense);
}

// ------------------------------------------------------------------ choice

static const enum lcl_spmv_type candidates[] = {LCL_SPMV_CSR, LCL_SPMV_SLICED,
                                                LCL_SPMV_ADAPTIVE};

// The question of lib/spmv/autotune.c for A, whose 2^14 rows have about 6
// entries each.
static void name_question(char text[256], lcl_context *ctx,
                          const struct lcl_device_matrix *D)
{
    int at = snprintf(text, 256,
                      "product: log2 of rows 14, mean length 6, blocks of 1: ");
    for (int c = 0; c < 3; ++c) {
        struct lcl_spmv S;
        assert_int_equal(lcl_spmv_study(&S, candidates[c], ctx, D), LCL_OK);
        at += snprintf(text + at, 256 - (size_t)at, "%s%s %s",
                       c > 0 ? ", " : "", lcl_spmv_name(S.type), S.traits);
        lcl_spmv_finish(&S);
    }
}

// Caches `type` as the fastest product for A.
static void prefer(lcl_context *ctx, const struct lcl_csr *A,
                   enum lcl_spmv_type type)
{
    struct lcl_device_matrix D;
    char question[256];
    int best = 0;
    test_upload_csr(&D, ctx, A);
    assert_false(lcl_spmv_is_small(&D));
    name_question(question, ctx, &D);
    while (candidates[best] != type)
        ++best;
    lcl_autotune_store(ctx, question, best);
    lcl_device_matrix_finish(&D);
}

static void test_operator__what_was_measured_is_taken(void **state)
{
    struct lcl_csr A = test_laplacian(32, 32, 16);
    for (int i = 0; i < 3; ++i) {
        prefer(*state, &A, candidates[i]);
        lcl_operator *P = open_operator(*state, &A, LCL_SPMV_DEFAULT, 1);
        assert_int_equal(lcl_operator_info(P)->spmv, LCL_SPMV_DEFAULT);
        expect_product(P, &A);
        assert_int_equal(lcl_operator_info(P)->spmv, candidates[i]);
        lcl_operator_destroy(&P);
    }
    test_csr_finish(&A);
}

// The cache of a folder of its own is empty.
static void test_operator__what_is_fastest_is_measured_once(void **state)
{
    struct lcl_test_folder folder;
    const struct lcl_context_params params = {.cache_dir = folder.path,
                                              .no_self_test = true};
    struct lcl_csr A = test_laplacian(32, 32, 16);
    enum lcl_spmv_type first = LCL_SPMV_DEFAULT;
    (void)state;
    lcl_test_folder_create(&folder);
    for (int run = 0; run < 2; ++run) {
        lcl_context *ctx;
        assert_int_equal(lcl_context_create(&ctx, &params), LCL_OK);
        lcl_operator *P = open_operator(ctx, &A, LCL_SPMV_DEFAULT, 1);
        expect_product(P, &A);
        if (run > 0)
            assert_int_equal(lcl_operator_info(P)->spmv, first);
        first = lcl_operator_info(P)->spmv;
        assert_int_not_equal(first, LCL_SPMV_DEFAULT);
        lcl_operator_destroy(&P);
        lcl_context_destroy(&ctx);
    }
    lcl_test_folder_remove(&folder);
    test_csr_finish(&A);
}

static void no_message(void *user, enum lcl_log_level level, const char *text)
{
    (void)user;
    fail_msg("message of level %d: %s", (int)level, text);
}

static void test_operator__csr_is_taken_where_memory_is_short(void **state)
{
    struct lcl_csr A = test_laplacian(32, 32, 16);
    const struct lcl_context_params params = {
        .log = {.fn = no_message, .level = LCL_LOG_WARN},
    };
    lcl_context *ctx;
    (void)state;
    fake_cl =
        (struct fake_cl){.device_info = {{CL_DEVICE_MAX_MEM_ALLOC_SIZE,
                                          (cl_ulong)A.nnz * sizeof *A.val}}};
    assert_int_equal(lcl_runtime_create(&ctx, &params, &fake_cl_api), LCL_OK);
    prefer(ctx, &A, LCL_SPMV_SLICED);
    lcl_operator *P = open_operator(ctx, &A, LCL_SPMV_DEFAULT, 1);
    expect_product(P, &A);
    assert_int_equal(lcl_operator_info(P)->spmv, LCL_SPMV_CSR);
    lcl_operator_destroy(&P);
    lcl_context_destroy(&ctx);
    assert_int_equal(fake_cl.objects, 0);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operator__rectangular_products_match),
        cmocka_unit_test(test_operator__columns_match),
        cmocka_unit_test(test_operator__blocks_with_holes_and_new_values),
        cmocka_unit_test(test_operator__kinds_for_single_entries_refuse_blocks),
        cmocka_unit_test(test_operator__hec_takes_a_width),
        cmocka_unit_test(test_operator__a_matrix_in_blocks_matches),
        cmocka_unit_test(test_operator__a_matrix_without_entries_gives_zero),
        cmocka_unit_test(test_operator__buffers_of_the_caller_match),
        cmocka_unit_test(test_operator__wrong_arguments_are_refused),
        cmocka_unit_test(test_operator__malformed_matrices_are_refused),
        cmocka_unit_test(test_operator__what_was_measured_is_taken),
        cmocka_unit_test(test_operator__what_is_fastest_is_measured_once),
        cmocka_unit_test(test_operator__csr_is_taken_where_memory_is_short),
    };
    return test_device_run(tests);
}
