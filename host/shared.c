// SPDX-License-Identifier: BSD-3-Clause
// Memory of the host that kernels and host use at the same time.
#include "host/shared.h"

#include "host/alloc.h"
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
    if (!ctx->shared.knows_create_nv)
        ctx->shared.create_nv = look_up(ctx);
    ctx->shared.knows_create_nv = true;
    memcpy(&function, &ctx->shared.create_nv,
           sizeof function); // ISO C has no cast
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

// ------------------------------------------------------------------- pieces

// Pieces of more bytes than wanted by a factor of SPARE are not used, and at
// most KEPT_MOST bytes are kept.
enum { SPARE = 2 };
#define KEPT_MOST ((uint64_t)256 << 20)

struct lcl_shared_piece {
    struct lcl_shared_piece *next;
    struct lcl_pinned pinned;
};

// The smallest kept piece of at least `bytes`, which leaves the list, or NULL.
static struct lcl_shared_piece *find(lcl_context *ctx, size_t bytes)
{
    struct lcl_shared_piece **best = NULL;
    size_t least = bytes > SIZE_MAX / SPARE ? SIZE_MAX : bytes * SPARE;
    for (struct lcl_shared_piece **at = &ctx->shared.kept; *at;
         at = &(*at)->next) {
        const size_t has = (*at)->pinned.bytes;
        if (has >= bytes && has <= least) {
            least = has;
            best = at;
        }
    }
    if (!best)
        return NULL;
    struct lcl_shared_piece *piece = *best;
    *best = piece->next;
    ctx->shared.bytes -= piece->pinned.bytes;
    return piece;
}

static enum lcl_status pin(struct lcl_pinned *P, lcl_context *ctx, size_t bytes)
{
    cl_int code;
    P->mem = create(ctx, bytes, &code);
    enum lcl_status st =
        lcl_cl_status(&ctx->cl, code, "shared memory", LCL_CL_PLACE);
    if (st < 0 || (st = lcl_pinned_map(P, ctx, bytes)) < 0)
        return st;
    P->bytes = bytes;
    ctx->memory.pinned_bytes += bytes;
    return LCL_OK;
}

static enum lcl_status make(struct lcl_shared_piece **out, lcl_context *ctx,
                            size_t bytes)
{
    struct lcl_shared_piece *piece = lcl_calloc(1, sizeof *piece);
    if (!piece)
        return lcl_fail_memory(&ctx->cl.log, "shared memory");
    const enum lcl_status st = pin(&piece->pinned, ctx, bytes);
    if (st == LCL_OK)
        *out = piece;
    else
        lcl_free(piece);
    return st;
}

static void release(lcl_context *ctx, struct lcl_shared_piece *piece)
{
    lcl_pinned_close(&piece->pinned, ctx);
    lcl_free(piece);
}

static void keep(lcl_context *ctx, struct lcl_shared_piece *piece)
{
    if (ctx->shared.bytes + piece->pinned.bytes > KEPT_MOST) {
        release(ctx, piece);
        return;
    }
    piece->next = ctx->shared.kept;
    ctx->shared.kept = piece;
    ctx->shared.bytes += piece->pinned.bytes;
}

void lcl_shared_trim(lcl_context *ctx)
{
    while (ctx->shared.kept) {
        struct lcl_shared_piece *piece = ctx->shared.kept;
        ctx->shared.kept = piece->next;
        ctx->shared.bytes -= piece->pinned.bytes;
        release(ctx, piece);
    }
}

// ------------------------------------------------------------------- shared

enum lcl_status lcl_shared_init(struct lcl_shared *S, lcl_context *ctx,
                                int64_t count, const char *what)
{
    const size_t bytes = (size_t)count * sizeof *S->words;
    *S = (struct lcl_shared){.ctx = ctx, .piece = find(ctx, bytes)};
    const enum lcl_status st = S->piece ? LCL_OK : make(&S->piece, ctx, bytes);
    if (st < 0)
        return st;
    const struct lcl_pinned *P = &S->piece->pinned;
    memset(P->host, 0, bytes);
    S->words = (volatile uint64_t *)(void *)P->host;
    return lcl_buffer_wrap(&S->buffer, ctx, P->mem,
                           LCL_ACCESS_READ | LCL_ACCESS_WRITE, what);
}

void lcl_shared_finish(struct lcl_shared *S)
{
    if (!S->piece)
        return;
    lcl_buffer_destroy(&S->buffer);
    S->ctx->cl.api->clFinish(S->ctx->queue);
    keep(S->ctx, S->piece);
    *S = (struct lcl_shared){.ctx = NULL};
}
