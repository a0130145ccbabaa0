// SPDX-License-Identifier: BSD-3-Clause
// Halo plans while the n-th allocation of all ranks fails, for every n: all
// ranks end with an error, and the team can be used again.
#include "tests/support/fail_alloc.h"
#include "tests/support/matrices.h"
#include "tests/support/plans.h"
#include "tests/support/test.h"

static void expect_all_failed(const struct test_plans *T, enum lcl_status st)
{
    assert_int_equal(st, LCL_ENOMEM);
    for (int r = 0; r < T->size; ++r)
        assert_true(T->status[r] == LCL_ENOMEM || T->status[r] == LCL_EDEVICE);
}

// Whether the n-th allocation of a fresh team failed.
static bool fail_alloc(int size, const struct lcl_csr *A, long n)
{
    struct test_plans T;
    test_plans_open(&T, size, A, NULL, NULL);
    lcl_test_fail_alloc_at(n);
    const enum lcl_status st = test_plans_make(&T);
    const bool failed = lcl_test_alloc_failed();
    lcl_test_fail_alloc_at(0);
    if (failed) {
        expect_all_failed(&T, st);
        test_plans_drop(&T);
        assert_int_equal(test_plans_make(&T), LCL_OK);
    } else
        assert_int_equal(st, LCL_OK);
    test_plans_close(&T);
    return failed;
}

static void test_alloc_halo_plan__any_allocation_may_fail(void **state)
{
    struct lcl_csr A = test_random_csr(40, 4, 7);
    (void)state;
    for (int size = 1; size <= 4; ++size) {
        long n = 1;
        while (fail_alloc(size, &A, n))
            ++n;
        assert_true(n > 15 * size);
    }
    test_csr_finish(&A);
}

static void test_alloc_halo_plan__a_team_may_lack_memory(void **state)
{
    static const struct lcl_log silent[2];
    lcl_team *team;
    (void)state;
    lcl_test_fail_alloc_at(1);
    assert_int_equal(lcl_team_create(&team, 2, silent), LCL_ENOMEM);
    lcl_test_fail_alloc_at(0);
    assert_null(team);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alloc_halo_plan__any_allocation_may_fail),
        cmocka_unit_test(test_alloc_halo_plan__a_team_may_lack_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
