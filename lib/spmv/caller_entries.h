// SPDX-License-Identifier: BSD-3-Clause
// Downloads the entries from which an operator was made.
#pragma once

#include "lib/operator/operator.h"
#include "lib/storage/values.h"

// *out = the pattern, in the caller's numbering, of the single entries from
// which A was made, a square matrix; `values` are its values. The caller frees
// *out. Returns LCL_OK, LCL_ENOMEM or LCL_EDEVICE.
enum lcl_status lcl_caller_entries(struct lcl_csr *out, const lcl_operator *A,
                                   const struct lcl_values *values);
