// SPDX-License-Identifier: BSD-3-Clause
// A table of OpenCL functions that count calls and fail on request.
#include "tests/support/fake_cl.h"
#include "tests/support/kept_programs.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct fake_cl fake_cl;

static bool count_and_fail(enum fake_cl_function function)
{
    ++fake_cl.calls[function];
    ++fake_cl.calls[FAKE_CL_ANY];
    if (fake_cl.lost && fake_cl.failed)
        return true;
    if (fake_cl.fail_at == 0 ||
        (fake_cl.function != FAKE_CL_ANY && fake_cl.function != function) ||
        --fake_cl.fail_at > 0)
        return false;
    fake_cl.failed = true;
    return !fake_cl.lost;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// Threads that fill a buffer wait for events at the same time.
static bool fails_now(enum fake_cl_function function)
{
    pthread_mutex_lock(&lock);
    const bool fails = count_and_fail(function);
    pthread_mutex_unlock(&lock);
    return fails;
}

// A driver whose queue is full waits for it with its lock held.
static void wait_if_full(cl_command_queue q)
{
    pthread_mutex_lock(&lock);
    if (fake_cl.queue_most > 0 &&
        fake_cl.calls[FAKE_clEnqueueNDRangeKernel] % fake_cl.queue_most == 0) {
        ++fake_cl.full;
        clFinish(q);
    }
    pthread_mutex_unlock(&lock);
}

// ------------------------------------------------------------------- wrappers

// clang-format off

// Functions that return their code and create nothing.
#define CODE_FUNCTIONS(X) \
    X(clEnqueueBarrierWithWaitList, (cl_command_queue q, cl_uint n, \
        const cl_event *wait, cl_event *event), (q, n, wait, event)) \
    X(clEnqueueCopyBuffer, (cl_command_queue q, cl_mem from, cl_mem to, \
        size_t at, size_t to_at, size_t bytes, cl_uint n, \
        const cl_event *wait, cl_event *event), \
        (q, from, to, at, to_at, bytes, n, wait, event)) \
    X(clEnqueueFillBuffer, (cl_command_queue q, cl_mem mem, const void *value, \
        size_t size, size_t at, size_t bytes, cl_uint n, \
        const cl_event *wait, cl_event *event), \
        (q, mem, value, size, at, bytes, n, wait, event)) \
    X(clFinish, (cl_command_queue q), (q)) \
    X(clFlush, (cl_command_queue q), (q)) \
    X(clGetCommandQueueInfo, (cl_command_queue q, cl_command_queue_info what, \
        size_t size, void *value, size_t *bytes), (q, what, size, value, bytes)) \
    X(clGetDeviceIDs, (cl_platform_id p, cl_device_type type, cl_uint room, \
        cl_device_id *ids, cl_uint *count), (p, type, room, ids, count)) \
    X(clGetEventProfilingInfo, (cl_event e, cl_profiling_info what, \
        size_t size, void *value, size_t *bytes), (e, what, size, value, bytes)) \
    X(clGetKernelWorkGroupInfo, (cl_kernel k, cl_device_id d, \
        cl_kernel_work_group_info what, size_t size, void *value, \
        size_t *bytes), (k, d, what, size, value, bytes)) \
    X(clGetMemObjectInfo, (cl_mem mem, cl_mem_info what, size_t size, \
        void *value, size_t *bytes), (mem, what, size, value, bytes)) \
    X(clGetPlatformIDs, (cl_uint room, cl_platform_id *ids, cl_uint *count), \
        (room, ids, count)) \
    X(clGetProgramBuildInfo, (cl_program p, cl_device_id d, \
        cl_program_build_info what, size_t size, void *value, size_t *bytes), \
        (p, d, what, size, value, bytes)) \
    X(clGetProgramInfo, (cl_program p, cl_program_info what, size_t size, \
        void *value, size_t *bytes), (p, what, size, value, bytes)) \
    X(clSetKernelArg, (cl_kernel k, cl_uint index, size_t size, \
        const void *value), (k, index, size, value)) \
    X(clWaitForEvents, (cl_uint n, const cl_event *events), (n, events))

// Functions that create or map an object and store their code.
#define OBJECT_FUNCTIONS(X) \
    X(cl_mem, clCreateBuffer, (cl_context c, cl_mem_flags flags, size_t bytes, \
        void *host, cl_int *code), (c, flags, bytes, host, code)) \
    X(cl_command_queue, clCreateCommandQueue, (cl_context c, cl_device_id d, \
        cl_command_queue_properties p, cl_int *code), (c, d, p, code)) \
    X(cl_kernel, clCreateKernel, (cl_program p, const char *name, \
        cl_int *code), (p, name, code)) \
    X(cl_mem, clCreateSubBuffer, (cl_mem mem, cl_mem_flags flags, \
        cl_buffer_create_type type, const void *place, cl_int *code), \
        (mem, flags, type, place, code)) \
    X(cl_event, clCreateUserEvent, (cl_context c, cl_int *code), (c, code)) \
    X(void *, clEnqueueMapBuffer, (cl_command_queue q, cl_mem mem, \
        cl_bool block, cl_map_flags flags, size_t at, size_t bytes, cl_uint n, \
        const cl_event *wait, cl_event *event, cl_int *code), \
        (q, mem, block, flags, at, bytes, n, wait, event, code))

// Functions that retain or release an object; they never fail.
#define COUNT_FUNCTIONS(X) \
    X(clReleaseCommandQueue, cl_command_queue, -1) \
    X(clReleaseContext, cl_context, -1) \
    X(clReleaseEvent, cl_event, -1) \
    X(clReleaseKernel, cl_kernel, -1) \
    X(clReleaseMemObject, cl_mem, -1) \
    X(clReleaseProgram, cl_program, -1) \
    X(clRetainCommandQueue, cl_command_queue, 1) \
    X(clRetainContext, cl_context, 1) \
    X(clRetainEvent, cl_event, 1)

#define X(name, params, args) \
    static cl_int fake_##name params \
    { \
        return fails_now(FAKE_##name) ? fake_cl.code : name args; \
    }
CODE_FUNCTIONS(X)
#undef X

#define X(type, name, params, args) \
    static type fake_##name params \
    { \
        if (fails_now(FAKE_##name)) { \
            *code = fake_cl.code; \
            return NULL; \
        } \
        type object = name args; \
        fake_cl.objects += object != NULL; \
        return object; \
    }
OBJECT_FUNCTIONS(X)
#undef X

#define X(name, type, step) \
    static cl_int fake_##name(type object) \
    { \
        ++fake_cl.calls[FAKE_##name]; \
        fake_cl.objects += step; \
        return name(object); \
    }
COUNT_FUNCTIONS(X)
#undef X

// clang-format on

static cl_context fake_clCreateContext(
    const cl_context_properties *p, cl_uint n, const cl_device_id *devices,
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
    void *user, cl_int *code)
{
    (void)p, (void)n, (void)notify, (void)user;
    *code = fake_cl.code;
    if (fails_now(FAKE_clCreateContext))
        return NULL;
    cl_context context = kept_context(devices[0], code);
    fake_cl.objects += context != NULL;
    return context;
}

// Returns the text with its edit, which the caller frees.
static char *edited(const char *text)
{
    char *copy = strdup(text);
    char *at =
        copy && fake_cl.edit.from ? strstr(copy, fake_cl.edit.from) : NULL;
    if (at)
        memcpy(at, fake_cl.edit.to, strlen(fake_cl.edit.from));
    return copy;
}

static cl_program fake_clCreateProgramWithSource(cl_context c, cl_uint n,
                                                 const char **text,
                                                 const size_t *bytes,
                                                 cl_int *code)
{
    (void)n, (void)bytes;
    *code = fake_cl.code;
    if (fails_now(FAKE_clCreateProgramWithSource))
        return NULL;
    char *source = edited(text[0]);
    cl_program program = kept_source(c, source, code);
    free(source);
    fake_cl.objects += program != NULL;
    return program;
}

static cl_program fake_clCreateProgramWithBinary(cl_context c, cl_uint n,
                                                 const cl_device_id *devices,
                                                 const size_t *bytes,
                                                 const unsigned char **binaries,
                                                 cl_int *status, cl_int *code)
{
    (void)n;
    *code = fake_cl.code;
    if (fails_now(FAKE_clCreateProgramWithBinary))
        return NULL;
    cl_program program =
        kept_binary(c, devices[0], bytes[0], binaries[0], status, code);
    fake_cl.objects += program != NULL;
    return program;
}

static cl_int fake_clEnqueueMarkerWithWaitList(cl_command_queue q, cl_uint n,
                                               const cl_event *wait,
                                               cl_event *event)
{
    if (fails_now(FAKE_clEnqueueMarkerWithWaitList))
        return fake_cl.code;
    const cl_int code = clEnqueueMarkerWithWaitList(q, n, wait, event);
    fake_cl.objects += code == CL_SUCCESS && event;
    return code;
}

static cl_int fake_clEnqueueNDRangeKernel(cl_command_queue q, cl_kernel k,
                                          cl_uint dim, const size_t *at,
                                          const size_t *global,
                                          const size_t *local, cl_uint n,
                                          const cl_event *wait, cl_event *event)
{
    if (fails_now(FAKE_clEnqueueNDRangeKernel))
        return fake_cl.code;
    wait_if_full(q);
    const cl_int code =
        clEnqueueNDRangeKernel(q, k, dim, at, global, local, n, wait, event);
    fake_cl.objects += code == CL_SUCCESS && event;
    return code;
}

// The number of these queries varies between runs. They do not count, so that
// the n-th call of any function is the same call in each run.
static cl_int fake_clGetEventInfo(cl_event e, cl_event_info what, size_t size,
                                  void *value, size_t *bytes)
{
    if (fake_cl.function == FAKE_clGetEventInfo &&
        fails_now(FAKE_clGetEventInfo))
        return fake_cl.code;
    return clGetEventInfo(e, what, size, value, bytes);
}

// Who waits for the event would wait forever.
static cl_int fake_clSetUserEventStatus(cl_event e, cl_int status)
{
    ++fake_cl.calls[FAKE_clSetUserEventStatus];
    return clSetUserEventStatus(e, status);
}

static cl_int fake_clEnqueueUnmapMemObject(cl_command_queue q, cl_mem mem,
                                           void *host, cl_uint n,
                                           const cl_event *wait,
                                           cl_event *event)
{
    ++fake_cl.calls[FAKE_clEnqueueUnmapMemObject];
    --fake_cl.objects;
    return clEnqueueUnmapMemObject(q, mem, host, n, wait, event);
}

// Non-blocking transfers return an event, which is an object.
static cl_int fake_clEnqueueReadBuffer(cl_command_queue q, cl_mem mem,
                                       cl_bool block, size_t at, size_t bytes,
                                       void *host, cl_uint n,
                                       const cl_event *wait, cl_event *event)
{
    if (fails_now(FAKE_clEnqueueReadBuffer))
        return fake_cl.code;
    const cl_int code = clEnqueueReadBuffer(q, mem, block || fake_cl.spoil, at,
                                            bytes, host, n, wait, event);
    fake_cl.objects += code == CL_SUCCESS && event;
    if (fake_cl.spoil)
        memset(host, fake_cl.spoiled, bytes);
    return code;
}

static cl_int fake_clEnqueueWriteBuffer(cl_command_queue q, cl_mem mem,
                                        cl_bool block, size_t at, size_t bytes,
                                        const void *host, cl_uint n,
                                        const cl_event *wait, cl_event *event)
{
    if (fails_now(FAKE_clEnqueueWriteBuffer))
        return fake_cl.code;
    const cl_int code =
        clEnqueueWriteBuffer(q, mem, block, at, bytes, host, n, wait, event);
    fake_cl.objects += code == CL_SUCCESS && event;
    return code;
}

static cl_int fake_clGetPlatformInfo(cl_platform_id p, cl_platform_info what,
                                     size_t size, void *value, size_t *bytes)
{
    static const char name[] = "fake platform";
    if (fails_now(FAKE_clGetPlatformInfo))
        return fake_cl.code;
    if (what != CL_PLATFORM_NAME || fake_cl.real_platform || !value ||
        size < sizeof name)
        return clGetPlatformInfo(p, what, size, value, bytes);
    memcpy(value, name, sizeof name);
    return CL_SUCCESS;
}

static cl_int fake_clGetDeviceInfo(cl_device_id d, cl_device_info what,
                                   size_t size, void *value, size_t *bytes)
{
    if (fails_now(FAKE_clGetDeviceInfo))
        return fake_cl.code;
    if (what == CL_DRIVER_VERSION && fake_cl.driver_version && value) {
        memcpy(value, fake_cl.driver_version,
               strlen(fake_cl.driver_version) + 1);
        return CL_SUCCESS;
    }
    for (int i = 0; i < 2; ++i)
        if (fake_cl.device_info[i].what == what && value &&
            size <= sizeof(cl_ulong)) {
            memcpy(value, &fake_cl.device_info[i].value, size);
            return CL_SUCCESS;
        }
    return clGetDeviceInfo(d, what, size, value, bytes);
}

static void *fake_clGetExtensionFunctionAddressForPlatform(cl_platform_id p,
                                                           const char *name)
{
    return fails_now(FAKE_clGetExtensionFunctionAddressForPlatform)
               ? NULL
               : clGetExtensionFunctionAddressForPlatform(p, name);
}

// Records the compiler's output for a program that it accepted.
static void keep_build_log(cl_program p, cl_device_id d)
{
    char text[sizeof fake_cl.build_log] = "";
    clGetProgramBuildInfo(p, d, CL_PROGRAM_BUILD_LOG, sizeof text, text, NULL);
    text[sizeof text - 1] = '\0';
    if (text[strspn(text, " \n")])
        memcpy(fake_cl.build_log, text, sizeof text);
}

static cl_int fake_clBuildProgram(cl_program p, cl_uint n,
                                  const cl_device_id *devices,
                                  const char *options,
                                  void(CL_CALLBACK *notify)(cl_program, void *),
                                  void *user)
{
    (void)n, (void)notify, (void)user;
    if (fails_now(FAKE_clBuildProgram))
        return fake_cl.code;
    const cl_int code = kept_build(p, devices[0], options);
    if (code == CL_SUCCESS)
        keep_build_log(p, devices[0]);
    return code;
}

const struct lcl_cl_api fake_cl_api = {
#define X(function) .function = fake_##function,
    LCL_CL_FUNCTIONS(X)
#undef X
};
