// SPDX-License-Identifier: BSD-3-Clause
// Public interface of batched inversion of dense blocks.
#include <levelcl/batch.h>

#include "host/alloc.h"
#include "host/log.h"
#include "host/runtime.h"
#include "lib/dense/bgje.h"

#include <math.h>

struct inversion {
    lcl_context *ctx;
    const struct lcl_log *log;
    struct lcl_batch_params params;
    struct lcl_bgje batch;
    lcl_buffer *data, *info; // blocks, then their inverses
    float *single;           // host copy in fp32, if used
    int32_t *status;
};

static enum lcl_status check_arguments(const struct lcl_log *log,
                                       const double *inverse,
                                       const double *blocks,
                                       const int64_t *block_ptr, int64_t count,
                                       const struct lcl_batch_params *p)
{
    if (!inverse || !blocks || !block_ptr)
        return lcl_misuse(log, "lcl_batch_invert: an argument is NULL");
    if (count < 0)
        return lcl_misuse(log, "lcl_batch_invert: %lld blocks, expected >= 0",
                          (long long)count);
    if ((unsigned)p->kernel >= LCL_BATCH_KERNEL_COUNT ||
        (unsigned)p->precision >= LCL_BATCH_PRECISION_COUNT ||
        (unsigned)p->singular >= LCL_BATCH_SINGULAR_COUNT)
        return lcl_misuse(log, "lcl_batch_invert: an enum is out of range");
    return LCL_OK;
}

static enum lcl_status check_blocks(const struct lcl_log *log,
                                    const int64_t *block_ptr, int64_t count)
{
    if (block_ptr[0] != 0)
        return lcl_fail(log, LCL_EFORMAT, "block_ptr[0] is %lld, expected 0",
                        (long long)block_ptr[0]);
    for (int64_t b = 0; b < count; ++b) {
        const int64_t from = block_ptr[b], to = block_ptr[b + 1];
        if (to <= from || to - from > LCL_BATCH_ROWS_MAX)
            return lcl_fail(log, LCL_EFORMAT,
                            "block %lld has rows %lld to %lld: expected 1 to "
                            "%d rows",
                            (long long)b, (long long)from, (long long)to - 1,
                            LCL_BATCH_ROWS_MAX);
    }
    return LCL_OK;
}

static bool is_single(const struct inversion *V)
{
    return V->params.precision == LCL_BATCH_PRECISION_FP32;
}

static size_t data_bytes(const struct inversion *V)
{
    return (size_t)V->batch.entries *
           (is_single(V) ? sizeof(float) : sizeof(double));
}

static enum lcl_status upload(struct inversion *V, const double *blocks)
{
    const int64_t n = V->batch.entries, count = V->batch.count;
    enum lcl_status st;
    V->status = lcl_malloc((size_t)count, sizeof *V->status);
    if (!V->status || (is_single(V) &&
                       !(V->single = lcl_malloc((size_t)n, sizeof *V->single))))
        return lcl_fail_memory(V->log, "a batch of blocks");
    if ((st = lcl_buffer_create(&V->data, V->ctx, (int64_t)data_bytes(V), 1,
                                "blocks")) < 0 ||
        (st = lcl_buffer_create(&V->info, V->ctx, count, sizeof *V->status,
                                "states of blocks")) < 0)
        return st;
    if (!is_single(V))
        return lcl_buffer_write(V->data, blocks, data_bytes(V));
    for (int64_t i = 0; i < n; ++i)
        V->single[i] = (float)blocks[i];
    return lcl_buffer_write(V->data, V->single, data_bytes(V));
}

static enum lcl_status download(struct inversion *V, double *inverse)
{
    if (!is_single(V))
        return lcl_buffer_read(V->data, inverse, data_bytes(V));
    const enum lcl_status st =
        lcl_buffer_read(V->data, V->single, data_bytes(V));
    for (int64_t i = 0; i < V->batch.entries && st == LCL_OK; ++i)
        inverse[i] = V->single[i];
    return st;
}

// Derives the status of the call from the states of the blocks.
static enum lcl_status judge(const struct inversion *V)
{
    int64_t failed = 0, first = -1;
    for (int64_t b = 0; b < V->batch.count; ++b)
        if (V->status[b] != 0 && failed++ == 0)
            first = b;
    if (failed == 0)
        return LCL_OK;
    if (V->params.singular > LCL_BATCH_SINGULAR_FAIL)
        return LCL_PIVOTS_REPAIRED;
    return lcl_fail(V->log, LCL_EPIVOT,
                    "%lld of %lld blocks have no inverse, first block %lld: "
                    "its column %d has no pivot",
                    (long long)failed, (long long)V->batch.count,
                    (long long)first, V->status[first]);
}

// Writes info, and the inverses unless info prevents it.
static enum lcl_status run(struct inversion *V, double *inverse, int32_t *info)
{
    const bool identity = V->params.singular == LCL_BATCH_SINGULAR_IDENTITY;
    const size_t bytes = (size_t)V->batch.count * sizeof *V->status;
    enum lcl_status st;
    if ((st = lcl_bgje_run(&V->batch, V->data, V->data, V->info, NULL,
                           identity)) < 0 ||
        (st = lcl_buffer_read(V->info, V->status, bytes)) < 0)
        return st;
    const enum lcl_status judged = judge(V);
    if (judged >= 0 && (st = download(V, inverse)) < 0)
        return st;
    for (int64_t b = 0; b < V->batch.count && info; ++b)
        info[b] = V->status[b];
    return judged;
}

static void finish(struct inversion *V)
{
    lcl_bgje_finish(&V->batch);
    lcl_buffer_destroy(&V->data);
    lcl_buffer_destroy(&V->info);
    lcl_free(V->single);
    lcl_free(V->status);
}

enum lcl_status lcl_batch_invert(lcl_context *ctx, double *inverse,
                                 const double *blocks, const int64_t *block_ptr,
                                 int64_t count, int32_t *info,
                                 const struct lcl_batch_params *params)
{
    const struct lcl_batch_params defaults = LCL_BATCH_PARAMS_INIT;
    if (!ctx)
        return lcl_misuse(NULL, "lcl_batch_invert: an argument is NULL");
    struct inversion V = {.ctx = ctx,
                          .log = lcl_context_log(ctx),
                          .params = params ? *params : defaults};
    enum lcl_status st;
    if ((st = check_arguments(V.log, inverse, blocks, block_ptr, count,
                              &V.params)) < 0 ||
        (st = lcl_context_expect_free(ctx, "lcl_batch_invert")) < 0 ||
        (st = check_blocks(V.log, block_ptr, count)) < 0 || count == 0)
        return st;
    if ((st = lcl_bgje_init(&V.batch, ctx, block_ptr, count, &V.params,
                            false)) == LCL_OK &&
        (st = upload(&V, blocks)) == LCL_OK)
        st = run(&V, inverse, info);
    finish(&V);
    return st;
}
