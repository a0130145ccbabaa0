// SPDX-License-Identifier: BSD-3-Clause
// Copy bandwidth of the device.
#include "host/buffer.h"
#include "host/log.h"
#include "host/runtime.h"
#include "host/timer.h"

#include <float.h>
#include <math.h>

enum { COPIES = 5 };

static enum lcl_status time_copy(lcl_context *ctx, lcl_buffer *to,
                                 const lcl_buffer *from, double *seconds)
{
    lcl_timer *timer;
    enum lcl_status st = lcl_timer_start(&timer, ctx);
    if (st < 0)
        return st;
    st = lcl_buffer_copy(to, from);
    const enum lcl_status stopped = lcl_timer_stop(&timer, seconds);
    return st < 0 ? st : stopped;
}

// Far beyond any cache: half a gibibyte on a GPU, an eighth on a CPU. The first
// copy may include page faults, so the fastest counts.
enum lcl_status lcl_context_copy_bandwidth(lcl_context *ctx,
                                           double *bytes_per_second)
{
    double least = DBL_MAX, seconds = 0;
    lcl_buffer *from = NULL, *to = NULL;
    enum lcl_status st;
    if (!ctx || !bytes_per_second)
        return lcl_misuse(ctx ? lcl_context_log(ctx) : NULL,
                          "lcl_context_copy_bandwidth: an argument is NULL");
    if ((st = lcl_context_expect_free(ctx, "lcl_context_copy_bandwidth")) < 0)
        return st;
    const bool cpu = lcl_context_is_cpu(ctx);
    const int64_t count = cpu ? 1 << 24 : 1 << 26;
    if ((st = lcl_buffer_create(&from, ctx, count, 8, "copy")) == LCL_OK &&
        (st = lcl_buffer_create(&to, ctx, count, 8, "copy")) == LCL_OK)
        st = lcl_buffer_fill(from, 1);
    for (int i = 0; i < COPIES && st == LCL_OK; ++i) {
        st = time_copy(ctx, to, from, &seconds);
        least = fmin(least, seconds);
    }
    *bytes_per_second = st == LCL_OK ? 16.0 * (double)count / least : 0;
    lcl_buffer_destroy(&to);
    lcl_buffer_destroy(&from);
    return st;
}
