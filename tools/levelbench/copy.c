// SPDX-License-Identifier: BSD-3-Clause
// Copy bandwidth, the reference for all other figures.
#include "tools/levelbench/bench.h"

#include "host/buffer.h"

struct copy {
    lcl_buffer *from, *to;
};

static enum lcl_status launch_copy(void *arg)
{
    struct copy *c = arg;
    return lcl_buffer_copy(c->to, c->from);
}

// Far beyond any cache: half a gibibyte on a GPU, an eighth on a CPU.
enum lcl_status bench_copy(struct bench *B)
{
    const bool cpu = lcl_context_caps(B->ctx)->type == LCL_DEVICE_CPU;
    const int64_t count = cpu ? 1 << 24 : 1 << 26;
    struct copy c = {NULL, NULL};
    struct times t;
    enum lcl_status st;
    if ((st = lcl_buffer_create(&c.from, B->ctx, count, 8, "copy")) == LCL_OK &&
        (st = lcl_buffer_create(&c.to, B->ctx, count, 8, "copy")) == LCL_OK &&
        (st = lcl_buffer_fill(c.from, 1)) == LCL_OK &&
        (st = bench_measure(B, launch_copy, &c, &t)) == LCL_OK) {
        cJSON *line = bench_line(B, "copy", "buffer");
        bench_add_times(line, B, &t, 16.0 * (double)count);
        B->copy_gbps = 1e-9 * 16.0 * (double)count / t.median;
        bench_print(B, line);
    }
    lcl_buffer_destroy(&c.to);
    lcl_buffer_destroy(&c.from);
    return st;
}
