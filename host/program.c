// SPDX-License-Identifier: BSD-3-Clause
// Programs: source assembly, builds, the program table and its disk cache.
#include "host/program.h"

#include "host/access.h"
#include "host/alloc.h"
#include "host/build_log.h"
#include "host/cache.h"
#include "host/caps.h"
#include "host/context.h"
#include "host/echo.h"
#include "host/forecast.h"
#include "host/helper.h"
#include "host/kernel.h"
#include "host/log.h"
#include "host/runtime.h"
#include "host/source.h"

#include <levelcl/version.h>

#include <fenv.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// More live variants than this suggest a specialised value that should be an
// argument.
enum { MANY_PROGRAMS = 64 };

// Maximum length of the compiler's first error in the message.
enum { FAULT_BYTES = 400 };

// Upper bound of the memory that PoCL's compiler uses for any of our sources.
enum { COMPILER_BYTES = 256 << 20 };

// A program of a context. The context fixes the rest of the cache key; source
// and defines identify the program.
struct lcl_program {
    const char *source;
    char *defines;
    struct lcl_program *serves; // NULL, or the program that is built instead
    cl_program program;
    struct lcl_kernel **kernels;
    size_t kernel_count;
};

// ------------------------------------------------------------------- building

// Everything that can change the binary: library, device, driver, options and
// the source, which starts with the defines.
static char *key_of(const struct lcl_context *ctx, const char *source)
{
    const struct lcl_caps *c = &ctx->caps;
    static const char format[] =
        "levelcl %s\nplatform %s\ndevice %s\nvendor %s\nversion %s\n"
        "driver %s\noptions %s\n%s";
    const int bytes =
        snprintf(NULL, 0, format, LCL_VERSION, c->platform, c->name, c->vendor,
                 c->version, c->driver, c->cl_std, source);
    char *key = lcl_malloc((size_t)bytes + 1, 1);
    if (key)
        snprintf(key, (size_t)bytes + 1, format, LCL_VERSION, c->platform,
                 c->name, c->vendor, c->version, c->driver, c->cl_std, source);
    return key;
}

// The compiler's messages, freed with lcl_free(); NULL: none, or no memory.
static char *compiler_text(lcl_context *ctx, cl_program program)
{
    size_t bytes = 0;
    ctx->cl.api->clGetProgramBuildInfo(program, ctx->device,
                                       CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
    char *text = lcl_calloc(bytes + 1, 1);
    if (text && ctx->cl.api->clGetProgramBuildInfo(program, ctx->device,
                                                   CL_PROGRAM_BUILD_LOG, bytes,
                                                   text, NULL) == CL_SUCCESS)
        return text;
    lcl_free(text);
    return NULL;
}

static enum lcl_status fail_build(lcl_context *ctx, cl_program program,
                                  const char *source, const char *name,
                                  cl_int code)
{
    const struct lcl_log *log = &ctx->cl.log;
    char fault[FAULT_BYTES] = "";
    char *text = compiler_text(ctx, program);
    lcl_debug(log, "build on %s, driver %s, options %s", ctx->caps.name,
              ctx->caps.driver, ctx->caps.cl_std);
    lcl_log_source(log, source);
    if (text) {
        lcl_log_build(log, text, source);
        lcl_build_fault(fault, sizeof fault, text);
    }
    lcl_free(text);
    return lcl_fail(log, LCL_EBUILD, "%s does not compile on %s: %s (%d)%s%s",
                    name, ctx->caps.name, lcl_cl_error_name(code), code,
                    *fault ? ": " : "", fault);
}

// The compiler of a driver may raise floating-point exceptions, which a host
// may trap.
static cl_int build(lcl_context *ctx, cl_program program)
{
    fenv_t before;
    feholdexcept(&before);
    const cl_int code = ctx->cl.api->clBuildProgram(
        program, 1, &ctx->device, ctx->caps.cl_std, NULL, NULL);
    fesetenv(&before);
    return code;
}

// Returns NULL if the driver rejects the binary.
static cl_program make_of_binary(lcl_context *ctx, const unsigned char *blob,
                                 size_t bytes)
{
    cl_int code, loaded = CL_SUCCESS;
    cl_program program = ctx->cl.api->clCreateProgramWithBinary(
        ctx->context, 1, &ctx->device, &bytes, &blob, &loaded, &code);
    if (code == CL_SUCCESS && loaded == CL_SUCCESS &&
        build(ctx, program) == CL_SUCCESS)
        return program;
    if (program && code == CL_SUCCESS)
        ctx->cl.api->clReleaseProgram(program);
    return NULL;
}

static cl_program load_binary(lcl_context *ctx, const char *key)
{
    for (;;) {
        size_t bytes;
        unsigned char *blob = lcl_cache_load(&ctx->cache, key, &bytes);
        if (!blob)
            return NULL;
        cl_program program = make_of_binary(ctx, blob, bytes);
        lcl_free(blob);
        if (program) {
            ++ctx->builds.from_cache;
            return program;
        }
        lcl_debug(&ctx->cl.log, "cache: the driver rejected a binary");
        if (!lcl_cache_drop(&ctx->cache, key))
            return NULL;
    }
}

// The folder in which PoCL caches kernels, according to its manual; 0: none.
static size_t pocl_folder(char *path, size_t size)
{
    static const struct {
        const char *variable, *below;
    } places[] = {{"POCL_CACHE_DIR", ""},
                  {"XDG_CACHE_HOME", "/pocl"},
                  {"HOME", "/.cache/pocl"}};
    const char *on = getenv("POCL_KERNEL_CACHE");
    if (on && strcmp(on, "0") == 0)
        return 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
        const char *base = getenv(places[i].variable);
        if (base && *base)
            return (size_t)snprintf(path, path ? size : 0, "%s%s", base,
                                    places[i].below);
    }
    return 0;
}

static bool pocl_keeps_kernels(void)
{
    char path[PATH_MAX];
    const size_t length = pocl_folder(path, sizeof path);
    return length > 0 && length < sizeof path && lcl_folder_is_writable(path);
}

static void store_binary(lcl_context *ctx, cl_program program, const char *key)
{
    size_t bytes = 0;
    if (ctx->cl.api->clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES,
                                      sizeof bytes, &bytes,
                                      NULL) != CL_SUCCESS ||
        bytes == 0)
        return;
    unsigned char *blob = lcl_malloc(bytes, 1);
    if (blob &&
        ctx->cl.api->clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof blob,
                                      &blob, NULL) == CL_SUCCESS)
        lcl_cache_store(&ctx->cache, key, blob, bytes);
    lcl_free(blob);
}

// A compiler inside the process aborts the process if memory runs out.
static bool has_room(void)
{
    void *room = lcl_malloc(COMPILER_BYTES, 1);
    lcl_free(room);
    return room != NULL;
}

// PoCL caches compiled kernels by itself. From a binary it would compile all
// kernels of the program once more, for any size of work-groups.
static bool driver_keeps_kernels(const lcl_context *ctx)
{
    return lcl_caps_is_pocl(&ctx->caps);
}

bool lcl_programs_are_kept(const lcl_context *ctx)
{
    return driver_keeps_kernels(ctx) ? pocl_keeps_kernels()
                                     : lcl_cache_keeps(&ctx->cache);
}

size_t lcl_context_folder(const lcl_context *ctx, char *path, size_t size)
{
    if (!ctx || !lcl_programs_are_kept(ctx))
        return 0;
    return driver_keeps_kernels(ctx)
               ? pocl_folder(path, size)
               : (size_t)snprintf(path, path ? size : 0, "%s",
                                  ctx->cache.own.path);
}

static void keep_binary(lcl_context *ctx, cl_program program, const char *key)
{
    fenv_t before;
    if (!ctx->cache.own.path || driver_keeps_kernels(ctx))
        return;
    feholdexcept(&before);
    store_binary(ctx, program, key);
    fesetenv(&before);
}

static enum lcl_status check_room(const lcl_context *ctx)
{
    return has_room()
               ? LCL_OK
               : lcl_fail_memory(&ctx->cl.log, "the compiler of kernels");
}

void lcl_announce_compilation(lcl_context *ctx)
{
    const int number = ++ctx->compilations;
    const struct lcl_compile_info info = {
        .number = number,
        .expected = ctx->expected < number ? 0 : ctx->expected,
        .seconds = ctx->clock.task[LCL_TASK_COMPILE].seconds,
        .kept = lcl_programs_are_kept(ctx),
    };
    if (!ctx->compiling)
        return;
    const struct lcl_guest before = lcl_guest_begin(ctx, LCL_GUEST_LOOKS);
    ctx->compiling(ctx->compiling_user, &info);
    lcl_guest_end(ctx, &before);
}

static enum lcl_status build_source(cl_program *out, lcl_context *ctx,
                                    const char *source, const char *name)
{
    cl_int code;
    enum lcl_status st = check_room(ctx);
    if (st < 0)
        return st;
    st = LCL_CL_MAKE(
        &ctx->cl, *out,
        clCreateProgramWithSource(ctx->context, 1, &source, NULL, &code));
    if (st < 0)
        return st;
    code = build(ctx, *out);
    if (code == CL_SUCCESS) {
        ++ctx->builds.compiled;
        return LCL_OK;
    }
    st = fail_build(ctx, *out, source, name, code);
    ctx->cl.api->clReleaseProgram(*out);
    return st;
}

// "LCL_WIDTH 4 LCL_GROUP 64 ..." of a source, which starts with its defines.
static void list_parameters(char text[LCL_SPEC_TEXT], const char *source)
{
    static const char define[] = "#define ";
    size_t at = 0;
    while (strncmp(source, define, sizeof define - 1) == 0) {
        source += sizeof define - 1;
        const size_t length = strcspn(source, "\n");
        if (at + length + 2 > LCL_SPEC_TEXT)
            break;
        at += (size_t)sprintf(text + at, " %.*s", (int)length, source);
        source += length + (source[length] == '\n');
    }
    text[at] = '\0';
}

static void log_made(lcl_context *ctx, const char *how, const char *name,
                     const char *source, double seconds)
{
    char parameters[LCL_SPEC_TEXT];
    list_parameters(parameters, source);
    lcl_debug(&ctx->cl.log, "%s %s in %.3f s:%s", how, name, seconds,
              parameters);
}

static enum lcl_status make_program(cl_program *out, lcl_context *ctx,
                                    const char *source, const char *key,
                                    const char *name)
{
    const double before = lcl_now();
    *out = driver_keeps_kernels(ctx) ? NULL : load_binary(ctx, key);
    if (*out) {
        log_made(ctx, "loaded from the cache:", name, source,
                 lcl_now() - before);
        return LCL_OK;
    }
    lcl_announce_compilation(ctx);
    const double start = lcl_now();
    const enum lcl_status st = build_source(out, ctx, source, name);
    if (st == LCL_OK) {
        keep_binary(ctx, *out, key);
        log_made(ctx, "compiled", name, source, lcl_now() - start);
    }
    return st;
}

// ------------------------------------------------------------------- the table

static void program_free(struct lcl_context *ctx, struct lcl_program *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->kernel_count; ++i)
        lcl_kernel_free(ctx, p->kernels[i]);
    lcl_free(p->kernels);
    if (p->program)
        ctx->cl.api->clReleaseProgram(p->program);
    lcl_free(p->defines);
    lcl_free(p);
}

void lcl_programs_finish(lcl_context *ctx)
{
    for (size_t i = 0; i < ctx->programs.count; ++i)
        program_free(ctx, ctx->programs.all[i]);
    lcl_free(ctx->programs.all);
    ctx->programs = (struct lcl_programs){0};
}

static struct lcl_program *find_program(const struct lcl_programs *programs,
                                        const char *source, const char *defines)
{
    for (size_t i = 0; i < programs->count; ++i)
        if (strcmp(programs->all[i]->source, source) == 0 &&
            strcmp(programs->all[i]->defines, defines) == 0)
            return programs->all[i]->serves ? programs->all[i]->serves
                                            : programs->all[i];
    return NULL;
}

static enum lcl_status keep_program(lcl_context *ctx, struct lcl_program *p)
{
    struct lcl_programs *programs = &ctx->programs;
    struct lcl_program **all =
        lcl_realloc(programs->all, programs->count + 1, sizeof *all);
    if (!all)
        return lcl_fail_memory(&ctx->cl.log, "a program");
    programs->all = all;
    all[programs->count++] = p;
    programs->built += p->program != NULL;
    if (p->program && programs->built == MANY_PROGRAMS)
        lcl_debug(&ctx->cl.log,
                  "%d kernel programs are loaded: is a kernel specialised on a "
                  "value that should be an argument?",
                  MANY_PROGRAMS);
    return LCL_OK;
}

static struct lcl_program *allocate_program(const struct lcl_spec *spec,
                                            const char *defines)
{
    struct lcl_program *p = lcl_calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->source = lcl_source_name(spec->source);
    p->defines = lcl_strdup(defines);
    if (p->defines)
        return p;
    lcl_free(p);
    return NULL;
}

static enum lcl_status make_of_spec(cl_program *out, lcl_context *ctx,
                                    const struct lcl_spec *spec)
{
    char *source = lcl_program_source(spec);
    char *key = source ? key_of(ctx, source) : NULL;
    enum lcl_status st;
    if (key) {
        lcl_dump_source(&ctx->cl.log, spec->source, key, source);
        lcl_clock_enter(&ctx->clock, LCL_TASK_COMPILE);
        st = make_program(out, ctx, source, key, spec->source);
        lcl_clock_leave(&ctx->clock);
    } else {
        st = lcl_fail_memory(&ctx->cl.log, "a kernel's source");
    }
    lcl_free(key);
    lcl_free(source);
    return st;
}

static enum lcl_status add_program(struct lcl_program **out, lcl_context *ctx,
                                   const struct lcl_spec *spec,
                                   const char *defines)
{
    // otherwise an earlier kernel's fault looks like a failed build, and the
    // program's cache file is deleted
    enum lcl_status st = lcl_context_wait(ctx);
    struct lcl_program *p = st < 0 ? NULL : allocate_program(spec, defines);
    if (!p)
        return st < 0 ? st : lcl_fail_memory(&ctx->cl.log, "a program");
    if ((st = make_of_spec(&p->program, ctx, spec)) < 0)
        p->program = NULL;
    if (st < 0 || (st = keep_program(ctx, p)) < 0) {
        program_free(ctx, p);
        return st;
    }
    *out = p;
    return LCL_OK;
}

static enum lcl_status check_parameters(lcl_context *ctx,
                                        const struct lcl_spec *spec)
{
    if (!lcl_source_name(spec->source))
        return lcl_fail_memory(&ctx->cl.log, "a kernel's source");
    const char *unknown = lcl_program_unknown(spec);
    return unknown ? lcl_fail(&ctx->cl.log, LCL_EBUILD,
                              "%s has no parameter %s", spec->source, unknown)
                   : LCL_OK;
}

static enum lcl_status build_or_find(struct lcl_program **out, lcl_context *ctx,
                                     const struct lcl_spec *spec)
{
    char defines[LCL_SPEC_TEXT];
    if (!lcl_spec_defines(defines, sizeof defines, spec))
        return lcl_fail_memory(&ctx->cl.log, "a kernel's source");
    *out = find_program(&ctx->programs, spec->source, defines);
    if (*out)
        return LCL_OK;
    if (lcl_caps_is_pocl(&ctx->caps) && lcl_forecast_begins(spec)) {
        ctx->expected += lcl_forecast_count(spec->source);
        lcl_helper_expect(ctx, spec);
    }
    return add_program(out, ctx, spec, defines);
}

// Records the program that serves the spec with these defines.
static enum lcl_status add_name(lcl_context *ctx, const struct lcl_spec *spec,
                                const char *defines, struct lcl_program *serves)
{
    struct lcl_program *p = allocate_program(spec, defines);
    if (!p)
        return lcl_fail_memory(&ctx->cl.log, "a program");
    p->serves = serves;
    const enum lcl_status st = keep_program(ctx, p);
    if (st < 0)
        program_free(ctx, p);
    return st;
}

// Finds or builds the program of a spec: drops parameters with their default
// values and, where that saves time, uses a bundle. Records the result.
static enum lcl_status get_program(struct lcl_program **out, lcl_context *ctx,
                                   const struct lcl_spec *spec)
{
    char defines[LCL_SPEC_TEXT];
    struct lcl_spec built = *spec;
    enum lcl_status st;
    if (!lcl_spec_defines(defines, sizeof defines, spec))
        return lcl_fail_memory(&ctx->cl.log, "a kernel's source");
    *out = find_program(&ctx->programs, spec->source, defines);
    if (*out)
        return LCL_OK;
    if ((st = check_parameters(ctx, spec)) < 0)
        return st;
    lcl_source_drop_defaults(&built);
    if (lcl_caps_is_pocl(&ctx->caps))
        lcl_source_bundle(&built);
    if ((st = build_or_find(out, ctx, &built)) < 0 ||
        find_program(&ctx->programs, spec->source, defines))
        return st;
    return add_name(ctx, spec, defines, *out);
}

// ------------------------------------------------------------------- kernels

static struct lcl_kernel *find_kernel(const struct lcl_program *p,
                                      const char *name)
{
    for (size_t i = 0; i < p->kernel_count; ++i)
        if (strcmp(lcl_kernel_name(p->kernels[i]), name) == 0)
            return p->kernels[i];
    return NULL;
}

static enum lcl_status add_kernel(lcl_kernel **out, lcl_context *ctx,
                                  struct lcl_program *p,
                                  const struct lcl_spec *spec)
{
    struct lcl_kernel **kernels =
        lcl_realloc(p->kernels, p->kernel_count + 1, sizeof *kernels);
    if (!kernels)
        return lcl_fail_memory(&ctx->cl.log, "a kernel");
    p->kernels = kernels;
    lcl_clock_enter(&ctx->clock, LCL_TASK_COMPILE);
    const enum lcl_status st =
        lcl_kernel_make(&kernels[p->kernel_count], ctx, p->program, spec);
    lcl_clock_leave(&ctx->clock);
    if (st == LCL_OK)
        *out = kernels[p->kernel_count++];
    return st;
}

enum lcl_status lcl_kernel_get(lcl_kernel **out, lcl_context *ctx,
                               const struct lcl_spec *spec)
{
    struct lcl_spec full = *spec;
    struct lcl_program *p = NULL;
    if (full.width == 0)
        full.width = ctx->caps.width;
    if (full.exchange == LCL_EXCHANGE_AUTO)
        full.exchange = ctx->caps.exchange;
    if (!ctx->caps.strict_rounding)
        full.loose = 1;
    const enum lcl_status st = get_program(&p, ctx, &full);
    if (st < 0)
        return st;
    *out = find_kernel(p, full.kernel);
    return *out ? LCL_OK : add_kernel(out, ctx, p, &full);
}

enum lcl_status lcl_kernels_get(lcl_context *ctx, const struct lcl_spec *spec,
                                const struct lcl_kernel_plan *all,
                                size_t kernels)
{
    struct lcl_spec one = *spec;
    enum lcl_status st = LCL_OK;
    for (size_t k = 0; k < kernels && st == LCL_OK; ++k) {
        one.kernel = all[k].name;
        st = lcl_kernel_get(all[k].out, ctx, &one);
    }
    return st;
}
