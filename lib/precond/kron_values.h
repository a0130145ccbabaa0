// SPDX-License-Identifier: BSD-3-Clause
// Values of M and L of a Kronecker operator on the device, for its
// preconditioners.
#pragma once

#include "host/program.h"
#include "lib/kron/kron.h"

struct lcl_kron_values {
    const struct lcl_kron_operator *K;
    lcl_kernel *stages, *pairs;
    int groups;
    int64_t blocks;
    lcl_buffer *of_m, *of_l; // blocks of M and L, uint32; NULL: all in order
};

#define LCL_NO_BLOCK UINT32_MAX

// Prepares values of `blocks` blocks: number k is block of_m[k] of M and
// of_l[k] of L, LCL_NO_BLOCK if a matrix lacks it (if K pairs them, of_m is
// that in the union). NULL arrays: all blocks in order. Returns LCL_OK,
// LCL_EBUILD, LCL_EDEVMEM, LCL_EDEVICE or LCL_ENOMEM; *V is fit for
// lcl_kron_values_finish() in any case.
enum lcl_status lcl_kron_values_init(struct lcl_kron_values *V,
                                     lcl_context *ctx,
                                     const struct lcl_kron_operator *K,
                                     int64_t blocks, const uint32_t *of_m,
                                     const uint32_t *of_l);
void lcl_kron_values_finish(struct lcl_kron_values *V);

// Enqueues val = a_jj M + tau b_jj L for each stage,
// cl/kron/kron_values.cl.
enum lcl_status lcl_kron_stage_values(const struct lcl_kron_values *V,
                                      lcl_buffer *val);

// Enqueues pairs = the entries of M and L side by side.
enum lcl_status lcl_kron_pair_values(const struct lcl_kron_values *V,
                                     lcl_buffer *pairs);
