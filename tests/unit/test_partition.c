// SPDX-License-Identifier: BSD-3-Clause
// From labels to parts: numbering, limits, refused input.
#include "tests/support/capture.h"
#include "tests/support/matrices.h"
#include "tests/support/partitions.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

static struct lcl_partition_params with_labels(const int32_t *labels, int64_t n)
{
    return (struct lcl_partition_params){
        .type = LCL_PARTITION_LABELS, .labels = labels, .labels_count = n};
}

static void expect_refused(const struct lcl_csr *A,
                           const struct lcl_partition_params *params,
                           int64_t max_rows, enum lcl_status status,
                           const char *sentence)
{
    struct test_capture capture;
    test_capture_init(&capture, LCL_LOG_ERROR);
    struct lcl_subdomains P;
    assert_int_equal(
        lcl_partition_create(&P, A, params, max_rows, &capture.log), status);
    assert_int_equal(capture.messages, 1);
    test_capture_expect(&capture, sentence);
    assert_null(P.row);
    assert_int_equal(P.parts, 0);
}

// MATCH, the last one, needs a device.
static void test_partition__one_row_is_one_part_for_every_method(void **state)
{
    (void)state;
    const struct lcl_partition_params match = {.type = LCL_PARTITION_MATCH};
    struct lcl_csr A = test_identity(1);
    const int32_t label = 7;
    expect_refused(&A, &match, 1, LCL_EUNSUPPORTED, "needs a device");
    for (int type = 0; type < LCL_PARTITION_MATCH; ++type) {
        const struct lcl_partition_params params = {.type = type,
                                                    .box = {1, 1, 1},
                                                    .grid = {1, 1, 1},
                                                    .labels = &label,
                                                    .labels_count = 1};
        struct lcl_subdomains P;
        assert_int_equal(lcl_partition_create(&P, &A, &params, 1, NULL), 0);
        test_partition_valid(&P, 1, 1);
        lcl_subdomains_finish(&P);
    }
    test_csr_finish(&A);
}

static void test_partition__natural_chunks_are_equally_long(void **state)
{
    (void)state;
    struct lcl_csr A = test_identity(101);
    const struct lcl_partition_params params = {.type = LCL_PARTITION_NATURAL};
    struct lcl_subdomains P;
    assert_int_equal(lcl_partition_create(&P, &A, &params, 25, NULL), 0);
    test_partition_valid(&P, 101, 25);
    assert_int_equal(P.parts, 5);
    for (int64_t p = 0; p < 4; ++p)
        assert_int_equal(P.part_ptr[p], 21 * p);
    for (int64_t i = 0; i < 101; ++i)
        assert_int_equal(P.row[i], i);
    lcl_subdomains_finish(&P);
    test_csr_finish(&A);
}

static void test_partition__the_smaller_of_both_limits_holds(void **state)
{
    (void)state;
    static const struct {
        int64_t rows, max_rows, parts;
    } cases[] = {
        {0, 10, 10}, {5, 10, 20}, {20, 10, 10}, {INT64_MAX, INT64_MAX, 1}};
    struct lcl_csr A = test_identity(100);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        const struct lcl_partition_params params = {
            .type = LCL_PARTITION_NATURAL, .rows = cases[c].rows};
        struct lcl_subdomains P;
        assert_int_equal(
            lcl_partition_create(&P, &A, &params, cases[c].max_rows, NULL), 0);
        assert_int_equal(P.parts, cases[c].parts);
        lcl_subdomains_finish(&P);
    }
    test_csr_finish(&A);
}

static void test_partition__labels_are_numbered_by_their_first_row(void **state)
{
    (void)state;
    const int32_t labels[] = {5, 2, 5, 0, 2, 5};
    const int32_t perm[] = {0, 2, 5, 1, 4, 3};
    const int64_t part_ptr[] = {0, 3, 5, 6};
    const struct lcl_partition_params params = with_labels(labels, 6);
    struct lcl_csr A = test_identity(6);
    struct lcl_subdomains P;
    assert_int_equal(lcl_partition_create(&P, &A, &params, 3, NULL), 0);
    test_partition_valid(&P, 6, 3);
    assert_int_equal(P.parts, 3);
    assert_memory_equal(P.row, perm, sizeof perm);
    assert_memory_equal(P.part_ptr, part_ptr, sizeof part_ptr);
    lcl_subdomains_finish(&P);
    test_csr_finish(&A);
}

static void test_partition__labels_may_be_far_apart(void **state)
{
    (void)state;
    const int32_t labels[] = {INT32_MAX, 0, INT32_MAX, 1000000, 0};
    const int32_t perm[] = {0, 2, 1, 4, 3};
    const struct lcl_partition_params params = with_labels(labels, 5);
    struct lcl_csr A = test_identity(5);
    struct lcl_subdomains P;
    assert_int_equal(lcl_partition_create(&P, &A, &params, 5, NULL), 0);
    test_partition_valid(&P, 5, 2);
    assert_memory_equal(P.row, perm, sizeof perm);
    lcl_subdomains_finish(&P);
    test_csr_finish(&A);
}

static void test_partition__random_labels_give_a_partition(void **state)
{
    (void)state;
    enum { N = 500 };
    int32_t labels[N];
    uint64_t random = 11;
    struct lcl_csr A = test_identity(N);
    for (int32_t most = 1; most < 2000; most *= 3) {
        for (int i = 0; i < N; ++i)
            labels[i] = (int32_t)(test_random(&random) * most);
        const struct lcl_partition_params params = with_labels(labels, N);
        struct lcl_subdomains P;
        assert_int_equal(lcl_partition_create(&P, &A, &params, N, NULL), 0);
        test_partition_valid(&P, N, N);
        int32_t *part = test_part_of_rows(&P);
        for (int i = 1; i < N; ++i)
            assert_int_equal(part[i] == part[i - 1],
                             labels[i] == labels[i - 1]);
        free(part);
        lcl_subdomains_finish(&P);
    }
    test_csr_finish(&A);
}

static void test_partition__bad_labels_are_refused(void **state)
{
    (void)state;
    const int32_t labels[] = {0, 0, -3, 1};
    struct lcl_csr A = test_identity(4);
    struct lcl_partition_params params = with_labels(labels, 4);
    expect_refused(&A, &params, 4, LCL_EINVAL, "row 2 has the label -3");
    params.labels_count = 3;
    expect_refused(&A, &params, 4, LCL_EINVAL, "3 labels for 4 rows");
    params.labels_count = -1;
    expect_refused(&A, &params, 4, LCL_EINVAL, "-1 labels");
    params = with_labels(NULL, 4);
    expect_refused(&A, &params, 4, LCL_EINVAL, "0 labels");
    test_csr_finish(&A);
}

static void test_partition__a_part_above_the_limit_is_refused(void **state)
{
    (void)state;
    const int32_t labels[] = {0, 1, 1, 1};
    struct lcl_csr A = test_identity(4);
    struct lcl_partition_params params = with_labels(labels, 4);
    expect_refused(&A, &params, 2, LCL_ERANGE,
                   "row 1 has 3 rows, expected at most 2");
    params.rows = 1;
    expect_refused(&A, &params, 9, LCL_ERANGE, "expected at most 1");
    test_csr_finish(&A);
}

static void test_partition__hostile_parameters_are_refused(void **state)
{
    (void)state;
    struct lcl_csr A = test_identity(4);
    struct lcl_partition_params params = {.rows = -1};
    expect_refused(&A, &params, 4, LCL_EINVAL, "-1 rows");
    params = (struct lcl_partition_params){0};
    expect_refused(&A, &params, 0, LCL_EINVAL, "limit 0");
    expect_refused(&A, &params, INT64_MIN, LCL_EINVAL, "limit -");
    expect_refused(NULL, &params, 4, LCL_EINVAL, "NULL");
    expect_refused(&A, NULL, 4, LCL_EINVAL, "NULL");
    params.type = LCL_PARTITION_COUNT;
    expect_refused(&A, &params, 4, LCL_EINVAL, "type");
    params.type = (enum lcl_partition_type) - 1;
    expect_refused(&A, &params, 4, LCL_EINVAL, "type");
    params = (struct lcl_partition_params){.weights = LCL_WEIGHTS_COUNT};
    expect_refused(&A, &params, 4, LCL_EINVAL, "weights");
    test_csr_finish(&A);
}

static void test_partition__only_square_matrices_are_accepted(void **state)
{
    (void)state;
    int64_t row_ptr[] = {0, 0, 0};
    const struct lcl_partition_params params = {0};
    const struct lcl_csr wide = {.rows = 2, .cols = 3, .row_ptr = row_ptr};
    expect_refused(&wide, &params, 4, LCL_EINVAL, "2 x 3");
    const struct lcl_csr empty = {.row_ptr = row_ptr};
    expect_refused(&empty, &params, 4, LCL_EINVAL, "0 x 0");
    const int64_t n = (int64_t)INT32_MAX + 1;
    const struct lcl_csr large = {.rows = n, .cols = n, .row_ptr = row_ptr};
    expect_refused(&large, &params, 4, LCL_ERANGE, "2147483648 rows");
}

static void test_partition__finish_twice_is_harmless(void **state)
{
    (void)state;
    struct lcl_csr A = test_identity(3);
    const struct lcl_partition_params params = {0};
    struct lcl_subdomains P;
    assert_int_equal(lcl_partition_create(&P, &A, &params, 2, NULL), 0);
    lcl_subdomains_finish(&P);
    lcl_subdomains_finish(&P);
    assert_null(P.part_ptr);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_partition__one_row_is_one_part_for_every_method),
        cmocka_unit_test(test_partition__natural_chunks_are_equally_long),
        cmocka_unit_test(test_partition__the_smaller_of_both_limits_holds),
        cmocka_unit_test(
            test_partition__labels_are_numbered_by_their_first_row),
        cmocka_unit_test(test_partition__labels_may_be_far_apart),
        cmocka_unit_test(test_partition__random_labels_give_a_partition),
        cmocka_unit_test(test_partition__bad_labels_are_refused),
        cmocka_unit_test(test_partition__a_part_above_the_limit_is_refused),
        cmocka_unit_test(test_partition__hostile_parameters_are_refused),
        cmocka_unit_test(test_partition__only_square_matrices_are_accepted),
        cmocka_unit_test(test_partition__finish_twice_is_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
