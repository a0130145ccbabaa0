// SPDX-License-Identifier: BSD-3-Clause
// block_apply.cl: storage and application of inverses of diagonal blocks,
// compared with the reference.
#include "tests/support/device.h"
#include "tests/support/diagonal.h"
#include "tests/support/matrices.h"
#include "tests/support/systems.h"

#include "lib/matrix/bsr.h"
#include "lib/ref/store.h"

#include <levelcl/published.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------- storage

// Stored values are those of fp64 storage, rounded to nearest.
static void expect_rounded(const struct test_diagonal *T,
                           const struct test_diagonal *exact)
{
    const struct lcl_ref_block_jacobi *J = &T->reference;
    double *got = test_diagonal_entries(T);
    double *values = test_diagonal_entries(exact);
    for (int64_t p = 0; p < J->blocks; ++p)
        for (int64_t e = J->at[p]; e < J->at[p + 1]; ++e) {
            const double expected =
                lcl_ref_rounded(values[e], test_diagonal_storage(T, p));
            if (got[e] != expected)
                fail_msg("block %lld, entry %lld: got %a, expected %a",
                         (long long)p, (long long)e, got[e], expected);
        }
    free(got);
    free(values);
}

static void expect_stored(lcl_context *ctx, const struct lcl_csr *A,
                          const struct lcl_diagonal_blocks *blocks,
                          enum lcl_factor_storage storage,
                          enum lcl_block_extraction extraction,
                          enum lcl_block_apply apply)
{
    struct lcl_block_inverse_params params = {.extraction = extraction,
                                              .apply = apply};
    struct test_diagonal T, exact;
    test_diagonal_init(&exact, ctx, A, 1, blocks, &params);
    params.storage = storage;
    test_diagonal_init(&T, ctx, A, 1, blocks, &params);
    test_diagonal_run(&exact);
    // the second run starts from the state that the first one left
    for (int round = 0; round < 2; ++round) {
        test_diagonal_run(&T);
        expect_rounded(&T, &exact);
    }
    test_diagonal_finish(&T);
    test_diagonal_finish(&exact);
}

static void test_block_apply__values_are_rounded_to_nearest(void **state)
{
    const int64_t n = test_size(31, 300);
    struct lcl_csr A = test_structure(2, n);
    struct lcl_diagonal_blocks blocks = test_random_diagonal(n, 5, 3);
    for (int e = LCL_BLOCK_EXTRACTION_SHARED; e < LCL_BLOCK_EXTRACTION_COUNT;
         ++e) {
        const enum lcl_block_apply apply =
            e % 2 == 0 ? LCL_BLOCK_APPLY_SLAB : LCL_BLOCK_APPLY_SA_SPMV;
        expect_stored(*state, &A, &blocks, LCL_FACTOR_STORAGE_FP32,
                      (enum lcl_block_extraction)e, apply);
        expect_stored(*state, &A, &blocks, LCL_FACTOR_STORAGE_BF16,
                      (enum lcl_block_extraction)e, apply);
        expect_stored(*state, &A, &blocks, LCL_FACTOR_STORAGE_ADAPTIVE,
                      (enum lcl_block_extraction)e, apply);
    }
    lcl_diagonal_blocks_finish(&blocks);
    test_csr_finish(&A);
}

// The shortest format that all blocks of a slab admit, and the number of blocks
// with it.
static void expect_formats(const struct test_diagonal *T)
{
    int32_t count[LCL_FACTOR_STORAGE_COUNT] = {0};
    for (int64_t s = 0; s < T->inverse.slabs; ++s) {
        enum lcl_factor_storage expected = LCL_FACTOR_STORAGE_BF16;
        for (int64_t p = 0; p < T->reference.blocks; ++p) {
            const enum lcl_factor_storage own =
                lcl_ref_block_storage(&T->reference, p);
            if (T->slab_of[p] == s && own < expected)
                expected = own;
        }
        assert_int_equal(T->slabs[s].storage, expected);
        for (int64_t p = 0; p < T->reference.blocks; ++p)
            count[expected] += T->slab_of[p] == s;
    }
    assert_int_equal(T->counts.fp32, count[LCL_FACTOR_STORAGE_FP32]);
    assert_int_equal(T->counts.bf16, count[LCL_FACTOR_STORAGE_BF16]);
}

// A run of diagonal matrices of `rows` rows each, with condition number `cond`
// and norm `size`; their inverses are exact enough to hit a limit.
static void add_blocks(double *diagonal, int64_t *n, int64_t rows, double cond,
                       double size)
{
    for (int64_t i = 0; i < rows; ++i)
        diagonal[(*n)++] = i % 4 == 1 ? size : size / cond;
}

static void test_block_apply__formats_follow_condition_and_range(void **state)
{
    static const struct {
        double cond, size;
    } cases[] = {
        {1, 1},         {25, 1},        {26, 1},    {1.6e6, 1},   {1.7e6, 1},
        {1e12, 1},      {1, 1e-37},     {1, 1e-39}, {1, 0x1p117}, {1, 0x1p119},
        {2e3, 0x1p110}, {1e3, 0x1p126}, {0, 1}, // singular
    };
    const struct lcl_block_inverse_params params = {
        .storage = LCL_FACTOR_STORAGE_ADAPTIVE};
    double diagonal[64 * sizeof cases / sizeof *cases];
    int64_t n = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        add_blocks(diagonal, &n, 64, cases[i].cond, cases[i].size);
    struct lcl_csr A = test_identity(n);
    struct lcl_diagonal_blocks blocks;
    const struct lcl_bsr B = lcl_bsr_of_csr(&A);
    struct test_diagonal T;
    memcpy(A.val, diagonal, (size_t)n * sizeof *diagonal);
    for (int64_t i = 0; i < n; ++i)
        if (!isfinite(A.val[i]))
            A.val[i] = 0;
    assert_int_equal(lcl_supervariables(&blocks, &B, 4, NULL), LCL_OK);
    test_diagonal_init(&T, *state, &A, 1, &blocks, &params);
    test_diagonal_run(&T);
    expect_formats(&T);
    assert_true(T.counts.fp32 > 0 && T.counts.bf16 > 0);
    assert_true(T.counts.fp32 + T.counts.bf16 < blocks.count);
    test_diagonal_finish(&T);
    lcl_diagonal_blocks_finish(&blocks);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------- products

static double rounding_of(enum lcl_factor_storage storage)
{
    return storage == LCL_FACTOR_STORAGE_BF16   ? 0x1p-7
           : storage == LCL_FACTOR_STORAGE_FP32 ? 1e-6
                                                : 1e-12;
}

static void expect_product(const struct test_diagonal *T)
{
    lcl_context *ctx = T->ctx;
    const int64_t n = T->matrix.n;
    double *b = test_random_vector(n, 8), *x = test_vector(n);
    double *expected = test_vector(n);
    enum lcl_factor_storage *storage =
        calloc((size_t)T->reference.blocks, sizeof *storage);
    double tolerance = 0;
    assert_non_null(storage);
    for (int64_t p = 0; p < T->reference.blocks; ++p) {
        storage[p] = test_diagonal_storage(T, p);
        tolerance = fmax(tolerance, rounding_of(storage[p]));
    }
    lcl_ref_block_jacobi_apply(&T->reference, storage, b, expected);
    lcl_buffer *go_on = test_stop_flag(ctx, 0), *stop = test_stop_flag(ctx, 1);
    lcl_buffer *in = test_upload(ctx, b, n, sizeof *b);
    lcl_buffer *out = test_poisoned(ctx, n, sizeof *x);
    struct lcl_operands v = {.x = in, .y = out, .stop = stop};
    assert_int_equal(lcl_block_inverse_apply(&T->inverse, &v), LCL_OK);
    test_untouched(out);
    v.stop = go_on;
    assert_int_equal(lcl_block_inverse_apply(&T->inverse, &v), LCL_OK);
    test_download(out, x, n, sizeof *x);
    test_expect_near("x", x, expected, n, tolerance);
    lcl_buffer_destroy(&go_on);
    lcl_buffer_destroy(&stop);
    lcl_buffer_destroy(&in);
    lcl_buffer_destroy(&out);
    free(storage);
    free(b);
    free(x);
    free(expected);
}

static void expect_products(lcl_context *ctx, const struct lcl_csr *A, int rows,
                            const struct lcl_block_inverse_params *params)
{
    struct lcl_diagonal_blocks blocks = test_random_diagonal(A->rows, rows, 6);
    struct test_diagonal T;
    test_diagonal_init(&T, ctx, A, 1, &blocks, params);
    test_diagonal_run(&T);
    expect_product(&T);
    test_diagonal_finish(&T);
    lcl_diagonal_blocks_finish(&blocks);
}

static void test_block_apply__products_match(void **state)
{
    static const int rows[] = {5, 9, 1, 32};
    for (int i = 0; i < (int)test_size(2, 4); ++i) {
        struct lcl_csr A = test_structure(2, test_size(41, 517));
        for (int s = LCL_FACTOR_STORAGE_FP64; s < LCL_FACTOR_STORAGE_COUNT;
             ++s) {
            struct lcl_block_inverse_params params = {
                .storage = (enum lcl_factor_storage)s};
            expect_products(*state, &A, rows[i], &params);
            params.apply = LCL_BLOCK_APPLY_SA_SPMV;
            expect_products(*state, &A, rows[i], &params);
        }
        const struct lcl_block_inverse_params sparse = {
            .apply = LCL_BLOCK_APPLY_SPMV};
        expect_products(*state, &A, rows[i], &sparse);
        test_csr_finish(&A);
    }
}

static void test_block_apply__sparse_products_have_no_other_storage(
    void **state)
{
    struct lcl_csr A = test_identity(4);
    struct lcl_diagonal_blocks blocks = test_random_diagonal(4, 2, 1);
    for (int s = LCL_FACTOR_STORAGE_FP32; s < LCL_FACTOR_STORAGE_COUNT; ++s) {
        const struct lcl_block_inverse_params params = {
            .apply = LCL_BLOCK_APPLY_SPMV,
            .storage = (enum lcl_factor_storage)s};
        struct lcl_block_inverse V;
        const struct lcl_device_matrix none = {0};
        assert_int_equal(
            lcl_block_inverse_init(&V, &none, *state, &blocks, &params),
            LCL_EUNSUPPORTED);
    }
    lcl_diagonal_blocks_finish(&blocks);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block_apply__values_are_rounded_to_nearest),
        cmocka_unit_test(test_block_apply__formats_follow_condition_and_range),
        cmocka_unit_test(test_block_apply__products_match),
        cmocka_unit_test(
            test_block_apply__sparse_products_have_no_other_storage),
    };
    return test_device_run(tests);
}
