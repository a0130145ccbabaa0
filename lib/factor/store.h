// SPDX-License-Identifier: BSD-3-Clause
// The form in which the values of a factor are stored for its application.
#pragma once

#include "lib/factor/factor.h"

// Sets up F->stored where F->storage is not fp64, and its conversion where
// there is F->val. Statuses as lcl_factor_init().
enum lcl_status lcl_store_init(struct lcl_factor *F);

// Enqueues the conversion of F->val, if there is one, after each factorisation;
// the last two of F->counts are raised by the values that lose their meaning:
// not finite, or not 0 and below the normal numbers, in the form in which they
// are stored.
enum lcl_status lcl_store_run(struct lcl_factor *F);

// What the apply reads: F->val itself, or F->stored.
lcl_buffer *lcl_store_values(const struct lcl_factor *F);
