// SPDX-License-Identifier: BSD-3-Clause
// Autotuning: which of several equivalent kernel variants is fastest on this
// device.
#include "host/autotune.h"

#include "host/alloc.h"
#include "host/context.h"
#include "host/log.h"
#include "host/timer.h"

#include <levelcl/version.h>

#include <stdio.h>
#include <string.h>

enum { ROUNDS = 3, LAUNCHES = 6, KEY_SIZE = 1024 };

static void key_of(char key[KEY_SIZE], const lcl_context *ctx,
                   const char *question)
{
    const struct lcl_caps *c = &ctx->caps;
    snprintf(key, KEY_SIZE, "autotuning of levelcl %s\n%s\n%s\n%s\n%s\n%d\n%s",
             LCL_VERSION, c->platform, c->name, c->version, c->driver, c->width,
             question);
}

bool lcl_autotune_recall(int *best, lcl_context *ctx, const char *question,
                         int count)
{
    char key[KEY_SIZE];
    size_t bytes;
    int32_t number = -1;
    key_of(key, ctx, question);
    void *blob = lcl_cache_load(&ctx->cache, key, &bytes);
    if (blob && bytes == sizeof number)
        memcpy(&number, blob, sizeof number);
    lcl_free(blob);
    *best = number;
    return number >= 0 && number < count;
}

void lcl_autotune_store(lcl_context *ctx, const char *question, int best)
{
    char key[KEY_SIZE];
    const int32_t number = best;
    key_of(key, ctx, question);
    lcl_cache_store(&ctx->cache, key, &number, sizeof number);
}

// Minimum seconds of LAUNCHES launches over ROUNDS rounds; an untimed first
// launch warms the caches.
static enum lcl_status time_candidate(double *seconds, lcl_context *ctx,
                                      int which, lcl_candidate *launch,
                                      void *arg)
{
    enum lcl_status st = launch(arg, which);
    for (int round = 0; round < ROUNDS && st == LCL_OK; ++round) {
        lcl_timer *timer;
        double t;
        if ((st = lcl_timer_start(&timer, ctx)) < 0)
            return st;
        for (int i = 0; i < LAUNCHES && st == LCL_OK; ++i)
            st = launch(arg, which);
        const enum lcl_status stopped = lcl_timer_stop(&timer, &t);
        st = st < 0 ? st : stopped;
        if (round == 0 || t < *seconds)
            *seconds = t;
    }
    return st;
}

enum lcl_status lcl_autotune(int *best, lcl_context *ctx, const char *question,
                             int count, lcl_candidate *launch, void *arg)
{
    double least = 0;
    enum lcl_status st = LCL_OK;
    *best = 0;
    for (int which = 0; which < count; ++which) {
        double seconds = 0;
        if ((st = time_candidate(&seconds, ctx, which, launch, arg)) < 0)
            return st;
        lcl_debug(&ctx->cl.log, "autotuning: %s: form %d takes %.4g ms",
                  question, which, 1e3 * seconds / LAUNCHES);
        if (which == 0 || seconds < least) {
            least = seconds;
            *best = which;
        }
    }
    lcl_autotune_store(ctx, question, *best);
    return LCL_OK;
}
