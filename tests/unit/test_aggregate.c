// SPDX-License-Identifier: BSD-3-Clause
// Merging of subdomains into aggregates, and the lists from which W and E are
// computed.
#include "tests/support/matrices.h"
#include "tests/support/test.h"

#include "lib/ref/aggregate.h"
#include "lib/ref/coarse_pattern.h"

#include <stdlib.h>

// Subdomains of `rows` consecutive rows.
static int64_t *parts_of(const struct lcl_csr *A, int64_t rows, int64_t *parts)
{
    *parts = (A->rows + rows - 1) / rows;
    int64_t *part_ptr = calloc((size_t)*parts + 1, sizeof *part_ptr);
    assert_non_null(part_ptr);
    for (int64_t p = 0; p <= *parts; ++p)
        part_ptr[p] = p * rows < A->rows ? p * rows : A->rows;
    return part_ptr;
}

// Every number below count is used, and none above.
static void expect_dense_numbers(const int32_t *aggregate, int64_t parts,
                                 int64_t count)
{
    char *used = calloc((size_t)count, 1);
    assert_non_null(used);
    for (int64_t p = 0; p < parts; ++p) {
        assert_in_range(aggregate[p], 0, count - 1);
        used[aggregate[p]] = 1;
    }
    for (int64_t q = 0; q < count; ++q)
        assert_true(used[q]);
    free(used);
}

static int64_t merge(const struct lcl_csr *A, int64_t rows, int64_t most)
{
    int64_t parts, count;
    int64_t *part_ptr = parts_of(A, rows, &parts);
    int32_t *aggregate = calloc((size_t)parts, sizeof *aggregate);
    assert_non_null(aggregate);
    assert_int_equal(
        lcl_ref_aggregate(aggregate, &count, A, part_ptr, parts, most, NULL),
        LCL_OK);
    assert_true(count <= most);
    expect_dense_numbers(aggregate, parts, count);
    free(aggregate);
    free(part_ptr);
    return count;
}

static void test_aggregate__few_subdomains_stay_as_they_are(void **state)
{
    (void)state;
    struct lcl_csr A = test_laplacian(4, 4, 4);
    assert_int_equal(merge(&A, 8, 8), 8);
    assert_int_equal(merge(&A, 64, 1), 1);
    test_csr_finish(&A);
}

static void test_aggregate__many_are_merged_but_not_by_far_too_much(
    void **state)
{
    (void)state;
    struct lcl_csr A = test_laplacian(10, 10, 10);
    assert_in_range(merge(&A, 2, 100), 30, 100);
    assert_in_range(merge(&A, 1, 64), 16, 64);
    assert_int_equal(merge(&A, 5, 1), 1);
    test_csr_finish(&A);
}

static void test_aggregate__uncoupled_subdomains_are_merged_too(void **state)
{
    (void)state;
    struct lcl_csr A = test_identity(500);
    assert_in_range(merge(&A, 1, 100), 25, 100);
    test_csr_finish(&A);
}

// A chain of pairs of rows, each with two couplings to one neighbour.
static void test_aggregate__strong_neighbours_come_together(void **state)
{
    (void)state;
    const double dense[64] = {2, 1, 0, 0, 0, 0, 1, 0, //
                              1, 2, 1, 0, 0, 0, 0, 1, //
                              0, 1, 2, 1, 1, 1, 0, 0, //
                              0, 0, 1, 2, 1, 1, 0, 0, //
                              0, 0, 1, 1, 2, 1, 0, 0, //
                              0, 0, 1, 1, 1, 2, 1, 0, //
                              1, 0, 0, 0, 0, 1, 2, 1, //
                              0, 1, 0, 0, 0, 0, 1, 2};
    const int64_t part_ptr[] = {0, 2, 4, 6, 8};
    struct lcl_csr A = test_csr_from_dense(8, dense);
    int32_t aggregate[4];
    int64_t count;
    assert_int_equal(
        lcl_ref_aggregate(aggregate, &count, &A, part_ptr, 4, 2, NULL), LCL_OK);
    assert_int_equal(count, 2);
    assert_int_equal(aggregate[0], aggregate[3]);
    assert_int_equal(aggregate[1], aggregate[2]);
    assert_int_not_equal(aggregate[0], aggregate[1]);
    test_csr_finish(&A);
}

// ------------------------------------------------------------------ pattern

static int32_t aggregate_of(const struct lcl_ref_coarse_pattern *C, int64_t row)
{
    int64_t p = 0;
    while (C->part_ptr[p + 1] <= row)
        ++p;
    return C->part_agg[p];
}

static void expect_run(const struct lcl_ref_coarse_pattern *C,
                       const struct lcl_csr *A, uint32_t k)
{
    const int32_t row = C->run_row[k];
    assert_in_range(k, C->run_ptr[row], C->run_ptr[row + 1] - 1);
    assert_true(C->run_first[k] >= A->row_ptr[row]);
    assert_true(C->run_first[k + 1] <= A->row_ptr[row + 1]);
    for (uint32_t m = C->run_first[k]; m < C->run_first[k + 1]; ++m)
        assert_int_equal(aggregate_of(C, A->col_ind[m]), C->run_agg[k]);
}

// Checks that the runs cover all entries, and that the order lists every run
// under its entry.
static void expect_pattern(const struct lcl_csr *A, int64_t rows, int64_t most)
{
    struct lcl_ref_coarse_pattern C;
    int64_t parts, *part_ptr = parts_of(A, rows, &parts);
    const struct lcl_subdomains P = {
        .n = A->rows, .parts = parts, .part_ptr = part_ptr};
    assert_int_equal(lcl_ref_coarse_pattern_init(&C, A, &P, most, NULL),
                     LCL_OK);
    char *seen = calloc((size_t)C.runs + 1, 1);
    assert_non_null(seen);
    assert_int_equal(C.run_first[0], 0);
    assert_int_equal(C.run_first[C.runs], A->nnz);
    assert_int_equal(C.entry_ptr[C.entries], C.runs);
    assert_int_equal(C.col_ptr[C.aggregates], C.runs);
    for (int64_t e = 0; e < C.entries; ++e)
        for (uint32_t m = C.entry_ptr[e]; m < C.entry_ptr[e + 1]; ++m) {
            const uint32_t k = C.order[m];
            expect_run(&C, A, k);
            assert_int_equal(C.entry_col[e], C.run_agg[k]);
            assert_int_equal(C.entry_row[e], aggregate_of(&C, C.run_row[k]));
            assert_in_range(m, C.col_ptr[C.run_agg[k]],
                            C.col_ptr[C.run_agg[k] + 1] - 1);
            assert_false(seen[k]);
            seen[k] = 1;
        }
    for (int64_t q = 0; q < C.aggregates; ++q)
        for (int32_t m = C.agg_ptr[q]; m < C.agg_ptr[q + 1]; ++m)
            assert_int_equal(C.part_agg[C.agg_parts[m]], q);
    free(seen);
    free(part_ptr);
    lcl_ref_coarse_pattern_finish(&C);
}

static void test_pattern__every_entry_is_in_the_run_of_its_aggregate(
    void **state)
{
    (void)state;
    struct lcl_csr all[] = {test_laplacian(5, 4, 3), test_random_csr(60, 5, 3),
                            test_dense_row(30, 11), test_identity(1)};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        expect_pattern(&all[i], 7, 100);
        expect_pattern(&all[i], 3, 5);
        expect_pattern(&all[i], 60, 1);
        test_csr_finish(&all[i]);
    }
}

static void test_pattern__empty_rows_have_no_runs(void **state)
{
    (void)state;
    const double dense[16] = {[1 * 4 + 3] = 2, [3 * 4 + 0] = 1};
    struct lcl_csr A = test_csr_from_dense(4, dense);
    expect_pattern(&A, 1, 4);
    expect_pattern(&A, 2, 4);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_aggregate__few_subdomains_stay_as_they_are),
        cmocka_unit_test(
            test_aggregate__many_are_merged_but_not_by_far_too_much),
        cmocka_unit_test(test_aggregate__uncoupled_subdomains_are_merged_too),
        cmocka_unit_test(test_aggregate__strong_neighbours_come_together),
        cmocka_unit_test(
            test_pattern__every_entry_is_in_the_run_of_its_aggregate),
        cmocka_unit_test(test_pattern__empty_rows_have_no_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
