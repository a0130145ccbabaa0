// SPDX-License-Identifier: BSD-3-Clause
// Pinned pieces of the host's memory that the context keeps.
#include "host/pins.h"

#include "host/alloc.h"
#include "host/log.h"

#include <string.h>

// ------------------------------------------------------------------- creation

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
    if (!ctx->pins.knows_create_nv)
        ctx->pins.create_nv = look_up(ctx);
    ctx->pins.knows_create_nv = true;
    memcpy(&function, &ctx->pins.create_nv,
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

// The smallest kept piece of at least `bytes`, which leaves the list, or NULL.
static struct lcl_pin *find(lcl_context *ctx, size_t bytes)
{
    struct lcl_pin **best = NULL;
    size_t least = bytes > SIZE_MAX / SPARE ? SIZE_MAX : bytes * SPARE;
    for (struct lcl_pin **at = &ctx->pins.kept; *at; at = &(*at)->next) {
        const size_t has = (*at)->pinned.bytes;
        if (has >= bytes && has <= least) {
            least = has;
            best = at;
        }
    }
    if (!best)
        return NULL;
    struct lcl_pin *piece = *best;
    *best = piece->next;
    ctx->pins.bytes -= piece->pinned.bytes;
    return piece;
}

static enum lcl_status pin(struct lcl_pinned *P, lcl_context *ctx, size_t bytes)
{
    cl_int code;
    P->mem = create(ctx, bytes, &code);
    const enum lcl_status st =
        lcl_cl_status(&ctx->cl, code, "shared memory", LCL_CL_PLACE);
    return st < 0 ? st : lcl_pinned_map(P, ctx, bytes);
}

static enum lcl_status make(struct lcl_pin **out, lcl_context *ctx,
                            size_t bytes)
{
    struct lcl_pin *piece = lcl_calloc(1, sizeof *piece);
    if (!piece)
        return lcl_fail_memory(&ctx->cl.log, "shared memory");
    const enum lcl_status st = pin(&piece->pinned, ctx, bytes);
    if (st == LCL_OK)
        *out = piece;
    else
        lcl_free(piece);
    return st;
}

enum lcl_status lcl_pin_take(struct lcl_pin **out, lcl_context *ctx,
                             size_t bytes)
{
    *out = find(ctx, bytes);
    return *out ? LCL_OK : make(out, ctx, bytes);
}

static void release(lcl_context *ctx, struct lcl_pin *piece)
{
    lcl_pinned_close(&piece->pinned, ctx);
    lcl_free(piece);
}

void lcl_pin_keep(lcl_context *ctx, struct lcl_pin *piece)
{
    ctx->cl.api->clFinish(ctx->queue);
    if (ctx->pins.bytes + piece->pinned.bytes > KEPT_MOST) {
        release(ctx, piece);
        return;
    }
    piece->next = ctx->pins.kept;
    ctx->pins.kept = piece;
    ctx->pins.bytes += piece->pinned.bytes;
}

void lcl_pins_trim(lcl_context *ctx)
{
    while (ctx->pins.kept) {
        struct lcl_pin *piece = ctx->pins.kept;
        ctx->pins.kept = piece->next;
        ctx->pins.bytes -= piece->pinned.bytes;
        release(ctx, piece);
    }
}
