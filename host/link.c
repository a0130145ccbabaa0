// SPDX-License-Identifier: BSD-3-Clause
// Measures the cost of carrying bytes from one device to another.
#include "host/buffer.h"
#include "host/clock.h"
#include "host/log.h"
#include "host/queue.h"
#include "host/runtime.h"

#include <float.h>
#include <math.h>

// Doubles of a short and of a long message, and how often each is sent
enum { SHORT = 8, SHORT_TIMES = 50, LONG = 1 << 21, LONG_TIMES = 6 };

struct link {
    lcl_context *to;
    lcl_window *window; // onto a buffer of the other device
    lcl_buffer *target;
    size_t bytes;
};

// Carries a message like the exchange of an operator: into pinned memory, and
// from there to the device.
static enum lcl_status carry(const struct link *L, double *seconds)
{
    const double start = lcl_now();
    const void *data;
    enum lcl_status st;
    if ((st = lcl_window_post(L->window)) < 0 ||
        (st = lcl_window_fetch(L->window, &data)) < 0 ||
        (st = lcl_write_aux(L->to, L->target, 0, data, L->bytes)) < 0)
        return st;
    *seconds = lcl_now() - start;
    return LCL_OK;
}

// *least = the shortest time of `times` messages.
static enum lcl_status time_carry(const struct link *L, int times,
                                  double *least)
{
    enum lcl_status st = LCL_OK;
    *least = DBL_MAX;
    for (int k = 0; k < times && st == LCL_OK; ++k) {
        double seconds = DBL_MAX;
        st = carry(L, &seconds);
        *least = fmin(*least, seconds);
    }
    return st;
}

static enum lcl_status measure(lcl_context *from, lcl_context *to,
                               int64_t count, int times, double *least)
{
    struct link L = {.to = to, .bytes = (size_t)count * sizeof(double)};
    lcl_buffer *source = NULL;
    enum lcl_status st;
    if ((st = lcl_buffer_create(&source, from, count, sizeof(double),
                                "a message")) == LCL_OK &&
        (st = lcl_buffer_create(&L.target, to, count, sizeof(double),
                                "a message")) == LCL_OK &&
        (st = lcl_buffer_fill(source, 1)) == LCL_OK &&
        (st = lcl_window_create(&L.window, source)) == LCL_OK &&
        (st = lcl_fork(to)) == LCL_OK) // for lcl_write_aux()
        st = time_carry(&L, times, least);
    lcl_window_destroy(&L.window);
    lcl_buffer_destroy(&L.target);
    lcl_buffer_destroy(&source);
    return st;
}

enum lcl_status lcl_context_link(lcl_context *from, lcl_context *to,
                                 struct lcl_link *link)
{
    double brief = 0, full = 1;
    enum lcl_status st;
    if (!from || !to || !link)
        return lcl_misuse(from ? lcl_context_log(from) : NULL,
                          "lcl_context_link: an argument is NULL");
    *link = (struct lcl_link){0};
    if ((st = lcl_context_expect_free(from, "lcl_context_link")) < 0 ||
        (st = lcl_context_expect_free(to, "lcl_context_link")) < 0 ||
        (st = measure(from, to, SHORT, SHORT_TIMES, &brief)) < 0 ||
        (st = measure(from, to, LONG, LONG_TIMES, &full)) < 0)
        return st;
    link->latency = brief;
    link->bandwidth = (double)LONG * sizeof(double) / full;
    return LCL_OK;
}
