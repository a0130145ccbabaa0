// SPDX-License-Identifier: BSD-3-Clause
// What the packed applies for scalar and block factors share.
#pragma once

#include "lib/trisolve/trisolve.h"

struct lcl_packed {
    const lcl_buffer *table; // of stages; `planes` at width 1, steps for blocks
    lcl_buffer *planes;      // of rows: packed_serial.cl; or NULL
    lcl_kernel *kernel, *adding; // the latter only after prolong()
    bool ring;
    const lcl_buffer *aggregate; // of each subdomain; NULL before prolong()
};

enum lcl_status lcl_packed_launch(const struct lcl_packed *K,
                                  lcl_kernel *kernel,
                                  const struct lcl_factor *F,
                                  const struct lcl_operands *v);

// Functions of the table.
enum lcl_status lcl_packed_apply(const struct lcl_trisolve_method *T,
                                 const struct lcl_operands *v);
enum lcl_status lcl_packed_apply_add(const struct lcl_trisolve_method *T,
                                     const struct lcl_operands *v);
void lcl_packed_destroy(struct lcl_trisolve_method *T);

// Gets the kernel that adds P w: that of `spec`, the kernel without P.
enum lcl_status lcl_packed_prolong(struct lcl_packed *K, lcl_context *ctx,
                                   struct lcl_spec spec,
                                   const lcl_buffer *aggregate);
