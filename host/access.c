// SPDX-License-Identifier: BSD-3-Clause
// Checks that a context may be used.
#include "host/access.h"

#include "host/background.h"
#include "host/context.h"
#include "host/log.h"
#include "host/runtime.h"

#include <string.h>
#include <unistd.h>

struct lcl_guest lcl_guest_begin(lcl_context *ctx, enum lcl_guest_rights rights)
{
    const struct lcl_guest before = ctx->guest;
    ctx->guest = (struct lcl_guest){rights, pthread_self()};
    return before;
}

void lcl_guest_end(lcl_context *ctx, const struct lcl_guest *before)
{
    ctx->guest = *before;
}

static bool is_of_parent(const lcl_context *ctx)
{
    return ctx->process != getpid();
}

static enum lcl_status refuse_guest(const lcl_context *ctx,
                                    enum lcl_guest_rights needed,
                                    const char *function)
{
    const struct lcl_guest *guest = &ctx->guest;
    if (guest->rights == LCL_GUEST_NONE || guest->rights >= needed ||
        !pthread_equal(guest->thread, pthread_self()))
        return LCL_OK;
    return lcl_fail(&ctx->cl.log, LCL_EBUSY,
                    "%s: the call that is calling this function (a monitor, "
                    "test or callback) still uses the context",
                    function);
}

static enum lcl_status expect_process(const lcl_context *ctx,
                                      const char *function)
{
    return is_of_parent(ctx)
               ? lcl_fail(&ctx->cl.log, LCL_EPROCESS,
                          "%s: the context belongs to process %ld, and OpenCL "
                          "does not work in a child of fork()",
                          function, (long)ctx->process)
               : LCL_OK;
}

static enum lcl_status expect(const lcl_context *ctx,
                              enum lcl_guest_rights needed,
                              const char *function)
{
    const enum lcl_status st = expect_process(ctx, function);
    if (st < 0)
        return st;
    if (lcl_background_is_busy(ctx))
        return lcl_fail(&ctx->cl.log, LCL_EBUSY,
                        "%s: lcl_solver_enqueue_cl() still uses the context; "
                        "wait for its event",
                        function);
    return refuse_guest(ctx, needed, function);
}

enum lcl_status lcl_context_expect_free(const lcl_context *ctx,
                                        const char *function)
{
    return expect(ctx, LCL_GUEST_RULES, function);
}

enum lcl_status lcl_context_expect_product(const lcl_context *ctx,
                                           const char *function)
{
    return expect(ctx, LCL_GUEST_APPLIES, function);
}

// In the background, another thread may change ctx->guest.
enum lcl_status lcl_context_expect_collective(const lcl_context *ctx,
                                              const char *function)
{
    const enum lcl_status st = expect_process(ctx, function);
    return st < 0 || lcl_background_is_busy(ctx)
               ? st
               : refuse_guest(ctx, LCL_GUEST_RULES, function);
}

bool lcl_context_lets_go(lcl_context *ctx, void *object, const char *function)
{
    if (is_of_parent(ctx)) {
        memset(object, 0, sizeof(void *));
        return false;
    }
    lcl_background_wait(ctx);
    return refuse_guest(ctx, LCL_GUEST_RULES, function) == LCL_OK;
}
