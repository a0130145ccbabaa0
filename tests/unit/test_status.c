// SPDX-License-Identifier: BSD-3-Clause
// Every status has its own name and sentence.
#include "tests/support/test.h"

#include <levelcl/status.h>

static void test_status__every_value_has_its_own_name(void **state)
{
    (void)state;
    for (int a = LCL_EPROCESS; a <= LCL_DIVERGED; ++a) {
        assert_string_not_equal(lcl_status_name(a), "unknown");
        for (int b = a + 1; b <= LCL_DIVERGED; ++b) {
            assert_string_not_equal(lcl_status_name(a), lcl_status_name(b));
            assert_string_not_equal(lcl_status_str(a), lcl_status_str(b));
        }
    }
}

static void test_status__foreign_values_are_unknown(void **state)
{
    (void)state;
    assert_string_equal(lcl_status_name(LCL_EPROCESS - 1), "unknown");
    assert_string_equal(lcl_status_str(1000), "unknown status");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_status__every_value_has_its_own_name),
        cmocka_unit_test(test_status__foreign_values_are_unknown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
