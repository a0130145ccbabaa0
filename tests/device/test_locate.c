// SPDX-License-Identifier: BSD-3-Clause
// The subdomain and the level of each row, in the caller's numbering.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"
#include "tests/support/preconds.h"

#include "lib/ref/levels.h"

#include <levelcl/published.h>

#include <stdlib.h>
#include <string.h>

struct rows {
    int32_t *part, *level;
};

static struct rows poisoned(int64_t n)
{
    struct rows R = {malloc((size_t)n * sizeof *R.part),
                     malloc((size_t)n * sizeof *R.level)};
    assert_true(R.part && R.level);
    memset(R.part, 0xff, (size_t)n * sizeof *R.part);
    memset(R.level, 0xff, (size_t)n * sizeof *R.level);
    return R;
}

static void rows_finish(struct rows *R)
{
    free(R->part);
    free(R->level);
}

static struct rows locate(lcl_context *ctx, const struct lcl_csr *A, int block,
                          const struct lcl_precond_params *params,
                          struct lcl_precond_info *info)
{
    const struct lcl_operator_params op = {.block_size = block};
    struct rows R = poisoned(A->rows);
    lcl_precond *M;
    assert_true(test_precond_create_from(&M, ctx, A, &op, params) >= 0);
    assert_int_equal(lcl_precond_locate(M, R.part, R.level), LCL_OK);
    *info = *lcl_precond_info(M);
    test_precond_destroy(&M);
    return R;
}

// The levels of the parts have the maximum and the mean that M reports.
static void expect_levels(const struct rows *R, int64_t n,
                          const struct lcl_precond_info *info)
{
    int64_t *levels = calloc((size_t)info->factors.parts, sizeof *levels);
    int64_t most = 0, sum = 0;
    assert_non_null(levels);
    for (int64_t i = 0; i < n; ++i) {
        assert_in_range(R->part[i], 0, info->factors.parts - 1);
        assert_in_range(R->level[i], 0, info->factors.levels_max - 1);
        if (levels[R->part[i]] <= R->level[i])
            levels[R->part[i]] = R->level[i] + 1;
    }
    for (int64_t p = 0; p < info->factors.parts; ++p) {
        most = levels[p] > most ? levels[p] : most;
        sum += levels[p];
    }
    assert_int_equal(most, info->factors.levels_max);
    assert_true(sum == (int64_t)(info->factors.levels_mean *
                                     (double)info->factors.parts +
                                 .5));
    free(levels);
}

// Entries inside a part lead to other levels; a row of level l > 0 has one in a
// row of level l - 1. A has a symmetric pattern.
static void expect_dependencies(const struct rows *R, const struct lcl_csr *A,
                                int block)
{
    for (int64_t i = 0; i < A->rows; ++i) {
        bool found = R->level[i] == 0;
        for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k) {
            const int64_t j = A->col_ind[k];
            if (i / block == j / block) {
                assert_int_equal(R->part[i], R->part[j]);
                assert_int_equal(R->level[i], R->level[j]);
            } else if (R->part[i] == R->part[j]) {
                assert_int_not_equal(R->level[i], R->level[j]);
                found = found || R->level[j] == R->level[i] - 1;
            }
        }
        assert_true(found);
    }
}

static struct lcl_precond_params natural(enum lcl_precond_type type,
                                         int64_t rows)
{
    return (struct lcl_precond_params){
        .type = type,
        .partition = {.type = LCL_PARTITION_NATURAL, .rows = rows},
    };
}

// Chunks of 16 block rows.
static void expect_chunks(lcl_context *ctx, const struct lcl_csr *A, int block,
                          const struct lcl_precond_params *params)
{
    struct lcl_precond_info info;
    struct rows R = locate(ctx, A, block, params, &info);
    for (int64_t i = 0; i < A->rows; ++i)
        assert_int_equal(R.part[i], i / (16 * block));
    expect_levels(&R, A->rows, &info);
    expect_dependencies(&R, A, block);
    rows_finish(&R);
}

static void test_locate__rows_of_a_level_are_independent(void **state)
{
    const struct lcl_precond_params plain = natural(LCL_PRECOND_ILDU0, 16);
    struct lcl_precond_params bf16 = plain, levels = plain;
    struct lcl_csr A = test_laplacian(6, 8, 4);
    struct lcl_csr B = test_expand_blocks(&A, 2);
    for (int64_t k = 0; k < B.nnz; ++k)
        B.val[k] *= 1 + 0.1 * (double)(k % 3); // no singular blocks
    bf16.storage = LCL_FACTOR_STORAGE_BF16;
    levels.trisolve = LCL_TRISOLVE_HEC_LEVEL;
    expect_chunks(*state, &A, 1, &plain);
    expect_chunks(*state, &A, 1, &bf16);
    expect_chunks(*state, &A, 1, &levels);
    expect_chunks(*state, &B, 2, &plain);
    test_csr_finish(&B);
    test_csr_finish(&A);
}

// Levels over all subdomains are made without the twisted ordering.
static void test_locate__levels_are_those_of_the_reference(void **state)
{
    struct lcl_precond_params params = natural(LCL_PRECOND_ILDU0, 20);
    struct lcl_csr A = test_laplacian(7, 20, 1);
    struct lcl_precond_info info;
    int32_t level[20];
    params.trisolve = LCL_TRISOLVE_HEC_LEVEL;
    struct rows R = locate(*state, &A, 1, &params, &info);
    expect_levels(&R, A.rows, &info);
    for (int64_t p = 0; p < 7; ++p) {
        lcl_ref_levels(&A, 20 * p, 20 * p + 20, level);
        for (int64_t i = 0; i < 20; ++i)
            assert_int_equal(R.level[20 * p + i], level[i]);
    }
    rows_finish(&R);
    test_csr_finish(&A);
}

static void test_locate__complete_fill_makes_one_level_per_row(void **state)
{
    struct lcl_precond_params params = natural(LCL_PRECOND_ILUK, 12);
    struct lcl_csr A = test_laplacian(6, 10, 1);
    struct lcl_precond_info info;
    params.ilu_level = 1000; // the rows of a chunk are a path with fill
    struct rows R = locate(*state, &A, 1, &params, &info);
    for (int64_t i = 0; i < A.rows; ++i) {
        assert_int_equal(R.part[i], i / 12);
        assert_int_equal(R.level[i], i % 12);
    }
    rows_finish(&R);
    test_csr_finish(&A);
}

// Whether row i is in chunk p or in a column of one of its rows.
static bool is_near(const struct lcl_csr *A, int64_t i, int64_t p)
{
    for (int64_t k = A->row_ptr[i]; k < A->row_ptr[i + 1]; ++k)
        if (A->col_ind[k] / 12 == p)
            return true;
    return false;
}

static void test_locate__overlap_gives_a_part_that_has_the_row(void **state)
{
    const struct lcl_precond_params restricted = natural(LCL_PRECOND_RAS, 12);
    const struct lcl_precond_params sum = natural(LCL_PRECOND_AS, 12);
    struct lcl_csr A = test_laplacian(6, 5, 2);
    struct lcl_precond_info info;
    struct rows R = locate(*state, &A, 1, &restricted, &info);
    struct rows S = locate(*state, &A, 1, &sum, &info);
    for (int64_t i = 0; i < A.rows; ++i) {
        assert_int_equal(R.part[i], i / 12); // the owner
        assert_true(is_near(&A, i, S.part[i]));
    }
    rows_finish(&S);
    rows_finish(&R);
    test_csr_finish(&A);
}

static void test_locate__parts_are_those_of_the_labels(void **state)
{
    enum { ROWS = 60, LABELS = 7 };
    struct lcl_csr A = test_random_csr(ROWS, 4, 3);
    int32_t labels[ROWS], part[LABELS];
    struct lcl_precond_info info;
    for (int i = 0; i < ROWS; ++i)
        labels[i] = (i * i + 3 * i) % LABELS;
    memset(part, 0xff, sizeof part);
    const struct lcl_precond_params params = {
        .transversal = true,
        .partition = {.type = LCL_PARTITION_LABELS,
                      .labels = labels,
                      .labels_count = ROWS}};
    struct rows R = locate(*state, &A, 1, &params, &info);
    expect_levels(&R, ROWS, &info);
    for (int i = 0; i < ROWS; ++i) {
        int32_t *known = &part[labels[i]];
        assert_true(*known < 0 || *known == R.part[i]);
        *known = R.part[i];
    }
    rows_finish(&R);
    test_csr_finish(&A);
}

static void test_locate__refuses_what_has_no_subdomains(void **state)
{
    const struct lcl_precond_params jacobi = {.type = LCL_PRECOND_JACOBI};
    struct lcl_csr A = test_identity(3);
    int32_t part[3] = {7, 7, 7}, level[3] = {7, 7, 7};
    lcl_precond *M;
    assert_int_equal(test_precond_create(&M, *state, &A, &jacobi), LCL_OK);
    assert_int_equal(lcl_precond_locate(M, part, level), LCL_EUNSUPPORTED);
    assert_int_equal(part[2], 7);
    assert_misuse(lcl_precond_locate(M, NULL, level));
    assert_misuse(lcl_precond_locate(M, part, NULL));
    assert_misuse(lcl_precond_locate(NULL, part, level));
    test_precond_destroy(&M);
    assert_int_equal(test_precond_create(&M, *state, &A, NULL), LCL_OK);
    assert_int_equal(lcl_precond_locate(M, part, level), LCL_OK);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(level[i], 0);
    test_precond_destroy(&M);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_locate__rows_of_a_level_are_independent),
        cmocka_unit_test(test_locate__levels_are_those_of_the_reference),
        cmocka_unit_test(test_locate__complete_fill_makes_one_level_per_row),
        cmocka_unit_test(test_locate__overlap_gives_a_part_that_has_the_row),
        cmocka_unit_test(test_locate__parts_are_those_of_the_labels),
        cmocka_unit_test(test_locate__refuses_what_has_no_subdomains),
    };
    return test_device_run(tests);
}
