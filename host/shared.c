// SPDX-License-Identifier: BSD-3-Clause
// Memory of the host that kernels and host use at the same time.
#include "host/shared.h"

#include "host/context.h"
#include "host/interop.h"
#include "host/log.h"
#include "host/staging.h"

#include <string.h>

// cl_nv_create_buffer: on NVIDIA, other memory that the host has mapped moves
// to the device when a kernel uses it.
enum { LOCATION_HOST = 1 };
typedef cl_mem CL_API_CALL create_fn(cl_context, cl_mem_flags, cl_ulong, size_t,
                                     void *, cl_int *);

static bool has_extension(lcl_context *ctx, const char *name)
{
    char all[8192] = "";
    const cl_int code = ctx->cl.api->clGetDeviceInfo(
        ctx->device, CL_DEVICE_EXTENSIONS, sizeof all - 1, all, NULL);
    return code == CL_SUCCESS && strstr(all, name) != NULL;
}

// Returns NULL if the device lacks the function.
static void *look_up(lcl_context *ctx)
{
    const struct lcl_cl_api *api = ctx->cl.api;
    cl_platform_id platform;
    if (!has_extension(ctx, "cl_nv_create_buffer") ||
        api->clGetDeviceInfo(ctx->device, CL_DEVICE_PLATFORM, sizeof platform,
                             &platform, NULL) != CL_SUCCESS)
        return NULL;
    return api->clGetExtensionFunctionAddressForPlatform(platform,
                                                         "clCreateBufferNV");
}

static create_fn *find_extension(lcl_context *ctx)
{
    create_fn *function;
    if (!ctx->knows_create_nv)
        ctx->create_nv = look_up(ctx);
    ctx->knows_create_nv = true;
    memcpy(&function, &ctx->create_nv, sizeof function); // ISO C has no cast
    return function;
}

static cl_mem create(lcl_context *ctx, size_t bytes, cl_int *code)
{
    const cl_mem_flags flags = CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR;
    create_fn *extension = find_extension(ctx);
    return extension ? extension(ctx->context, flags, LOCATION_HOST, bytes,
                                 NULL, code)
                     : ctx->cl.api->clCreateBuffer(ctx->context, flags, bytes,
                                                   NULL, code);
}

enum lcl_status lcl_shared_init(struct lcl_shared *S, lcl_context *ctx,
                                int64_t count, const char *what)
{
    const size_t bytes = (size_t)count * sizeof *S->words;
    struct lcl_pinned P = {.host = NULL};
    cl_int code;
    enum lcl_status st;
    *S = (struct lcl_shared){.ctx = ctx};
    P.mem = create(ctx, bytes, &code);
    if ((st = lcl_cl_status(&ctx->cl, code, "shared memory", LCL_CL_PLACE)) <
            0 ||
        (st = lcl_pinned_map(&P, ctx, bytes)) < 0)
        return st;
    memset(P.host, 0, bytes);
    S->mem = P.mem;
    S->words = (volatile uint64_t *)(void *)P.host;
    return lcl_buffer_wrap(&S->buffer, ctx, P.mem,
                           LCL_ACCESS_READ | LCL_ACCESS_WRITE, what);
}

void lcl_shared_finish(struct lcl_shared *S)
{
    struct lcl_pinned P = {S->mem, (char *)(uintptr_t)S->words, 0};
    if (!S->mem)
        return;
    lcl_buffer_destroy(&S->buffer);
    lcl_pinned_close(&P, S->ctx);
    *S = (struct lcl_shared){.ctx = NULL};
}
