// SPDX-License-Identifier: BSD-3-Clause
// levels.cl against the reference.
#include "tests/support/device.h"
#include "tests/support/systems.h"

#include "lib/trisolve/levels.h"

#include <stdlib.h>

// Levels of the device, one element beyond kept to show that it stays.
static void expect_levels(lcl_context *ctx, const struct test_system *S)
{
    const int64_t n = S->A.rows, parts = S->P.parts;
    int32_t *level = malloc((size_t)(n + 1) * sizeof *level);
    int32_t *count = malloc((size_t)(parts + 1) * sizeof *count);
    assert_non_null(level);
    assert_non_null(count);
    level[n] = count[parts] = -7;
    assert_int_equal(lcl_levels_assign(level, count, ctx, &S->B, &S->P),
                     LCL_OK);
    for (int64_t i = 0; i < n; ++i)
        if (level[i] != S->level[i])
            fail_msg("level[%lld]: got %d, expected %d", (long long)i, level[i],
                     S->level[i]);
    assert_memory_equal(count, S->count, (size_t)parts * sizeof *count);
    assert_int_equal(level[n], -7);
    assert_int_equal(count[parts], -7);
    free(level);
    free(count);
}

static void test_levels__match_the_reference(void **state)
{
    for (int i = 0; i < test_system_count(); ++i) {
        struct test_system S;
        test_system_init(&S, i, false);
        expect_levels(*state, &S);
        test_system_finish(&S);
    }
}

static void test_levels__sorted_rows_keep_theirs(void **state)
{
    struct test_system S;
    test_system_from(&S, test_random_csr(60, 3, 5), 23, true);
    expect_levels(*state, &S);
    for (int64_t p = 0; p < S.P.parts; ++p)
        for (int64_t i = S.P.part_ptr[p] + 1; i < S.P.part_ptr[p + 1]; ++i)
            assert_true(S.level[i - 1] <= S.level[i]);
    test_system_finish(&S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels__match_the_reference),
        cmocka_unit_test(test_levels__sorted_rows_keep_theirs),
    };
    return test_device_run(tests);
}
