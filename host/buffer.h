// SPDX-License-Identifier: BSD-3-Clause
// Device buffers, and pinned host memory for non-blocking reads.
#pragma once

#include "host/fill.h"

#include <levelcl/context.h>

#include <stdbool.h>
#include <stddef.h>

typedef struct lcl_buffer lcl_buffer;

// Whether a buffer of at most `limit` bytes holds `count` elements of `size`.
static inline bool lcl_buffer_fits(int64_t count, size_t size, uint64_t limit)
{
    return count >= 0 && (uint64_t)count <= limit / size;
}

// `count` elements of `size` bytes, uninitialised; at least one byte is
// allocated. `what` names the buffer in messages and must be a literal.
// Returns LCL_OK, LCL_EDEVMEM (also if larger than the maximum buffer size),
// LCL_EDEVICE or LCL_ENOMEM; on error *out is NULL.
enum lcl_status lcl_buffer_create(lcl_buffer **out, lcl_context *ctx,
                                  int64_t count, size_t size, const char *what);
// The same, initialised from host memory (blocking).
enum lcl_status lcl_buffer_create_from(lcl_buffer **out, lcl_context *ctx,
                                       const void *data, int64_t count,
                                       size_t size, const char *what);
// At least one byte of host memory, for kernels of a CPU that use it without a
// copy. The caller must not access it while *out exists. Kernels may write to
// it only if `writes` is set; lcl_buffer_show() then waits for them and makes
// their writes visible to the host.
enum lcl_status lcl_buffer_view(lcl_buffer **out, lcl_context *ctx,
                                const void *data, size_t bytes, bool writes,
                                const char *what);
enum lcl_status lcl_buffer_show(lcl_buffer *view);
// Makes a buffer readable for the host in place; a CPU copies nothing. No
// kernel may write to it until lcl_buffer_unmap(). The host may read *data
// after the next call with `wait` set returns. On error *data is NULL.
enum lcl_status lcl_buffer_map(const void **data, const lcl_buffer *buffer,
                               bool wait);
// Accepts NULL as data.
enum lcl_status lcl_buffer_unmap(const lcl_buffer *buffer, const void *data);
void lcl_buffer_destroy(lcl_buffer **buffer); // accepts NULL inside

// Creates several buffers; stops at the first failure.
struct lcl_buffer_plan {
    lcl_buffer **out;
    int64_t count;
    size_t size;
    const char *what;
};
enum lcl_status lcl_buffers_create(lcl_context *ctx,
                                   const struct lcl_buffer_plan *all,
                                   size_t buffers);

size_t lcl_buffer_bytes(const lcl_buffer *buffer);

static inline void lcl_buffer_swap(lcl_buffer **a, lcl_buffer **b)
{
    lcl_buffer *was_a = *a;
    *a = *b;
    *b = was_a;
}

// Limits a wrapped buffer (host/interop.h) to `bytes` bytes from byte `at` of
// the caller's buffer on. Only lcl_buffer_copy(), and kernels that skip
// lcl_buffer_first() doubles, may use such a buffer.
void lcl_buffer_select(lcl_buffer *buffer, size_t at, size_t bytes);
int64_t lcl_buffer_first(const lcl_buffer *buffer);

// The stopping flag (one int32, 0) that is never set, for launches outside a
// solve. It lives as long as the context.
const lcl_buffer *lcl_context_no_stop(const lcl_context *ctx);

// Transfer `bytes` bytes from the start of the buffer. When they return, the
// caller may change the data of a write or use the data of a read.
enum lcl_status lcl_buffer_write(lcl_buffer *buffer, const void *data,
                                 size_t bytes);
enum lcl_status lcl_buffer_read(const lcl_buffer *buffer, void *data,
                                size_t bytes);
// The same from byte `at` on.
enum lcl_status lcl_buffer_read_at(const lcl_buffer *buffer, size_t at,
                                   void *data, size_t bytes);
enum lcl_status lcl_buffer_write_at(lcl_buffer *buffer, size_t at,
                                    const void *data, size_t bytes);

// Fills the whole buffer with elements of `size` bytes, 1 MiB at most.
// fill(arg, ...) generates them part by part, on several threads and in any
// order. Blocking. Returns LCL_OK, LCL_ENOMEM, LCL_EDEVMEM or LCL_EDEVICE.
enum lcl_status lcl_buffer_fill_by(lcl_buffer *buffer, size_t size,
                                   lcl_fill_fn *fill, void *arg);

// Creates a buffer that holds the `count` numbers of data, all below 2^32, in
// 32 bits. Statuses as lcl_buffer_create_from().
enum lcl_status lcl_buffer_create_narrow(lcl_buffer **out, lcl_context *ctx,
                                         const int64_t *data, int64_t count,
                                         const char *what);

// Enqueue only: lcl_buffer_fill() sets every byte; lcl_buffer_copy() copies as
// many bytes as the smaller buffer has.
enum lcl_status lcl_buffer_fill(lcl_buffer *buffer, unsigned char byte);
enum lcl_status lcl_buffer_copy(lcl_buffer *to, const lcl_buffer *from);

// Lets the host read a small buffer repeatedly without stalling the queue: the
// device fills one half of the pinned memory while the host reads the other.
typedef struct lcl_window lcl_window;
enum lcl_status lcl_window_create(lcl_window **out, const lcl_buffer *buffer);
void lcl_window_destroy(lcl_window **window);
// Enqueues a read of the buffer at this point of the queue.
enum lcl_status lcl_window_post(lcl_window *window);
// Waits for the oldest posted read and returns its bytes, valid until the
// second next post. At most two reads may be posted and not yet fetched.
enum lcl_status lcl_window_fetch(lcl_window *window, const void **data);
