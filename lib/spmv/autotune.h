// SPDX-License-Identifier: BSD-3-Clause
// Autotunes the product: measures once per device and class of patterns which
// type is fastest, and caches the result.
#pragma once

#include "lib/spmv/spmv.h"

// Enqueues y = A x with variant number `which`.
typedef enum lcl_status lcl_form(void *arg, int which,
                                 const struct lcl_operands *v);

// Whether A is too small to be worth measuring.
bool lcl_spmv_is_small(const struct lcl_device_matrix *A);

// Sets *best to the fastest of the variants 0 .. count - 1 of y = A x. `what`
// names the variants and the properties, besides the size of A, that determine
// their speed. Returns LCL_OK, LCL_EDEVMEM, LCL_EDEVICE, LCL_ENOMEM or the
// status of a variant.
enum lcl_status lcl_spmv_measure(int *best, lcl_context *ctx,
                                 const struct lcl_device_matrix *A,
                                 const char *what, int count, lcl_form *form,
                                 void *arg);
// Whether the fastest variant is cached; if so, sets *best.
bool lcl_spmv_recall(int *best, lcl_context *ctx,
                     const struct lcl_device_matrix *A, const char *what,
                     int count);

// lcl_spmv_init() with the fastest type; LCL_SPMV_CSR if A is small or if there
// is too little memory for another type.
enum lcl_status lcl_spmv_autotune(struct lcl_spmv *S, lcl_context *ctx,
                                  const struct lcl_device_matrix *A);

// Creates the product of a given type with the current values of A;
// LCL_SPMV_DEFAULT means lcl_spmv_autotune(). Returns LCL_OK, LCL_EUNSUPPORTED
// (the type with these blocks or on this device), LCL_EDEVMEM, LCL_EDEVICE,
// LCL_EBUILD or LCL_ENOMEM; *S is fit for lcl_spmv_finish() in any case.
enum lcl_status lcl_spmv_init(struct lcl_spmv *S, enum lcl_spmv_type type,
                              lcl_context *ctx,
                              const struct lcl_device_matrix *A);
