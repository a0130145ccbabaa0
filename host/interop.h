// SPDX-License-Identifier: BSD-3-Clause
// Contexts and buffers that wrap the caller's OpenCL objects.
#pragma once

#include "host/cl.h"

#include <levelcl/context.h>

typedef struct lcl_buffer lcl_buffer;

// As lcl_runtime_create(), on the caller's objects, which it retains.
enum lcl_status lcl_runtime_create_cl(lcl_context **out, cl_context context,
                                      cl_device_id device,
                                      cl_command_queue queue,
                                      const struct lcl_context_params *params,
                                      const struct lcl_cl_api *api);

// How kernels access a buffer, as bits.
enum lcl_access { LCL_ACCESS_READ = 1, LCL_ACCESS_WRITE = 2 };

// Wraps the caller's buffer, which must outlive *out. `what` names it in
// messages. Returns LCL_OK; LCL_EINVAL if it is an image, belongs to another
// OpenCL context or its flags forbid an access in `access`; LCL_EDEVICE or
// LCL_ENOMEM.
enum lcl_status lcl_buffer_wrap(lcl_buffer **out, lcl_context *ctx, cl_mem mem,
                                int access, const char *what);

// The queue of a context, borrowed.
cl_command_queue lcl_context_queue(const lcl_context *ctx);

// The OpenCL object of a buffer, borrowed; NULL for NULL.
cl_mem lcl_buffer_mem(const lcl_buffer *buffer);
