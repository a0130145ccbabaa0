// SPDX-License-Identifier: BSD-3-Clause
// One rank's part of a distributed Kronecker operator, like
// lib/distributed/distributed.h: A->part is the Kronecker operator of the
// rank's rows and columns.
#pragma once

#include "lib/operator/operator.h"
#include "lib/storage/halo.h"

#include <levelcl/kron.h>

// Checks that a product can be distributed as the params request; they are the
// same on all ranks. Returns LCL_OK or LCL_EUNSUPPORTED.
enum lcl_status lcl_kron_check_ranks(const struct lcl_operator_params *params,
                                     const struct lcl_log *log);

// Collective; K has the rows of the calling rank and need live only until the
// call returns; `comm` must outlive the operator. Returns as
// lcl_operator_create_kron() and lcl_halo_plan_init(); an error is the same on
// all ranks, and *out is then NULL.
enum lcl_status lcl_kron_distributed_create(
    lcl_operator **out, lcl_context *ctx, struct lcl_comm *comm,
    const struct lcl_kron_rows *K, const struct lcl_operator_params *params);

// The halo of such an operator, in block rows; the operator owns it.
const struct lcl_halo *lcl_kron_distributed_halo(const lcl_operator *A);

// lcl_operator_update_kron_rows()
enum lcl_status lcl_kron_distributed_update(lcl_operator *A,
                                            const struct lcl_kron_rows *K);
