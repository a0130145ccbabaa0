// SPDX-License-Identifier: BSD-3-Clause
// References of the sparse product and the transpose.
#pragma once

#include <levelcl/matrix.h>

// C = A B: columns ascend, sums run over ascending k. Returns LCL_OK or
// LCL_ENOMEM; *C is then all zero.
enum lcl_status lcl_ref_spgemm(struct lcl_csr *C, const struct lcl_csr *A,
                               const struct lcl_csr *B);

// T = A^T. Returns LCL_OK or LCL_ENOMEM; *T is then all zero.
enum lcl_status lcl_ref_transpose(struct lcl_csr *T, const struct lcl_csr *A);
