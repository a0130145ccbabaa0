// SPDX-License-Identifier: BSD-3-Clause
// One kernel of a program: created by host/program.c, launched through
// host/launch.h.
#pragma once

#include "host/cl.h"
#include "host/spec.h"

struct lcl_arg;
typedef struct lcl_kernel lcl_kernel;

struct lcl_kernel {
    lcl_context *ctx;
    cl_kernel kernel;
    int group;
    bool compiled[2]; // for small grids and for large ones
    char name[48];
};

enum lcl_status lcl_kernel_make(struct lcl_kernel **out, lcl_context *ctx,
                                cl_program program,
                                const struct lcl_spec *spec);
// Reports the start of a compilation to the caller. A driver with its own cache
// may not compile at all.
void lcl_announce_compilation(lcl_context *ctx);
void lcl_kernel_free(lcl_context *ctx, struct lcl_kernel *kernel);
// lcl_launch() on a queue of the context.
enum lcl_status lcl_kernel_enqueue(cl_command_queue queue, lcl_kernel *kernel,
                                   int64_t groups, const struct lcl_arg *args,
                                   int count);
const char *lcl_kernel_name(const struct lcl_kernel *kernel);
