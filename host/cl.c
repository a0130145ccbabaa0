// SPDX-License-Identifier: BSD-3-Clause
// The table of OpenCL functions, error names, and error logging.
#include "host/cl.h"

#include "host/log.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { NVIDIA_ILLEGAL_ACCESS = -9999 };

const struct lcl_cl_api lcl_cl_loader = {
#define X(function) .function = function,
    LCL_CL_FUNCTIONS(X)
#undef X
};

// clang-format off
#define CODE(name) {name, #name}
static const struct {
    cl_int code;
    const char *name;
} codes[] = {
    CODE(CL_DEVICE_NOT_FOUND), CODE(CL_DEVICE_NOT_AVAILABLE),
    CODE(CL_COMPILER_NOT_AVAILABLE), CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    CODE(CL_OUT_OF_RESOURCES), CODE(CL_OUT_OF_HOST_MEMORY),
    CODE(CL_PROFILING_INFO_NOT_AVAILABLE), CODE(CL_MEM_COPY_OVERLAP),
    CODE(CL_BUILD_PROGRAM_FAILURE), CODE(CL_MAP_FAILURE),
    CODE(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
    CODE(CL_INVALID_VALUE), CODE(CL_INVALID_DEVICE_TYPE),
    CODE(CL_INVALID_PLATFORM), CODE(CL_INVALID_DEVICE),
    CODE(CL_INVALID_CONTEXT), CODE(CL_INVALID_QUEUE_PROPERTIES),
    CODE(CL_INVALID_COMMAND_QUEUE), CODE(CL_INVALID_HOST_PTR),
    CODE(CL_INVALID_MEM_OBJECT), CODE(CL_INVALID_BINARY),
    CODE(CL_INVALID_BUILD_OPTIONS), CODE(CL_INVALID_PROGRAM),
    CODE(CL_INVALID_PROGRAM_EXECUTABLE), CODE(CL_INVALID_KERNEL_NAME),
    CODE(CL_INVALID_KERNEL_DEFINITION), CODE(CL_INVALID_KERNEL),
    CODE(CL_INVALID_ARG_INDEX), CODE(CL_INVALID_ARG_VALUE),
    CODE(CL_INVALID_ARG_SIZE), CODE(CL_INVALID_KERNEL_ARGS),
    CODE(CL_INVALID_WORK_DIMENSION), CODE(CL_INVALID_WORK_GROUP_SIZE),
    CODE(CL_INVALID_WORK_ITEM_SIZE), CODE(CL_INVALID_GLOBAL_OFFSET),
    CODE(CL_INVALID_EVENT_WAIT_LIST), CODE(CL_INVALID_EVENT),
    CODE(CL_INVALID_OPERATION), CODE(CL_INVALID_BUFFER_SIZE),
    CODE(CL_INVALID_GLOBAL_WORK_SIZE), CODE(CL_INVALID_PROPERTY),
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
    {NVIDIA_ILLEGAL_ACCESS, "NVIDIA: illegal memory access"},
};
// clang-format on

const char *lcl_cl_error_name(cl_int code)
{
    for (size_t i = 0; i < sizeof codes / sizeof *codes; ++i)
        if (codes[i].code == code)
            return codes[i].name;
    return "CL error";
}

static enum lcl_status status_of(cl_int code)
{
    switch (code) {
    case CL_SUCCESS:
        return LCL_OK;
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
        return LCL_EDEVMEM;
    case CL_OUT_OF_HOST_MEMORY:
        return LCL_ENOMEM;
    default:
        return LCL_EDEVICE;
    }
}

void lcl_cl_launched(struct lcl_cl *cl, const char *kernel)
{
    for (int i = 0; i < cl->launched_count; ++i)
        if (cl->launched[i] == kernel)
            return;
    if (cl->launched_count == LCL_CL_LAUNCHED)
        memmove(cl->launched, cl->launched + 1,
                --cl->launched_count * sizeof *cl->launched);
    cl->launched[cl->launched_count++] = kernel;
}

void lcl_cl_checked(struct lcl_cl *cl)
{
    cl->launched_count = 0;
}

// Whether drivers may return `code` from any call after a kernel fault.
static bool is_asynchronous(cl_int code)
{
    return code == NVIDIA_ILLEGAL_ACCESS || code == CL_OUT_OF_RESOURCES ||
           code == CL_INVALID_COMMAND_QUEUE ||
           code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
}

static enum lcl_status fail_launched(const struct lcl_cl *cl, cl_int code,
                                     const char *call, const char *place)
{
    char names[LCL_CL_LAUNCHED * 50] = "";
    size_t at = 0;
    for (int i = 0; i < cl->launched_count && at < sizeof names; ++i)
        at += (size_t)snprintf(names + at, sizeof names - at, "%s%s",
                               i ? ", " : "", cl->launched[i]);
    return lcl_fail(&cl->log, status_of(code),
                    "the device failed: %s (%d) from %s at %s; kernels "
                    "enqueued since the last check: %s",
                    lcl_cl_error_name(code), code, call, place, names);
}

enum lcl_status lcl_cl_status(const struct lcl_cl *cl, cl_int code,
                              const char *call, const char *place)
{
    lcl_trace(&cl->log, "%s = %d", call, code);
    if (code == CL_SUCCESS)
        return LCL_OK;
    if (cl->launched_count > 0 && is_asynchronous(code))
        return fail_launched(cl, code, call, place);
    return lcl_fail(&cl->log, status_of(code), "%s (%d) from %s at %s",
                    lcl_cl_error_name(code), code, call, place);
}
