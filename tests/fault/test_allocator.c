// SPDX-License-Identifier: BSD-3-Clause
// Memory from an allocator of the caller: all of it comes back, also when the
// n-th call fails; and what a context says that it has.
#include "tests/support/cache_folder.h"
#include "tests/support/capture.h"
#include "tests/support/device.h"
#include "tests/support/fake_cl.h"
#include "tests/support/job.h"
#include "tests/support/matrices.h"
#include "tests/support/misuse.h"

#include "host/interop.h"
#include "host/outbox.h"
#include "host/runtime.h"
#include "host/shared.h"
#include "host/staging.h"

#include <levelcl/memory.h>

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// Threads of the library call it, too.
struct counter {
    atomic_long calls, held;
    long fail_at; // 0: never
    atomic_bool failed;
    long spared; // uses that succeeded although a call failed
};

static bool fails(struct counter *c)
{
    if (atomic_fetch_add(&c->calls, 1) + 1 != c->fail_at)
        return false;
    c->failed = true;
    return true;
}

static void *allocate(void *user, size_t bytes)
{
    struct counter *c = user;
    assert_true(bytes > 0);
    void *memory = fails(c) ? NULL : malloc(bytes);
    if (memory) {
        memset(memory, 0xa5, bytes);
        atomic_fetch_add(&c->held, 1);
    }
    return memory;
}

static void *reallocate(void *user, void *memory, size_t bytes)
{
    assert_true(memory && bytes > 0);
    return fails(user) ? NULL : realloc(memory, bytes);
}

static void release(void *user, void *memory)
{
    struct counter *c = user;
    assert_non_null(memory);
    atomic_fetch_sub(&c->held, 1);
    free(memory);
}

static lcl_context *open_context(const struct test_capture *capture)
{
    const struct lcl_context_params params = {
        .log = capture->log, .cache_dir = test_cache.path, .no_pool = true};
    lcl_context *ctx;
    fake_cl = (struct fake_cl){0};
    assert_int_equal(lcl_runtime_create(&ctx, &params, &fake_cl_api), LCL_OK);
    return ctx;
}

// An operator, a preconditioner and an application.
static enum lcl_status use(lcl_context *ctx, const struct lcl_csr *A)
{
    const struct lcl_precond_params params = {
        .type = LCL_PRECOND_ILDU0, .partition.type = LCL_PARTITION_NATURAL};
    double x[60] = {1}, y[60];
    lcl_operator *op = NULL;
    lcl_precond *M = NULL;
    enum lcl_status st = lcl_operator_create(&op, ctx, A, NULL);
    if (st == LCL_OK)
        st = lcl_precond_create(&M, op, &params);
    if (st == LCL_OK)
        st = lcl_precond_apply(M, x, y);
    if (st == LCL_OK)
        st = lcl_operator_apply_transpose(op, x, y);
    lcl_precond_destroy(&M);
    lcl_operator_destroy(&op);
    return st;
}

static void test_allocator__everything_comes_back(void **state)
{
    struct counter c = {0};
    const struct lcl_allocator mine = {allocate, reallocate, release, &c};
    struct test_capture capture;
    struct lcl_csr A = test_random_csr(60, 3, 2), problem;
    (void)state;
    test_capture_init(&capture, LCL_LOG_ERROR);
    assert_int_equal(lcl_set_allocator(&mine, NULL), LCL_OK);
    lcl_context *ctx = open_context(&capture);
    assert_true(c.held > 0);
    assert_int_equal(lcl_csr_problem(&problem, "lap3d:4", NULL), LCL_OK);
    assert_int_equal(use(ctx, &A), LCL_OK);
    assert_int_equal(lcl_set_allocator(NULL, &capture.log), LCL_EINVAL);
    test_capture_expect(&capture, "destroy all contexts");
    lcl_context_destroy(&ctx);
    assert_int_equal(c.held, 3); // of the problem
    lcl_csr_finish(&problem);
    assert_int_equal(c.held, 0);
    assert_int_equal(lcl_set_allocator(NULL, NULL), LCL_OK);
    test_csr_finish(&A);
}

// Whether the n-th call failed. Without memory for a result in the cache, the
// use measures again, and the context keeps the kernels.
static bool fail_call(lcl_context *ctx, struct counter *c,
                      const struct lcl_csr *A, long n)
{
    const long held = c->held, objects = fake_cl.objects;
    c->calls = 0;
    c->failed = false;
    c->fail_at = n;
    const enum lcl_status st = use(ctx, A);
    c->fail_at = 0;
    assert_true(st == LCL_OK || (st == LCL_ENOMEM && c->failed));
    const bool spared = st == LCL_OK && c->failed;
    c->spared += spared;
    if (n > 0 && !spared) {
        assert_int_equal(c->held, held);
        assert_int_equal(fake_cl.objects, objects);
    }
    return c->failed;
}

static void test_allocator__any_call_may_fail(void **state)
{
    struct counter c = {0};
    const struct lcl_allocator mine = {allocate, reallocate, release, &c};
    struct test_capture capture;
    struct lcl_csr A = test_random_csr(60, 3, 2);
    long n = 0;
    (void)state;
    test_capture_init(&capture, LCL_LOG_ERROR);
    assert_int_equal(lcl_set_allocator(&mine, NULL), LCL_OK);
    lcl_context *ctx = open_context(&capture);
    assert_false(fail_call(ctx, &c, &A, 0)); // builds the kernels
    while (fail_call(ctx, &c, &A, ++n))
        continue;
    assert_true(n > 50);
    assert_true(c.spared <= 2);
    lcl_context_destroy(&ctx);
    assert_int_equal(c.held, 0);
    assert_int_equal(lcl_set_allocator(NULL, NULL), LCL_OK);
    test_csr_finish(&A);
}

static void test_allocator__incomplete_ones_are_refused(void **state)
{
    const struct lcl_allocator some[] = {{NULL, reallocate, release, NULL},
                                         {allocate, NULL, release, NULL},
                                         {allocate, reallocate, NULL, NULL}};
    (void)state;
    for (int i = 0; i < 3; ++i)
        assert_misuse(lcl_set_allocator(&some[i], NULL));
}

static void test_allocator__contexts_count_their_memory(void **state)
{
    struct test_capture capture;
    struct lcl_csr A = test_random_csr(60, 3, 2);
    lcl_operator *op;
    (void)state;
    test_capture_init(&capture, LCL_LOG_ERROR);
    lcl_context *ctx = open_context(&capture);
    const struct lcl_memory_info empty = lcl_context_memory(ctx);
    assert_int_equal(lcl_operator_create(&op, ctx, &A, NULL), LCL_OK);
    const struct lcl_memory_info full = lcl_context_memory(ctx);
    assert_true(full.buffers > empty.buffers);
    assert_int_equal(full.buffer_bytes - empty.buffer_bytes,
                     lcl_operator_info(op)->bytes);
    assert_int_equal(full.device_bytes, full.buffer_bytes);
    assert_true(full.buffer_bytes_max >= full.buffer_bytes);
    lcl_operator_destroy(&op);
    const struct lcl_memory_info after = lcl_context_memory(ctx);
    assert_int_equal(after.buffers, empty.buffers);
    assert_int_equal(after.buffer_bytes, empty.buffer_bytes);
    assert_int_equal(after.buffer_bytes_max, full.buffer_bytes_max);
    assert_int_equal(lcl_context_memory(NULL).device_bytes, 0);
    lcl_context_destroy(&ctx);
    test_csr_finish(&A);
}

static void fill_numbers(void *arg, int64_t first, int64_t count, void *to)
{
    (void)arg;
    for (int64_t k = 0; k < count; ++k)
        ((int32_t *)to)[k] = (int32_t)(first + k);
}

// Large transfers take it again.
static void test_allocator__pinned_memory_is_trimmed(void **state)
{
    enum { COUNT = 1000 };
    const struct lcl_filling numbers = {fill_numbers, NULL, sizeof(int32_t),
                                        COUNT};
    struct test_capture capture;
    int32_t got[COUNT];
    lcl_buffer *buffer;
    (void)state;
    test_capture_init(&capture, LCL_LOG_ERROR);
    lcl_context *ctx = open_context(&capture);
    const uint64_t least = lcl_context_memory(ctx).pinned_bytes;
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(
            lcl_buffer_create(&buffer, ctx, COUNT, sizeof *got, "numbers"),
            LCL_OK);
        assert_int_equal(lcl_fill_staged(ctx, lcl_buffer_mem(buffer), &numbers),
                         LCL_OK);
        assert_true(lcl_context_memory(ctx).pinned_bytes > least);
        lcl_context_trim(ctx);
        assert_int_equal(lcl_context_memory(ctx).pinned_bytes, least);
        assert_int_equal(lcl_buffer_read(buffer, got, sizeof got), LCL_OK);
        for (int32_t k = 0; k < COUNT; ++k)
            assert_int_equal(got[k], k);
        lcl_buffer_destroy(&buffer);
    }
    lcl_context_destroy(&ctx);
    assert_int_equal(fake_cl.objects, 0);
}

// It grows, keeps its memory for smaller ones, and can be had again.
static void test_allocator__the_outbox_is_kept_and_trimmed(void **state)
{
    struct test_capture capture;
    void *first, *small, *large;
    (void)state;
    test_capture_init(&capture, LCL_LOG_ERROR);
    lcl_context *ctx = open_context(&capture);
    const uint64_t least = lcl_context_memory(ctx).pinned_bytes;
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(lcl_context_outbox(&first, ctx, 1000), LCL_OK);
        const uint64_t one = lcl_context_memory(ctx).pinned_bytes;
        assert_int_equal(lcl_context_outbox(&small, ctx, 0), LCL_OK);
        assert_ptr_equal(small, first);
        assert_int_equal(lcl_context_outbox(&large, ctx, 3 << 20), LCL_OK);
        memset(large, 7, 3 << 20);
        assert_true(lcl_context_memory(ctx).pinned_bytes >=
                    least + (UINT64_C(3) << 20));
        assert_true(one >= least + 1000);
        lcl_context_trim(ctx);
        assert_int_equal(lcl_context_memory(ctx).pinned_bytes, least);
    }
    lcl_context_destroy(&ctx);
    assert_int_equal(fake_cl.objects, 0);
}

// A piece serves again for half of its words or more, all 0, until the trim.
static void test_allocator__shared_memory_is_kept_and_trimmed(void **state)
{
    enum { WORDS = 1000 };
    struct test_capture capture;
    struct lcl_shared S, small;
    (void)state;
    test_capture_init(&capture, LCL_LOG_ERROR);
    lcl_context *ctx = open_context(&capture);
    const uint64_t least = lcl_context_memory(ctx).pinned_bytes;
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(lcl_shared_init(&S, ctx, WORDS, "words"), LCL_OK);
        volatile uint64_t *words = S.words;
        const uint64_t one = lcl_context_memory(ctx).pinned_bytes;
        assert_int_equal(one - least, WORDS * sizeof *words);
        words[WORDS / 2 - 1] = 7;
        lcl_shared_finish(&S);
        assert_int_equal(lcl_shared_init(&small, ctx, WORDS / 2 - 1, "words"),
                         LCL_OK);
        assert_ptr_not_equal(small.words, words);
        assert_int_equal(lcl_shared_init(&S, ctx, WORDS / 2, "words"), LCL_OK);
        assert_ptr_equal(S.words, words);
        assert_int_equal(words[WORDS / 2 - 1], 0);
        lcl_shared_finish(&S);
        lcl_shared_finish(&small);
        lcl_context_trim(ctx);
        assert_int_equal(lcl_context_memory(ctx).pinned_bytes, least);
    }
    lcl_context_destroy(&ctx);
    assert_int_equal(fake_cl.objects, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allocator__everything_comes_back),
        cmocka_unit_test(test_allocator__any_call_may_fail),
        cmocka_unit_test(test_allocator__incomplete_ones_are_refused),
        cmocka_unit_test(test_allocator__contexts_count_their_memory),
        cmocka_unit_test(test_allocator__pinned_memory_is_trimmed),
        cmocka_unit_test(test_allocator__the_outbox_is_kept_and_trimmed),
        cmocka_unit_test(test_allocator__shared_memory_is_kept_and_trimmed),
    };
    return cmocka_run_group_tests(tests, test_cache_create, test_cache_remove);
}
