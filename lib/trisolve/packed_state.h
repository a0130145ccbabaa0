// SPDX-License-Identifier: BSD-3-Clause
// Shared by the packed applies for scalar and block factors.
#pragma once

#include "lib/trisolve/trisolve.h"

struct lcl_packed {
    const lcl_buffer *table; // of stages; `planes` at width 1, steps for blocks
    lcl_buffer *planes;      // of rows: packed_serial.cl; or NULL
    lcl_kernel *kernel, *adding; // the latter only after prolong()
    bool ring;
    const lcl_buffer *aggregate; // of each subdomain; NULL before prolong()
};

// `aggregate` is NULL unless w is added.
enum lcl_status lcl_packed_launch(const struct lcl_packed *K,
                                  lcl_kernel *kernel,
                                  const struct lcl_factor *F,
                                  const struct lcl_operands *v,
                                  const lcl_buffer *aggregate);

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

// Rows per subdomain, for n rows and one subdomain per compute unit of a CPU,
// of which a rank is often bound to one. More and smaller subdomains drop more
// couplings and are not faster.
static inline int64_t lcl_packed_rows_of_unit(const struct lcl_caps *caps,
                                              int64_t n)
{
    enum { ROOM = 25 }; // one 25th more: partitioners do not balance exactly
    const bool bound =
        caps->processors > 0 && caps->processors < caps->compute_units;
    const int units = bound ? caps->processors : caps->compute_units;
    const int64_t rows = n / units + 1;
    return rows + rows / ROOM;
}
