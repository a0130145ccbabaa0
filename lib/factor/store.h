// SPDX-License-Identifier: BSD-3-Clause
// Storage format of the factor values that the apply reads.
#pragma once

#include "lib/factor/factor.h"

// Sets up F->stored if F->storage is not fp64, and the conversion if there is
// F->val. Statuses as lcl_factor_init().
enum lcl_status lcl_store_init(struct lcl_factor *F);

// Enqueues the conversion of F->val, if any; call after each factorisation.
// Adds to the last two of F->counts the number of values out of the range of
// the storage format: not finite, or nonzero but below the normal numbers.
enum lcl_status lcl_store_run(struct lcl_factor *F);

// The buffer that the apply reads: F->val or F->stored.
lcl_buffer *lcl_store_values(const struct lcl_factor *F);
