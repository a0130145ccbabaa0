// SPDX-License-Identifier: BSD-3-Clause
// Buffers of billions of bytes: checks which OpenCL calls fill and write them.
// The fake device only records the calls and stores nothing.
#include "host/context.h"
#include "host/interop.h"
#include "host/runtime.h"
#include "host/staging.h"
#include "tests/support/device.h"

#include <string.h>

#define GIB ((size_t)1 << 30)

// Half a billion, two and eight billion entries of 1, 4 and 8 bytes, and sizes
// that are not powers of two.
static const size_t sizes[] = {
    1,       GIB / 2, 2 * GIB - 1,  2 * GIB,  2 * GIB + 1, 4 * GIB - 3,
    4 * GIB, 8 * GIB, 16 * GIB + 7, 32 * GIB, 64 * GIB,    64 * GIB + 5};
enum { SIZES = sizeof sizes / sizeof *sizes };

// Calls since the last buffer was created: the first `end` bytes are set.
static struct {
    size_t end, largest;
    int calls;
    bool gap;
    // of staging, whose slots arrive in any order
    size_t slot;
    bool taken[64 * GIB / LCL_STAGING_SLOT + 2];
} seen;

static void note(size_t at, size_t bytes)
{
    seen.gap |= at != seen.end;
    seen.end = at + bytes;
    seen.largest = bytes > seen.largest ? bytes : seen.largest;
    ++seen.calls;
}

// Pinned memory for staging has the required size.
static cl_mem create_small(cl_context context, cl_mem_flags flags, size_t bytes,
                           void *host, cl_int *code)
{
    const size_t own = bytes <= 16 * LCL_STAGING_SLOT ? bytes : 16;
    return lcl_cl_loader.clCreateBuffer(context, flags, own, host, code);
}

static cl_int note_fill(cl_command_queue queue, cl_mem mem, const void *value,
                        size_t size, size_t at, size_t bytes, cl_uint waits,
                        const cl_event *wait, cl_event *event)
{
    (void)queue, (void)mem, (void)value, (void)waits, (void)wait, (void)event;
    seen.gap |= at % size != 0 || bytes % size != 0;
    note(at, bytes);
    return CL_SUCCESS;
}

// Copies bytes that are already set.
static cl_int note_copy(cl_command_queue queue, cl_mem from, cl_mem to,
                        size_t from_at, size_t at, size_t bytes, cl_uint waits,
                        const cl_event *wait, cl_event *event)
{
    (void)queue, (void)waits, (void)wait, (void)event;
    seen.gap |= from != to || from_at + bytes > seen.end;
    note(at, bytes);
    return CL_SUCCESS;
}

static cl_int note_write(cl_command_queue queue, cl_mem mem, cl_bool blocking,
                         size_t at, size_t bytes, const void *data,
                         cl_uint waits, const cl_event *wait, cl_event *event)
{
    (void)queue, (void)mem, (void)blocking, (void)data, (void)waits;
    (void)wait;
    if (seen.slot == 0) {
        note(at, bytes);
    } else {
        bool *taken = &seen.taken[at / seen.slot];
        seen.gap |= at % seen.slot != 0 || bytes > seen.slot || *taken;
        seen.end += bytes;
        *taken = true;
    }
    if (event)
        *event = NULL;
    return CL_SUCCESS;
}

// A context whose device allows buffers of any size.
static void open_context(lcl_context **ctx)
{
    static struct lcl_cl_api api;
    api = lcl_cl_loader;
    assert_int_equal(lcl_runtime_create(ctx, NULL, &api), LCL_OK);
    (*ctx)->caps.max_buffer_bytes = UINT64_MAX;
    api.clCreateBuffer = create_small;
    api.clEnqueueFillBuffer = note_fill;
    api.clEnqueueCopyBuffer = note_copy;
    api.clEnqueueWriteBuffer = note_write;
}

static void open_buffer(lcl_buffer **buffer, lcl_context *ctx, size_t bytes)
{
    assert_int_equal(
        lcl_buffer_create(buffer, ctx, (int64_t)bytes, 1, "a test"), LCL_OK);
    assert_true(lcl_buffer_bytes(*buffer) == bytes);
    memset(&seen, 0, sizeof seen);
}

static void expect_all_bytes(size_t bytes)
{
    if (seen.gap || seen.end != bytes)
        fail_msg("%zu of %zu bytes%s", seen.end, bytes,
                 seen.gap ? ", with gaps" : "");
}

// NVIDIA's clEnqueueFillBuffer hangs or faults from 2^31 bytes on.
static void test_large_buffers__no_call_fills_two_gib(void **state)
{
    lcl_context *ctx;
    (void)state;
    open_context(&ctx);
    for (int i = 0; i < SIZES; ++i) {
        lcl_buffer *buffer;
        open_buffer(&buffer, ctx, sizes[i]);
        assert_int_equal(lcl_buffer_fill(buffer, 0), LCL_OK);
        expect_all_bytes(sizes[i]);
        if (seen.largest >= 2 * GIB)
            fail_msg("%zu bytes in one call", seen.largest);
        lcl_buffer_destroy(&buffer);
    }
    lcl_context_destroy(&ctx);
}

static void write_nothing(void *arg, int64_t first, int64_t count, void *to)
{
    (void)arg, (void)first, (void)count, (void)to;
}

static void test_large_buffers__staging_reaches_every_byte(void **state)
{
    static const size_t elements[] = {1, 24};
    lcl_context *ctx;
    (void)state;
    open_context(&ctx);
    for (int i = 0; i < SIZES; ++i)
        for (int e = 0; e < 2; ++e) {
            const int64_t count = (int64_t)(sizes[i] / elements[e]);
            const struct lcl_filling F = {write_nothing, NULL, elements[e],
                                          count};
            lcl_buffer *buffer;
            open_buffer(&buffer, ctx, sizes[i]);
            seen.slot = LCL_STAGING_SLOTS *
                        (LCL_STAGING_SLOT / elements[e] * elements[e]);
            assert_int_equal(lcl_fill_staged(ctx, lcl_buffer_mem(buffer), &F),
                             LCL_OK);
            expect_all_bytes((size_t)count * elements[e]);
            lcl_buffer_destroy(&buffer);
        }
    lcl_context_destroy(&ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_large_buffers__no_call_fills_two_gib),
        cmocka_unit_test(test_large_buffers__staging_reaches_every_byte),
    };
    return test_device_run(tests);
}
