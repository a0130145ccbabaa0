// SPDX-License-Identifier: BSD-3-Clause
// Replaceable table of the OpenCL functions in use, and the two macros through
// which every call goes.
#pragma once

#include <levelcl/log.h>
#include <levelcl/status.h>

#include <CL/cl.h>

#define LCL_CL_FUNCTIONS(X)                                                    \
 X(clBuildProgram)                                                             \
 X(clCreateBuffer)                                                             \
 X(clCreateCommandQueue)                                                       \
 X(clCreateContext)                                                            \
 X(clCreateKernel)                                                             \
 X(clCreateProgramWithBinary)                                                  \
 X(clCreateProgramWithSource)                                                  \
 X(clCreateSubBuffer)                                                          \
 X(clCreateUserEvent)                                                          \
 X(clEnqueueBarrierWithWaitList)                                               \
 X(clEnqueueCopyBuffer)                                                        \
 X(clEnqueueFillBuffer)                                                        \
 X(clEnqueueMapBuffer)                                                         \
 X(clEnqueueMarkerWithWaitList)                                                \
 X(clEnqueueNDRangeKernel)                                                     \
 X(clEnqueueReadBuffer)                                                        \
 X(clEnqueueUnmapMemObject)                                                    \
 X(clEnqueueWriteBuffer)                                                       \
 X(clFinish)                                                                   \
 X(clFlush)                                                                    \
 X(clGetCommandQueueInfo)                                                      \
 X(clGetDeviceIDs)                                                             \
 X(clGetDeviceInfo)                                                            \
 X(clGetEventInfo)                                                             \
 X(clGetEventProfilingInfo)                                                    \
 X(clGetExtensionFunctionAddressForPlatform)                                   \
 X(clGetKernelWorkGroupInfo)                                                   \
 X(clGetMemObjectInfo)                                                         \
 X(clGetPlatformIDs)                                                           \
 X(clGetPlatformInfo)                                                          \
 X(clGetProgramBuildInfo)                                                      \
 X(clGetProgramInfo)                                                           \
 X(clReleaseCommandQueue)                                                      \
 X(clReleaseContext)                                                           \
 X(clReleaseEvent)                                                             \
 X(clReleaseKernel)                                                            \
 X(clReleaseMemObject)                                                         \
 X(clReleaseProgram)                                                           \
 X(clRetainCommandQueue)                                                       \
 X(clRetainContext)                                                            \
 X(clRetainEvent)                                                              \
 X(clSetKernelArg)                                                             \
 X(clSetUserEventStatus)                                                       \
 X(clWaitForEvents)

struct lcl_cl_api {
#define X(function) __typeof__(&function) function;
    LCL_CL_FUNCTIONS(X)
#undef X
};

// The functions of the ICD loader.
extern const struct lcl_cl_api lcl_cl_loader;

enum { LCL_CL_LAUNCHED = 16 };

// State that each call needs besides its arguments, and the kernels enqueued
// since the queue was last found free of errors: later calls report their
// faults.
struct lcl_cl {
    const struct lcl_cl_api *api;
    struct lcl_log log;
    const char *launched[LCL_CL_LAUNCHED]; // the most recent kernels, without
                                           // repeats
    int launched_count;
};

// lcl_cl_launched() adds a kernel; the name must stay valid. lcl_cl_checked()
// clears the list once the kernels have finished.
void lcl_cl_launched(struct lcl_cl *cl, const char *kernel);
void lcl_cl_checked(struct lcl_cl *cl);

// Traces the call; on an error logs the call text, the name of the code and the
// place, and the launched kernels if one of them may have caused it.
enum lcl_status lcl_cl_status(const struct lcl_cl *cl, cl_int code,
                              const char *call, const char *place);

// "CL_OUT_OF_RESOURCES" for -5; "CL error" for codes without a name.
const char *lcl_cl_error_name(cl_int code);

#define LCL_CL_STRING(x) #x
#define LCL_CL_LINE(x)   LCL_CL_STRING(x)
#define LCL_CL_PLACE     __FILE__ ":" LCL_CL_LINE(__LINE__)

// A call that returns its code: st = LCL_CL(cl, clFinish(queue)).
#define LCL_CL(cl, call)                                                       \
 lcl_cl_status((cl), (cl)->api->call, #call, LCL_CL_PLACE)

// A call that returns an object and stores its code in the local `cl_int code`:
// st = LCL_CL_MAKE(cl, queue, clCreateCommandQueue(..., &code)).
#define LCL_CL_MAKE(cl, object, call)                                          \
 ((object) = (cl)->api->call, lcl_cl_status((cl), code, #call, LCL_CL_PLACE))
