// SPDX-License-Identifier: BSD-3-Clause
// Estimates of largest eigenvalues by power iterations
// (cl/multilevel/power.cl).
#pragma once

#include "host/buffer.h"
#include "host/program.h"
#include "lib/vector/space.h"

struct lcl_power {
    lcl_kernel *start, *growth, *lambda, *damping;
    lcl_buffer *sums;
    int groups;
};

// All functions return LCL_OK, LCL_EBUILD, LCL_EDEVMEM, LCL_EDEVICE or
// LCL_ENOMEM; *P is fit for lcl_power_finish() in any case.
enum lcl_status lcl_power_init(struct lcl_power *P, lcl_context *ctx);
void lcl_power_finish(struct lcl_power *P);

// Enqueues y = B x for vectors in fp32; x may receive ghosts behind its n
// elements.
typedef enum lcl_status lcl_power_fn(const void *user, lcl_buffer *x,
                                     lcl_buffer *y);

// Enqueues power iterations from a pseudo-random vector and the growth in the
// last one; overwrites the vectors x and y of n elements. Collective if V has
// ranks; NULL: one device.
enum lcl_status lcl_power_run(const struct lcl_power *P,
                              const struct lcl_space *V, int64_t n,
                              lcl_buffer *x, lcl_buffer *y,
                              lcl_power_fn *multiply, const void *user);

// Then: raises lambda (1 fp64) to 1.1 times the growth; sets d (1 fp64) to 1.5
// / (1.05 times the growth), at most 1.
enum lcl_status lcl_power_lambda(const struct lcl_power *P,
                                 const lcl_buffer *lambda);
enum lcl_status lcl_power_damping(const struct lcl_power *P,
                                  const lcl_buffer *d);
