// SPDX-License-Identifier: BSD-3-Clause
// Buffers in regions of memory: their contents, reuse, failing calls.
#include "host/context.h"
#include "host/runtime.h"
#include "tests/support/device.h"
#include "tests/support/fake_cl.h"

#include <stdlib.h>

enum { BUFFERS = 40, STEPS = 400, LARGEST = 3 << 20 };

static lcl_context *open_with(const char *pool, bool no_pool)
{
    const struct lcl_context_params params = {.no_pool = no_pool};
    lcl_context *ctx;
    setenv("LEVELCL_POOL", pool, 1);
    const enum lcl_status st = lcl_runtime_create(&ctx, &params, &fake_cl_api);
    unsetenv("LEVELCL_POOL");
    assert_int_equal(st, LCL_OK);
    return ctx;
}

static lcl_context *open_pool(void)
{
    fake_cl = (struct fake_cl){.code = CL_MEM_OBJECT_ALLOCATION_FAILURE};
    return open_with("1", false);
}

// ------------------------------------------------------------------- contents

static uint32_t draw(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void expect_bytes(const lcl_buffer *buffer, unsigned char byte)
{
    const size_t bytes = lcl_buffer_bytes(buffer);
    unsigned char *got = malloc(bytes);
    assert_non_null(got);
    assert_int_equal(lcl_buffer_read(buffer, got, bytes), LCL_OK);
    for (size_t i = 0; i < bytes; ++i)
        if (got[i] != byte)
            fail_msg("byte %zu of %zu is %d, expected %d", i, bytes, got[i],
                     byte);
    free(got);
}

static lcl_buffer *make(lcl_context *ctx, int64_t bytes, unsigned char byte)
{
    lcl_buffer *buffer;
    assert_int_equal(lcl_buffer_create(&buffer, ctx, bytes, 1, "a test's"),
                     LCL_OK);
    assert_int_equal(lcl_buffer_fill(buffer, byte), LCL_OK);
    return buffer;
}

static void test_memory__buffers_do_not_overlap(void **state)
{
    lcl_context *ctx = open_pool();
    lcl_buffer *all[BUFFERS] = {NULL};
    uint32_t seed = 1;
    (void)state;
    for (int step = 0; step < STEPS; ++step) {
        const int k = (int)(draw(&seed) % BUFFERS);
        if (all[k]) {
            expect_bytes(all[k], (unsigned char)(k + 1));
            lcl_buffer_destroy(&all[k]);
        }
        const int64_t most = step % 3 == 0 ? LARGEST : 5000;
        all[k] = make(ctx, 1 + draw(&seed) % most, (unsigned char)(k + 1));
    }
    assert_true(ctx->pool.bytes > 0);
    assert_true(ctx->pool.idle < ctx->pool.bytes);
    for (int k = 0; k < BUFFERS; ++k)
        if (all[k]) {
            expect_bytes(all[k], (unsigned char)(k + 1));
            lcl_buffer_destroy(&all[k]);
        }
    lcl_context_destroy(&ctx);
    assert_int_equal(fake_cl.objects, 0);
}

// --------------------------------------------------------------------- reuse

static void make_all(lcl_context *ctx, lcl_buffer **all)
{
    for (int k = 0; k < BUFFERS; ++k)
        all[k] = make(ctx, 1 + 50000 * k, 1);
}

static void destroy_all(lcl_buffer **all)
{
    for (int k = 0; k < BUFFERS; ++k)
        lcl_buffer_destroy(&all[k]);
}

static void test_memory__freed_memory_is_used_again(void **state)
{
    lcl_context *ctx = open_pool();
    lcl_buffer *all[BUFFERS];
    (void)state;
    make_all(ctx, all);
    const uint64_t bytes = ctx->pool.bytes;
    destroy_all(all);
    const long calls = fake_cl.calls[FAKE_clCreateBuffer];
    make_all(ctx, all);
    assert_int_equal(fake_cl.calls[FAKE_clCreateBuffer], calls);
    assert_int_equal(ctx->pool.bytes, bytes);
    destroy_all(all);
    lcl_context_destroy(&ctx);
    assert_int_equal(fake_cl.objects, 0);
}

// A buffer beyond all regions; idle memory goes back on request.
static void test_memory__idle_memory_is_given_back(void **state)
{
    lcl_context *ctx = open_pool();
    (void)state;
    const uint64_t bytes = ctx->pool.bytes;
    lcl_buffer *large = make(ctx, (int64_t)bytes + 12345, 1);
    assert_true(ctx->pool.bytes >= 2 * bytes);
    lcl_context_trim(ctx);
    assert_true(ctx->pool.bytes >= 2 * bytes);
    lcl_buffer_destroy(&large);
    assert_true(ctx->pool.idle > bytes);
    lcl_context_trim(ctx);
    assert_int_equal(ctx->pool.bytes, bytes);
    assert_int_equal(ctx->pool.idle, 0);
    lcl_context_trim(NULL);
    lcl_context_destroy(&ctx);
}

static void test_memory__the_pool_may_be_off(void **state)
{
    (void)state;
    fake_cl = (struct fake_cl){.code = CL_SUCCESS};
    lcl_context *ctx = open_with("0", false);
    assert_false(ctx->pool.on);
    lcl_context_destroy(&ctx);
    ctx = open_with("", true);
    assert_false(ctx->pool.on);
    lcl_context_destroy(&ctx);
    const struct lcl_context_params params = {.no_cache = false};
    setenv("LEVELCL_POOL", "2", 1);
    assert_int_equal(lcl_runtime_create(&ctx, &params, &fake_cl_api),
                     LCL_EINVAL);
    unsetenv("LEVELCL_POOL");
    assert_int_equal(fake_cl.objects, 0);
}

// ------------------------------------------------------------------- failures

// Returns whether a call failed.
static bool create_with_failure(lcl_context *ctx, int64_t bytes, long n,
                                enum lcl_status expected)
{
    const long objects = fake_cl.objects;
    const uint64_t before = ctx->pool.bytes;
    lcl_buffer *buffer;
    fake_cl.fail_at = n;
    fake_cl.failed = false;
    const enum lcl_status st =
        lcl_buffer_create(&buffer, ctx, bytes, 1, "a test's");
    const bool failed = fake_cl.failed;
    fake_cl.fail_at = 0;
    assert_int_equal(st, failed ? expected : LCL_OK);
    lcl_buffer_destroy(&buffer);
    lcl_context_trim(ctx);
    assert_int_equal(fake_cl.objects, objects);
    assert_int_equal(ctx->pool.bytes, before);
    return failed;
}

static void test_memory__a_failing_call_loses_nothing(void **state)
{
    lcl_context *ctx = open_pool();
    const int64_t bytes = (int64_t)ctx->pool.bytes + 1;
    (void)state;
    fake_cl.function = FAKE_clCreateSubBuffer;
    assert_true(create_with_failure(ctx, bytes, 1, LCL_EDEVMEM));
    assert_true(create_with_failure(ctx, 1, 1, LCL_EDEVMEM));
    assert_false(create_with_failure(ctx, bytes, 2, LCL_EDEVMEM));
    lcl_context_destroy(&ctx);
}

// Memory is short for one attempt: it takes no more than needed.
static void expect_second_attempt(enum fake_cl_function function)
{
    lcl_context *ctx = open_pool();
    const int64_t bytes = (int64_t)ctx->pool.bytes + 1;
    const uint64_t before = ctx->pool.bytes;
    lcl_buffer *buffer;
    fake_cl.function = function;
    fake_cl.fail_at = 1;
    assert_int_equal(lcl_buffer_create(&buffer, ctx, bytes, 1, "a test's"),
                     LCL_OK);
    assert_true(fake_cl.failed);
    assert_true(ctx->pool.bytes - before < (uint64_t)bytes + ctx->pool.align);
    lcl_buffer_destroy(&buffer);
    lcl_context_destroy(&ctx);
    assert_int_equal(fake_cl.objects, 0);
}

static void test_memory__short_memory_is_asked_for_twice(void **state)
{
    (void)state;
    expect_second_attempt(FAKE_clCreateBuffer);
    expect_second_attempt(FAKE_clEnqueueFillBuffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory__buffers_do_not_overlap),
        cmocka_unit_test(test_memory__freed_memory_is_used_again),
        cmocka_unit_test(test_memory__idle_memory_is_given_back),
        cmocka_unit_test(test_memory__the_pool_may_be_off),
        cmocka_unit_test(test_memory__a_failing_call_loses_nothing),
        cmocka_unit_test(test_memory__short_memory_is_asked_for_twice),
    };
    return test_device_run(tests);
}
