// SPDX-License-Identifier: BSD-3-Clause
// A level of a V-cycle smoothed by incomplete factors
// (cl/multilevel/relaxation.cl).
#pragma once

#include "lib/operator/operator.h"

struct lcl_relaxation {
    lcl_operator *M; // y = M^-1 x for the unscaled matrix; NULL: no factors
    int64_t n;
    lcl_buffer *in, *out; // n fp64, in the numbering of M
    lcl_buffer *damping;  // 1 fp64; NULL: 1
    lcl_kernel *enter, *leave;
    int groups;
    double traffic; // bytes of an application of M without its vectors
};

// M must outlive *R. All functions return LCL_OK, LCL_EBUILD, LCL_EDEVMEM,
// LCL_EDEVICE, LCL_ENOMEM or a status of M; *R is fit for
// lcl_relaxation_finish() in any case.
enum lcl_status lcl_relaxation_init(struct lcl_relaxation *R, lcl_operator *M,
                                    double traffic);
void lcl_relaxation_finish(struct lcl_relaxation *R);

// Enqueues x = d M^-1 b or, with `add`, x += d M^-1 b, for vectors scaled by t;
// d is the damping.
enum lcl_status lcl_relax(const struct lcl_relaxation *R, const lcl_buffer *t,
                          const lcl_buffer *b, bool add, lcl_buffer *x,
                          const struct lcl_operands *v);
int lcl_relaxation_launches(const struct lcl_relaxation *R);

// Bytes that it moves at least.
double lcl_relaxation_traffic(const struct lcl_relaxation *R);

uint64_t lcl_relaxation_bytes(const struct lcl_relaxation *R);
