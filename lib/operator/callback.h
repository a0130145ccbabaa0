// SPDX-License-Identifier: BSD-3-Clause
// Operators whose application is a function of the caller.
#pragma once

#include "lib/operator/operator.h"

#include <levelcl/opencl.h>

// One of `host` and `device` is NULL.
struct lcl_callback {
    lcl_apply_fn *host;
    lcl_apply_cl_fn *device;
    void *user;
};

extern const struct lcl_operator_ops lcl_callback_ops;

// Whether the solve that requests an application has stopped; the host waits
// for the device to find out. Returns LCL_OK or LCL_EDEVICE.
enum lcl_status lcl_operands_stopped(const struct lcl_operands *v,
                                     bool *stopped);

// Sets the state of A, whose ops are lcl_callback_ops. Returns LCL_OK or
// LCL_ENOMEM.
enum lcl_status lcl_callback_init(lcl_operator *A,
                                  const struct lcl_callback *callback);
