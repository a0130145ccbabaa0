// SPDX-License-Identifier: BSD-3-Clause
// Reference of Kronecker systems: the matrix itself.
#pragma once

#include <levelcl/kron.h>

// A (x) M + tau B (x) L entry by entry; all places of a row of M or L in each
// stage are stored. K is sound and small. On success the caller owns *out.
// Returns LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_ref_kron_csr(struct lcl_csr *out, const struct lcl_kron *K,
                                 const struct lcl_log *log);
