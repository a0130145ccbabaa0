// SPDX-License-Identifier: BSD-3-Clause
// Derives the other products from y = A x, for types whose kernels compute no
// sums.
#pragma once

#include "lib/operator/spmv.h"

// Gets the kernel, which lives as long as the context.
enum lcl_status lcl_product_sums_kernel(lcl_kernel **out, lcl_context *ctx);

// Enqueues the rest of the product after v->y = A x; nothing for a plain
// product.
enum lcl_status lcl_product_sums(lcl_kernel *kernel, const struct lcl_spmv *S,
                                 enum lcl_product product,
                                 const struct lcl_operands *v);
