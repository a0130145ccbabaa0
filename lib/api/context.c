// SPDX-License-Identifier: BSD-3-Clause
// Public creation of contexts: creates one and runs the self-test of a new
// device.
#include "host/interop.h"
#include "host/runtime.h"

#include <levelcl/opencl.h>

static enum lcl_status prove(lcl_context **ctx,
                             const struct lcl_context_params *params)
{
    if ((params && params->no_self_test) || lcl_context_proven(*ctx))
        return LCL_OK;
    const enum lcl_status st = lcl_self_test(*ctx);
    if (st < 0)
        lcl_context_destroy(ctx);
    else
        lcl_context_note_proven(*ctx);
    return st;
}

enum lcl_status lcl_context_create(lcl_context **out,
                                   const struct lcl_context_params *params)
{
    const enum lcl_status st = lcl_runtime_create(out, params, &lcl_cl_loader);
    return st < 0 ? st : prove(out, params);
}

enum lcl_status lcl_context_create_cl(lcl_context **out, cl_context context,
                                      cl_device_id device,
                                      cl_command_queue queue,
                                      const struct lcl_context_params *params)
{
    const enum lcl_status st = lcl_runtime_create_cl(
        out, context, device, queue, params, &lcl_cl_loader);
    return st < 0 ? st : prove(out, params);
}
