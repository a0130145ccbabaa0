// SPDX-License-Identifier: BSD-3-Clause
// Block-Jacobi as its users see it: solves, what is reported, what is refused.
#include "tests/support/device.h"
#include "tests/support/diagonal.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"
#include "tests/support/preconds.h"
#include "tests/support/solving.h"

#include <levelcl/published.h>

#include <limits.h>
#include <math.h>
#include <stdlib.h>

static const struct lcl_precond_params plain = {.type =
                                                    LCL_PRECOND_BLOCK_JACOBI};
// One size of blocks is one program.
static const struct lcl_precond_params small = {
    .type = LCL_PRECOND_BLOCK_JACOBI, .block_jacobi = {.max_rows = 4}};

// ------------------------------------------------------------------- solves

static int iterations_of(lcl_context *ctx, const struct lcl_csr *A,
                         const struct lcl_operator_params *op,
                         const struct lcl_precond_params *params)
{
    double *b = test_right_side(A);
    struct test_solve s;
    test_solve_open_from(&s, ctx, A, op, params, NULL);
    assert_int_equal(test_solve_run(&s, b), LCL_OK);
    const int count = s.report.iterations;
    test_solve_close(&s);
    free(b);
    return count;
}

static int iterations(lcl_context *ctx, const struct lcl_csr *A,
                      const struct lcl_precond_params *params)
{
    return iterations_of(ctx, A, NULL, params);
}

static void test_diagonal_blocks__every_variant_solves(void **state)
{
    struct lcl_csr A = test_laplacian(12, 12, 1);
    struct lcl_precond_params params = small;
    const int expected = iterations(*state, &A, &params);
    for (int e = LCL_BLOCK_EXTRACTION_CACHED; e < LCL_BLOCK_EXTRACTION_COUNT;
         ++e) {
        params.block_jacobi.extraction = (enum lcl_block_extraction)e;
        assert_in_range(iterations(*state, &A, &params), expected - 2,
                        expected + 2);
    }
    params.block_jacobi.apply = LCL_BLOCK_APPLY_SPMV;
    assert_in_range(iterations(*state, &A, &params), expected - 2,
                    expected + 2);
    test_csr_finish(&A);
}

// Blocks that hold the matrix leave nothing to iterate.
static void test_diagonal_blocks__a_block_diagonal_matrix_takes_one_iteration(
    void **state)
{
    struct lcl_csr A = test_structure(2, 51);
    struct lcl_precond_params params = plain;
    lcl_precond *M;
    params.block_jacobi.max_rows = 13;
    assert_true(iterations(*state, &A, &params) <= 2);
    assert_int_equal(test_precond_create(&M, *state, &A, &params), LCL_OK);
    const struct lcl_precond_info *info = lcl_precond_info(M);
    assert_int_equal(info->nnz_kept, A.nnz);
    assert_int_equal(info->blocks.count, 6);
    assert_int_equal(info->blocks.rows_max, 13);
    assert_int_equal(info->blocks.extraction, LCL_BLOCK_EXTRACTION_BISECT);
    assert_int_equal(info->blocks.apply, LCL_BLOCK_APPLY_SLAB);
    assert_int_equal(info->factors.parts, 0);
    test_precond_destroy(&M);
    test_csr_finish(&A);
}

static void test_diagonal_blocks__matrices_in_blocks_are_solved(void **state)
{
    struct lcl_csr cells = test_laplacian(6, 6, 1);
    struct lcl_csr A = test_expand_blocks(&cells, 3);
    for (int64_t k = 0; k < A.nnz; ++k)
        A.val[k] *= 1 + (double)(k * k % 7) / 40;
    for (int64_t i = 0; i < A.rows; ++i)
        for (int64_t k = A.row_ptr[i]; k < A.row_ptr[i + 1]; ++k)
            A.val[k] += A.col_ind[k] == i ? 20 : 0;
    struct lcl_precond_params params = plain;
    lcl_precond *M;
    assert_int_equal(test_precond_create(&M, *state, &A, &params), LCL_OK);
    assert_int_equal(lcl_precond_info(M)->block_size, 3);
    assert_int_equal(lcl_precond_info(M)->blocks.rows_max, 6);
    test_precond_destroy(&M);
    const int in_blocks = iterations(*state, &A, &params);
    const struct lcl_operator_params entries = {.block_size = 1};
    assert_in_range(iterations_of(*state, &A, &entries, &params), in_blocks - 2,
                    in_blocks + 2);
    test_csr_finish(&A);
    test_csr_finish(&cells);
}

static void test_diagonal_blocks__storage_is_reported(void **state)
{
    struct lcl_csr A = test_laplacian(10, 10, 1);
    const int64_t blocks = 25;
    for (int s = LCL_FACTOR_STORAGE_FP64; s < LCL_FACTOR_STORAGE_COUNT; ++s) {
        struct lcl_precond_params params = small;
        lcl_precond *M;
        params.storage = (enum lcl_factor_storage)s;
        assert_true(iterations(*state, &A, &params) < 100);
        assert_int_equal(test_precond_create(&M, *state, &A, &params), LCL_OK);
        const struct lcl_precond_info *info = lcl_precond_info(M);
        assert_int_equal(info->storage, s);
        assert_int_equal(info->blocks.count, blocks);
        // the condition of these blocks is below 25
        const bool bf16 = s >= LCL_FACTOR_STORAGE_BF16;
        assert_int_equal(info->blocks.bf16, bf16 ? blocks : 0);
        assert_int_equal(info->blocks.fp32,
                         s == LCL_FACTOR_STORAGE_FP32 ? blocks : 0);
        test_precond_destroy(&M);
    }
    test_csr_finish(&A);
}

// ------------------------------------------------------------------- pivots

// The block of rows 3 to 5 is all zero, what couples it is not.
static struct lcl_csr zero_block(void)
{
    double dense[49] = {0};
    for (int i = 0; i < 7; ++i) {
        dense[7 * i + (i + 3) % 7] = 1;
        if (i < 3 || i > 5)
            dense[8 * i] = 4;
    }
    return test_csr_from_dense(7, dense);
}

static void test_diagonal_blocks__a_zero_block_is_reported(void **state)
{
    static const int64_t ptr[] = {0, 3, 6, 7};
    struct lcl_precond_params params = plain;
    struct lcl_csr A = zero_block();
    double b[] = {1, 2, 3, 4, 5, 6, 7}, x[7];
    lcl_precond *M;
    params.block_jacobi.block_ptr = ptr;
    params.block_jacobi.pointers = 4;
    assert_int_equal(test_precond_create(&M, *state, &A, &params),
                     LCL_PIVOTS_REPAIRED);
    assert_int_equal(lcl_precond_info(M)->pivots_repaired, 1);
    assert_int_equal(lcl_precond_info(M)->repaired_rows[0], 3);
    assert_int_equal(lcl_precond_info(M)->missing_diagonals, 3);
    assert_int_equal(lcl_precond_apply(M, b, x), LCL_OK);
    for (int i = 3; i < 6; ++i)
        assert_true(x[i] == b[i]);
    test_precond_destroy(&M);
    params.pivot = LCL_PIVOT_FAIL;
    assert_int_equal(test_precond_create(&M, *state, &A, &params), LCL_EPIVOT);
    assert_null(M);
    test_csr_finish(&A);
}

static void test_diagonal_blocks__update_forgets_repaired_blocks(void **state)
{
    struct lcl_csr A = test_laplacian(8, 2, 1);
    lcl_precond *M;
    double *good = calloc((size_t)A.nnz, sizeof *good);
    assert_non_null(good);
    for (int64_t k = 0; k < A.nnz; ++k)
        good[k] = A.val[k];
    for (int64_t k = A.row_ptr[8]; k < A.row_ptr[9]; ++k)
        A.val[k] = 0;
    assert_int_equal(test_precond_create(&M, *state, &A, &small),
                     LCL_PIVOTS_REPAIRED);
    assert_int_equal(lcl_precond_info(M)->repaired_rows[0] / 4, 2);
    assert_int_equal(test_precond_update(M, good), LCL_OK);
    assert_int_equal(lcl_precond_info(M)->pivots_repaired, 0);
    assert_int_equal(test_precond_update(M, A.val), LCL_PIVOTS_REPAIRED);
    good[3] = NAN;
    assert_int_equal(test_precond_update(M, good), LCL_EFORMAT);
    test_precond_destroy(&M);
    test_csr_finish(&A);
    free(good);
}

// ------------------------------------------------------------------- arguments

static void test_diagonal_blocks__unknown_enumerators_are_misuse(void **state)
{
    const struct lcl_block_jacobi_params wrong[] = {
        {.extraction = LCL_BLOCK_EXTRACTION_COUNT},
        {.extraction = (enum lcl_block_extraction) - 1},
        {.apply = LCL_BLOCK_APPLY_COUNT},
    };
    struct lcl_csr A = test_identity(40);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        struct lcl_precond_params params = plain;
        lcl_precond *M = NULL;
        params.block_jacobi = wrong[i];
        assert_misuse(test_precond_create(&M, *state, &A, &params));
        assert_null(M);
    }
    test_csr_finish(&A);
}

static void test_diagonal_blocks__wrong_parameters_are_refused(void **state)
{
    static const int64_t overlapping[] = {0, 5, 4, 40}, empty[] = {0, 5, 5, 40},
                         late[] = {1, 5, 6, 40}, large[] = {0, 1, 39, 40},
                         beyond[] = {0, 20, 30, 41};
    const struct lcl_block_jacobi_params wrong[] = {
        {.max_rows = -1},
        {.max_rows = LCL_DIAGONAL_BLOCK_MAX + 1},
        {.max_rows = INT_MAX},
        {.block_ptr = overlapping, .pointers = 4},
        {.block_ptr = empty, .pointers = 4},
        {.block_ptr = late, .pointers = 4},
        {.block_ptr = large, .pointers = 4},
        {.block_ptr = beyond, .pointers = 4},
        {.block_ptr = beyond, .pointers = 3},
        {.block_ptr = beyond, .pointers = 0},
        {.block_ptr = beyond, .pointers = INT64_MIN},
    };
    struct lcl_csr A = test_identity(40);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        struct lcl_precond_params params = plain;
        lcl_precond *M;
        params.block_jacobi = wrong[i];
        if (test_precond_create(&M, *state, &A, &params) != LCL_EINVAL)
            fail_msg("parameters %zu were taken", i);
        assert_null(M);
    }
    test_csr_finish(&A);
}

static void test_diagonal_blocks__storage_that_is_not_there_is_refused(
    void **state)
{
    struct lcl_precond_params params = plain;
    struct lcl_csr A = test_identity(4);
    lcl_precond *M;
    params.block_jacobi.apply = LCL_BLOCK_APPLY_SPMV;
    params.storage = LCL_FACTOR_STORAGE_BF16;
    assert_int_equal(test_precond_create(&M, *state, &A, &params),
                     LCL_EUNSUPPORTED);
    params =
        (struct lcl_precond_params){.storage = LCL_FACTOR_STORAGE_ADAPTIVE};
    assert_int_equal(test_precond_create(&M, *state, &A, &params),
                     LCL_EUNSUPPORTED);
    assert_null(M);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_diagonal_blocks__every_variant_solves),
        cmocka_unit_test(
            test_diagonal_blocks__a_block_diagonal_matrix_takes_one_iteration),
        cmocka_unit_test(test_diagonal_blocks__matrices_in_blocks_are_solved),
        cmocka_unit_test(test_diagonal_blocks__storage_is_reported),
        cmocka_unit_test(test_diagonal_blocks__a_zero_block_is_reported),
        cmocka_unit_test(test_diagonal_blocks__update_forgets_repaired_blocks),
        cmocka_unit_test(test_diagonal_blocks__unknown_enumerators_are_misuse),
        cmocka_unit_test(test_diagonal_blocks__wrong_parameters_are_refused),
        cmocka_unit_test(
            test_diagonal_blocks__storage_that_is_not_there_is_refused),
    };
    return test_device_run(tests);
}
