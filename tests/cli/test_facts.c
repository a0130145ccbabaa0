// SPDX-License-Identifier: BSD-3-Clause
// Tests of the properties that clsolve computes for a matrix.
#include "tests/support/test.h"

#include "tools/clsolve/facts.h"

// A matrix of n columns on the caller's arrays.
static struct lcl_csr csr(int64_t n, int64_t *row_ptr, int32_t *col_ind,
                          double *val)
{
    return (struct lcl_csr){n, n, row_ptr[n], row_ptr, col_ind, val};
}

static struct facts facts_of(const struct lcl_csr *A)
{
    struct facts facts;
    facts_rows(&facts, A);
    assert_int_equal(facts_symmetry(&facts, A), LCL_OK);
    return facts;
}

static void test_facts__symmetric_matrix(void **state)
{
    (void)state;
    int64_t row_ptr[] = {0, 2, 5, 7};
    int32_t col_ind[] = {0, 1, 0, 1, 2, 1, 2};
    double val[] = {4, -1, -1, 4, -1, -1, -4};
    const struct lcl_csr A = csr(3, row_ptr, col_ind, val);
    const struct facts facts = facts_of(&A);
    assert_true(facts.pattern_symmetric);
    assert_true(facts.asymmetry == 0);
    assert_int_equal(facts.row_min, 2);
    assert_int_equal(facts.row_max, 3);
    assert_int_equal(facts.positive_diagonals, 2);
    assert_int_equal(facts.negative_diagonals, 1);
    assert_int_equal(facts.zero_rows, 0);
    assert_int_equal(facts.missing_diagonals, 0);
}

static void test_facts__values_alone_unsymmetric(void **state)
{
    (void)state;
    int64_t row_ptr[] = {0, 2, 4};
    int32_t col_ind[] = {0, 1, 0, 1};
    double val[] = {4, 1, -1, 4};
    const struct lcl_csr A = csr(2, row_ptr, col_ind, val);
    const struct facts facts = facts_of(&A);
    assert_true(facts.pattern_symmetric);
    assert_true(facts.asymmetry == 0.5);
}

static void test_facts__entry_above_without_partner(void **state)
{
    (void)state;
    int64_t row_ptr[] = {0, 2, 3, 4};
    int32_t col_ind[] = {0, 2, 1, 2};
    double val[] = {2, 1, 2, 2};
    const struct lcl_csr A = csr(3, row_ptr, col_ind, val);
    const struct facts facts = facts_of(&A);
    assert_false(facts.pattern_symmetric);
    assert_true(facts.asymmetry == 0.5);
}

static void test_facts__entries_below_without_partner(void **state)
{
    (void)state;
    int64_t row_ptr[] = {0, 1, 2, 5};
    int32_t col_ind[] = {0, 1, 0, 1, 2};
    double val[] = {2, 2, 1, 2, 2};
    const struct lcl_csr A = csr(3, row_ptr, col_ind, val);
    const struct facts facts = facts_of(&A);
    assert_false(facts.pattern_symmetric);
    assert_true(facts.asymmetry == 1);
}

// (1, 3) and (3, 2) lack a partner; (2, 3) and (3, 1) are not stored.
static void test_facts__singles_on_both_sides(void **state)
{
    (void)state;
    int64_t row_ptr[] = {0, 2, 3, 5};
    int32_t col_ind[] = {0, 2, 1, 1, 2};
    double val[] = {1, 1, 1, 1, 1};
    const struct lcl_csr A = csr(3, row_ptr, col_ind, val);
    assert_false(facts_of(&A).pattern_symmetric);
}

static void test_facts__zero_rows_and_missing_diagonals(void **state)
{
    (void)state;
    int64_t row_ptr[] = {0, 1, 2, 2};
    int32_t col_ind[] = {0, 0};
    double val[] = {0, 3};
    const struct lcl_csr A = csr(3, row_ptr, col_ind, val);
    const struct facts facts = facts_of(&A);
    assert_int_equal(facts.zero_rows, 2);
    assert_int_equal(facts.first_zero_row, 1);
    assert_int_equal(facts.missing_diagonals, 2);
    assert_int_equal(facts.first_missing_diagonal, 2);
    assert_int_equal(facts.row_min, 0);
}

static void test_facts__empty_matrix(void **state)
{
    (void)state;
    int64_t row_ptr[] = {0};
    const struct lcl_csr A = csr(0, row_ptr, NULL, NULL);
    const struct facts facts = facts_of(&A);
    assert_int_equal(facts.row_min, 0);
    assert_true(facts.pattern_symmetric);
    assert_true(facts.asymmetry == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_facts__symmetric_matrix),
        cmocka_unit_test(test_facts__values_alone_unsymmetric),
        cmocka_unit_test(test_facts__entry_above_without_partner),
        cmocka_unit_test(test_facts__entries_below_without_partner),
        cmocka_unit_test(test_facts__singles_on_both_sides),
        cmocka_unit_test(test_facts__zero_rows_and_missing_diagonals),
        cmocka_unit_test(test_facts__empty_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
