// SPDX-License-Identifier: BSD-3-Clause
// OpenCL programs that outlive the contexts of a test. Tests that repeat a job
// until each call or allocation has failed would spend most of their time in
// the driver's compiler.
#pragma once

#include "host/cl.h"

// From now on until the process ends, contexts of a device are one, whose
// programs are built once. Without this call the functions below are those of
// OpenCL.
void kept_programs_start(void);

cl_context kept_context(cl_device_id device, cl_int *code);
cl_program kept_source(cl_context context, const char *text, cl_int *code);
cl_program kept_binary(cl_context context, cl_device_id device, size_t bytes,
                       const unsigned char *binary, cl_int *status,
                       cl_int *code);
cl_int kept_build(cl_program program, cl_device_id device, const char *options);
