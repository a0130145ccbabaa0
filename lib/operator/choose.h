// SPDX-License-Identifier: BSD-3-Clause
// Which product is fastest for a matrix: measured once for a device and a class
// of patterns, then remembered.
#pragma once

#include "lib/operator/spmv.h"

// Enqueues y = A x in form number `which`.
typedef enum lcl_status lcl_form(void *arg, int which,
                                 const struct lcl_operands *v);

// Whether A is so small that nothing needs measuring.
bool lcl_spmv_is_small(const struct lcl_device_matrix *A);

// Sets *best to the fastest of the forms 0 .. count - 1 of y = A x. `what`
// names them, and what their speed hangs on beyond the size of A. Returns
// LCL_OK, LCL_EDEVMEM, LCL_EDEVICE, LCL_ENOMEM or what a form returns.
enum lcl_status lcl_spmv_measure(int *best, lcl_context *ctx,
                                 const struct lcl_device_matrix *A,
                                 const char *what, int count, lcl_form *form,
                                 void *arg);
// Whether that is known; then *best is set.
bool lcl_spmv_recall(int *best, lcl_context *ctx,
                     const struct lcl_device_matrix *A, const char *what,
                     int count);

// Remembers `type` as the fastest for matrices like A, whatever it is. Returns
// LCL_OK or LCL_EUNSUPPORTED (the type is none to choose for A).
enum lcl_status lcl_spmv_prefer(enum lcl_spmv_type type, lcl_context *ctx,
                                const struct lcl_device_matrix *A);

// lcl_spmv_init() with the fastest type; LCL_SPMV_CSR where A is small, and
// where memory is short for another.
enum lcl_status lcl_spmv_choose(struct lcl_spmv *S, lcl_context *ctx,
                                const struct lcl_device_matrix *A);

// The product of a type, with the values that A has now; LCL_SPMV_DEFAULT is
// lcl_spmv_choose(). Returns LCL_OK,
// LCL_EUNSUPPORTED (the type with these blocks or on this device), LCL_EDEVMEM,
// LCL_EDEVICE, LCL_EBUILD or LCL_ENOMEM; *S is fit for lcl_spmv_finish() in any
// case.
enum lcl_status lcl_spmv_init(struct lcl_spmv *S, enum lcl_spmv_type type,
                              lcl_context *ctx,
                              const struct lcl_device_matrix *A);
