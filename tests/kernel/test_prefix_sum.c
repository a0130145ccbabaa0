// SPDX-License-Identifier: BSD-3-Clause
// prefix_sum.cl against sums in order.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/systems.h"

#include "lib/ref/prefix_sum.h"
#include "lib/vector/prefix_sum.h"

#include <stdlib.h>

// Numbers below `bound`, a third of them 0.
static uint32_t *random_numbers(int64_t n, double bound)
{
    uint32_t *number = calloc((size_t)n + 1, sizeof *number);
    uint64_t random = (uint64_t)n;
    assert_non_null(number);
    for (int64_t i = 0; i < n; ++i)
        number[i] = test_random(&random) < 0.3
                        ? 0
                        : (uint32_t)(bound * test_random(&random));
    return number;
}

static void expect_sums(const lcl_buffer *out, const uint64_t *expected,
                        int64_t count, bool wide)
{
    uint64_t *sums = calloc((size_t)count, sizeof *sums);
    const uint32_t *narrow = (const uint32_t *)sums;
    assert_non_null(sums);
    test_download(out, sums, count, wide ? sizeof *sums : sizeof *narrow);
    for (int64_t i = 0; i < count; ++i) {
        const uint64_t got = wide ? sums[i] : narrow[i];
        if (got != expected[i])
            fail_msg("sum %lld of %lld: got %llu, expected %llu", (long long)i,
                     (long long)count, (unsigned long long)got,
                     (unsigned long long)expected[i]);
    }
    free(sums);
}

static void expect_prefix_sum(lcl_context *ctx, int64_t n, bool wide)
{
    const double bound = wide ? UINT32_MAX : (double)(UINT32_MAX / (n + 1));
    const int64_t count = n + 1;
    uint32_t *number = random_numbers(n, bound);
    uint64_t *expected = calloc((size_t)count, sizeof *expected);
    struct lcl_prefix_sum S;
    assert_non_null(expected);
    lcl_ref_prefix_sum(n, number, expected);
    lcl_buffer *in = test_upload(ctx, number, n, sizeof *number);
    lcl_buffer *out = test_poisoned(ctx, count, wide ? 8 : 4);
    assert_int_equal(lcl_prefix_sum_init(&S, ctx, wide), LCL_OK);
    assert_int_equal(lcl_prefix_sum(&S, n, in, out), LCL_OK);
    expect_sums(out, expected, count, wide);
    lcl_prefix_sum_finish(&S);
    lcl_buffer_destroy(&in);
    lcl_buffer_destroy(&out);
    free(number);
    free(expected);
}

static void test_prefix_sum__sums_are_those_of_the_reference(void **state)
{
    const int64_t large = test_size(700, 300000);
    const int64_t sizes[] = {0, 1, 2, 15, 16, 17, 100, large, large + 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        expect_prefix_sum(*state, sizes[i], false);
        expect_prefix_sum(*state, sizes[i], true);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prefix_sum__sums_are_those_of_the_reference),
    };
    return test_device_run(tests);
}
