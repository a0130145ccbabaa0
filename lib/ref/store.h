// SPDX-License-Identifier: BSD-3-Clause
// Reference of the stored forms of factor values.
#pragma once

#include "lib/factor/layout.h"

#include <levelcl/precond.h>

#include <stdbool.h>

// The number that is stored for `a`.
double lcl_ref_rounded(double a, enum lcl_factor_storage storage);

// Whether a number loses its meaning as it is stored: it is not finite then, or
// it is not 0 and below the normal numbers.
bool lcl_ref_loses(double a, enum lcl_factor_storage storage);

// The slots of a layout of blocks in fp32, as many floats as `val` has numbers;
// in bf16, LCL_BF16_WORDS(block * block) words a slot. What belongs to no plane
// is not touched.
void lcl_ref_store_fp32(float *stored, const struct lcl_layout *L, int block,
                        const double *val);
void lcl_ref_store_bf16(uint32_t *stored, const struct lcl_layout *L, int block,
                        const double *val);
