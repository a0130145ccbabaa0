// SPDX-License-Identifier: BSD-3-Clause
// The other products from y = A x, for kinds whose kernels give no sums.
#pragma once

#include "lib/operator/spmv.h"

// Its kernel; lives as long as the context.
enum lcl_status lcl_product_sums_kernel(lcl_kernel **out, lcl_context *ctx);

// Enqueues what is left of the product once v->y is A x: nothing of a plain
// one.
enum lcl_status lcl_product_sums(lcl_kernel *kernel, const struct lcl_spmv *S,
                                 enum lcl_product product,
                                 const struct lcl_operands *v);
