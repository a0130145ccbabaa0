// SPDX-License-Identifier: BSD-3-Clause
// Filling of buffers: the data that arrive, for all methods, and failing calls.
#include "host/context.h"
#include "host/interop.h"
#include "host/runtime.h"
#include "host/staging.h"
#include "tests/support/device.h"
#include "tests/support/fake_cl.h"

#include <stdlib.h>
#include <string.h>

// Elements whose size does not divide that of a staging slot.
struct element {
    uint64_t word[3];
};
enum { SIZE = sizeof(struct element), FULL = LCL_STAGING_SLOT / SIZE };

static const int64_t counts[] = {1,
                                 7,
                                 8,
                                 9,
                                 FULL - 1,
                                 FULL,
                                 FULL + 1,
                                 2 * FULL,
                                 8 * FULL + 1,
                                 16 * FULL + 1,
                                 35 * FULL + 5};
enum { COUNTS = sizeof counts / sizeof *counts };

typedef enum lcl_status way(lcl_context *, cl_mem, const struct lcl_filling *);
static way *const ways[] = {lcl_fill_staged, lcl_fill_mapped, lcl_fill_copied};
enum { WAYS = sizeof ways / sizeof *ways };

static struct element element_of(uint64_t seed, int64_t i)
{
    const uint64_t v = (uint64_t)i * 0x9e3779b97f4a7c15u + seed;
    return (struct element){{v, ~v, v >> 7}};
}

static void fill_elements(void *arg, int64_t first, int64_t count, void *to)
{
    const uint64_t *seed = arg;
    struct element *out = to;
    for (int64_t i = 0; i < count; ++i)
        out[i] = element_of(*seed, first + i);
}

static void expect_elements(const lcl_buffer *buffer, uint64_t seed,
                            int64_t count)
{
    struct element *got = malloc((size_t)count * SIZE);
    assert_non_null(got);
    test_download(buffer, got, count, SIZE);
    for (int64_t i = 0; i < count; ++i) {
        const struct element expected = element_of(seed, i);
        if (memcmp(&got[i], &expected, SIZE) != 0)
            fail_msg("element %lld of %lld is another", (long long)i,
                     (long long)count);
    }
    free(got);
}

static void test_uploads__every_element_arrives(void **state)
{
    for (int w = 0; w < WAYS; ++w)
        for (int i = 0; i < COUNTS; ++i) {
            uint64_t seed = (uint64_t)(10 * i + w);
            const struct lcl_filling F = {fill_elements, &seed, SIZE,
                                          counts[i]};
            lcl_buffer *buffer = test_poisoned(*state, counts[i], SIZE);
            assert_int_equal(ways[w](*state, lcl_buffer_mem(buffer), &F),
                             LCL_OK);
            expect_elements(buffer, seed, counts[i]);
            lcl_buffer_destroy(&buffer);
        }
}

static void test_uploads__whole_buffers_are_filled(void **state)
{
    static const int64_t sizes[] = {0, 1, 1000};
    for (int i = 0; i < 3; ++i) {
        uint64_t seed = 3;
        lcl_buffer *buffer;
        struct element got[1000];
        assert_int_equal(
            lcl_buffer_create(&buffer, *state, sizes[i], SIZE, "a test"),
            LCL_OK);
        assert_int_equal(lcl_buffer_fill_by(buffer, SIZE, fill_elements, &seed),
                         LCL_OK);
        const size_t bytes = (size_t)sizes[i] * SIZE;
        assert_int_equal(lcl_buffer_read(buffer, got, bytes), LCL_OK);
        for (int64_t k = 0; k < sizes[i]; ++k) {
            const struct element expected = element_of(seed, k);
            assert_memory_equal(&got[k], &expected, SIZE);
        }
        lcl_buffer_destroy(&buffer);
    }
}

// Large enough to be copied by several threads.
static void test_uploads__large_arrays_arrive(void **state)
{
    const int64_t count = 3 * FULL + FULL / 2 + 12345;
    uint64_t seed = 5;
    struct element *data = malloc((size_t)count * SIZE);
    assert_non_null(data);
    fill_elements(&seed, 0, count, data);
    for (int64_t n = count - 1; n >= count - 3; --n) {
        lcl_buffer *buffer = test_poisoned(*state, n, SIZE);
        assert_int_equal(lcl_buffer_write(buffer, data, (size_t)n * SIZE),
                         LCL_OK);
        expect_elements(buffer, seed, n);
        lcl_buffer_destroy(&buffer);
    }
    free(data);
}

// Elements of more than two transfers.
enum { FAILING = 2 * LCL_STAGING_SLOTS * FULL + 9 };

// Returns whether a call failed.
static bool fill_with_failure(lcl_context *ctx, lcl_buffer *buffer, way *fill,
                              long n)
{
    uint64_t seed = (uint64_t)n;
    const struct lcl_filling F = {fill_elements, &seed, SIZE, FAILING};
    const long objects = fake_cl.objects;
    fake_cl.fail_at = n;
    fake_cl.failed = false;
    const enum lcl_status st = fill(ctx, lcl_buffer_mem(buffer), &F);
    const bool failed = fake_cl.failed;
    fake_cl.fail_at = 0;
    assert_int_equal(st == LCL_OK, !failed);
    lcl_pinned_close(&ctx->staging, ctx);
    assert_int_equal(fake_cl.objects, objects);
    return failed;
}

static void test_uploads__any_call_may_fail(void **state)
{
    (void)state;
    for (int w = 0; w < WAYS; ++w) {
        lcl_context *ctx;
        fake_cl = (struct fake_cl){.code = CL_OUT_OF_RESOURCES};
        assert_int_equal(lcl_runtime_create(&ctx, NULL, &fake_cl_api), LCL_OK);
        lcl_buffer *buffer = test_poisoned(ctx, FAILING, SIZE);
        long n = 1;
        while (fill_with_failure(ctx, buffer, ways[w], n))
            ++n;
        assert_true(n > (w == 0 ? 10 : 1));
        expect_elements(buffer, (uint64_t)n, FAILING);
        lcl_buffer_destroy(&buffer);
        lcl_context_destroy(&ctx);
        assert_int_equal(fake_cl.objects, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uploads__every_element_arrives),
        cmocka_unit_test(test_uploads__whole_buffers_are_filled),
        cmocka_unit_test(test_uploads__large_arrays_arrive),
        cmocka_unit_test(test_uploads__any_call_may_fail),
    };
    return test_device_run(tests);
}
