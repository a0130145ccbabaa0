// SPDX-License-Identifier: BSD-3-Clause
// Reference of the storage formats of factor values.
#pragma once

#include "lib/factor/schedule.h"

#include <levelcl/precond.h>

#include <stdbool.h>

// The number stored for `a`.
double lcl_ref_rounded(double a, enum lcl_factor_storage storage);

// Whether a number loses its meaning when stored: the stored number is not
// finite, or is below the normal numbers although `a` is not 0.
bool lcl_ref_loses(double a, enum lcl_factor_storage storage);

// Converts the slots of a schedule of blocks: to fp32, as many floats as `val`
// has numbers; to bf16, LCL_BF16_WORDS(block * block) words per slot. Slots
// outside all planes are not written.
void lcl_ref_store_fp32(float *stored, const struct lcl_host_schedule *L,
                        int block, const double *val);
void lcl_ref_store_bf16(uint32_t *stored, const struct lcl_host_schedule *L,
                        int block, const double *val);
