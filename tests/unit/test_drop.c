// SPDX-License-Identifier: BSD-3-Clause
// The reference of the cost of dropped couplings compared with brute force.
#include "tests/support/matrices.h"
#include "tests/support/test.h"

#include "lib/matrix/csr.h"
#include "lib/ref/drop.h"

#include <math.h>

// Searches for the part of a row.
static int64_t part_of(const struct lcl_subdomains *P, int64_t row)
{
    int64_t p = 0;
    while (P->part_ptr[p + 1] <= row)
        ++p;
    return p;
}

static void expect_drop(const struct lcl_csr *B, const struct lcl_subdomains *P)
{
    int64_t kept = 0, couplings = 0, dropped = 0, missing = 0;
    double all = 0, lost = 0, couplings_weight = 0, opposite = 0;
    bool positive = false, negative = false;
    for (int64_t i = 0; i < B->rows; ++i)
        for (int64_t j = 0; j < B->cols; ++j) {
            const double value = test_entry(B, i, j);
            const int same = part_of(P, i) == part_of(P, j);
            kept += value != 0 && same;
            couplings += value != 0 && i != j;
            dropped += value != 0 && !same;
            missing += value == 0 && i == j;
            all += i != j ? fabs(value) : 0;
            lost += same ? 0 : fabs(value);
            const double d = test_entry(B, i, i);
            positive |= d > 0;
            negative |= d < 0;
            const double coupling = i != j && d != 0 ? value / d : 0;
            couplings_weight += fabs(coupling);
            opposite += fmax(0, -coupling);
        }
    const struct lcl_drop_info drop = lcl_ref_drop(P, B);
    assert_int_equal(drop.kept, kept);
    assert_int_equal(drop.missing_diagonals, missing);
    assert_int_equal(drop.mixed, positive && negative);
    assert_true(fabs(drop.share * (double)couplings - (double)dropped) < 1e-9);
    assert_true(fabs(drop.weight * all - lost) < 1e-9);
    assert_true(fabs(drop.opposite * couplings_weight - opposite) <=
                1e-12 * couplings_weight);
}

static void test_drop__counts_match_brute_force(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 10; ++seed) {
        struct lcl_csr A = test_random_csr(60, seed, seed);
        int64_t part_ptr[] = {0, 1, 20, 21, 44, 60};
        const struct lcl_subdomains P = {
            .n = 60, .parts = 5, .part_ptr = part_ptr};
        expect_drop(&A, &P);
        test_csr_finish(&A);
    }
}

static void test_drop__signs_of_the_diagonal_are_seen(void **state)
{
    (void)state;
    int64_t part_ptr[] = {0, 7, 20};
    const struct lcl_subdomains P = {.n = 20, .parts = 2, .part_ptr = part_ptr};
    for (int64_t row = 0; row < 20; row += 19)
        for (double sign = -1; sign < 2; sign += 2) {
            struct lcl_csr A = test_random_csr(20, 3, 4);
            A.val[lcl_csr_find(&A, row, row)] *= sign;
            expect_drop(&A, &P);
            assert_int_equal(lcl_ref_drop(&P, &A).mixed, sign < 0);
            test_csr_finish(&A);
        }
}

static void test_drop__missing_diagonals_are_counted(void **state)
{
    (void)state;
    const double dense[] = {0, 2, 1, 0, 0, 4, 8, 0, 0};
    int64_t part_ptr[] = {0, 2, 3};
    const struct lcl_subdomains P = {.n = 3, .parts = 2, .part_ptr = part_ptr};
    struct lcl_csr A = test_csr_from_dense(3, dense);
    expect_drop(&A, &P);
    assert_int_equal(lcl_ref_drop(&P, &A).missing_diagonals, 3);
    test_csr_finish(&A);
}

static void test_drop__a_diagonal_matrix_loses_nothing(void **state)
{
    (void)state;
    struct lcl_csr A = test_identity(2);
    int64_t part_ptr[] = {0, 1, 2};
    const struct lcl_subdomains P = {.n = 2, .parts = 2, .part_ptr = part_ptr};
    const struct lcl_drop_info drop = lcl_ref_drop(&P, &A);
    assert_int_equal(drop.kept, 2);
    assert_true(drop.share == 0 && drop.weight == 0);
    test_csr_finish(&A);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drop__counts_match_brute_force),
        cmocka_unit_test(test_drop__signs_of_the_diagonal_are_seen),
        cmocka_unit_test(test_drop__missing_diagonals_are_counted),
        cmocka_unit_test(test_drop__a_diagonal_matrix_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
