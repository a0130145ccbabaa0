// SPDX-License-Identifier: BSD-3-Clause
// Prefix sums of vector.cl against sums in order.
#include "tests/support/device.h"
#include "tests/support/matrices.h"
#include "tests/support/systems.h"

#include "lib/ref/prefix_sum.h"
#include "lib/vector/prefix_sum.h"

#include <stdlib.h>

enum { KINDS = LCL_SUM_USED + 1, POISON = -1 };

// Words of `counts`: before and after a poisoned one.
enum { SIZE, UNUSED, TOTAL, WORDS };

// Numbers whose sum fits, a third of them 0; mates, a third of them -1.
static uint32_t *random_numbers(int64_t n, int kind)
{
    uint32_t *number = calloc((size_t)n + 1, sizeof *number);
    const double bound =
        kind == LCL_SUM_LEADERS ? (double)n : (double)(UINT32_MAX / (n + 1));
    const uint32_t other = kind == LCL_SUM_LEADERS ? UINT32_MAX : 0;
    uint64_t random = (uint64_t)n;
    assert_non_null(number);
    for (int64_t i = 0; i < n; ++i)
        number[i] = test_random(&random) < 0.3
                        ? other
                        : (uint32_t)(bound * test_random(&random));
    return number;
}

static void expect_sums(const lcl_buffer *out, const uint32_t *expected,
                        int64_t count)
{
    uint32_t *got = calloc((size_t)count, sizeof *got);
    assert_non_null(got);
    test_download(out, got, count, sizeof *got);
    for (int64_t i = 0; i < count; ++i)
        if (got[i] != expected[i])
            fail_msg("sum %lld of %lld: got %u, expected %u", (long long)i,
                     (long long)count, got[i], expected[i]);
    free(got);
}

static void expect_counts(const lcl_buffer *counts, int64_t n, uint32_t total)
{
    int32_t got[WORDS];
    test_download(counts, got, WORDS, sizeof *got);
    assert_int_equal(got[SIZE], n);
    assert_int_equal(got[UNUSED], POISON);
    assert_int_equal((uint32_t)got[TOTAL], total);
}

// The size and the sum of all in words of the device.
static void sum_counted(lcl_context *ctx, const struct lcl_prefix_sum *S,
                        const lcl_buffer *in, int kind, int64_t n,
                        lcl_buffer *out, uint32_t total)
{
    const int32_t words[WORDS] = {(int32_t)n, POISON, POISON};
    lcl_buffer *counts = test_upload(ctx, words, WORDS, sizeof *words);
    const struct lcl_summands what = {
        .in = in, .kind = kind, .counts = counts, .n_of = SIZE, .total = TOTAL};
    assert_int_equal(lcl_prefix_sum(S, &what, out), LCL_OK);
    expect_counts(counts, n, total);
    lcl_buffer_destroy(&counts);
}

static void expect_prefix_sum(lcl_context *ctx, int64_t n, int kind,
                              bool counted)
{
    const int64_t count = n + 1;
    uint32_t *number = random_numbers(n, kind);
    uint32_t *expected = calloc((size_t)count, sizeof *expected);
    struct lcl_prefix_sum S;
    assert_non_null(expected);
    lcl_ref_prefix_sum(n, number, kind, expected);
    lcl_buffer *in = test_upload(ctx, number, n, sizeof *number);
    lcl_buffer *out = test_poisoned(ctx, count, sizeof *expected);
    assert_int_equal(lcl_prefix_sum_init(&S, ctx), LCL_OK);
    const struct lcl_summands what = {.n = n, .in = in, .kind = kind};
    if (counted)
        sum_counted(ctx, &S, in, kind, n, out, expected[n]);
    else
        assert_int_equal(lcl_prefix_sum(&S, &what, out), LCL_OK);
    expect_sums(out, expected, count);
    lcl_prefix_sum_finish(&S);
    lcl_buffer_destroy(&in);
    lcl_buffer_destroy(&out);
    free(number);
    free(expected);
}

static void test_prefix_sum__sums_are_those_of_the_reference(void **state)
{
    const int64_t large = test_size(700, 300000);
    const int64_t sizes[] = {large, 1, 2, 17, 0, 15, 100, 16, large + 1};
    const size_t step = (size_t)test_size(3, 1);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i += step)
        for (int kind = 0; kind < KINDS; ++kind) {
            expect_prefix_sum(*state, sizes[i], kind, false);
            expect_prefix_sum(*state, sizes[i], kind, true);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prefix_sum__sums_are_those_of_the_reference),
    };
    return test_device_run(tests);
}
