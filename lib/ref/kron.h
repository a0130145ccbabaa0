// SPDX-License-Identifier: BSD-3-Clause
// Reference of Kronecker systems: the explicit matrix.
#pragma once

#include <levelcl/kron.h>

// Builds A (x) M + tau B (x) L entry by entry, with the entries of M and L
// stored for every pair of stages. K is valid and small. On success the caller
// owns *out. Returns LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_ref_kron_csr(struct lcl_csr *out, const struct lcl_kron *K,
                                 const struct lcl_log *log);
