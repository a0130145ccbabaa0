// SPDX-License-Identifier: BSD-3-Clause
// One rank's part of an operator whose rows are distributed among ranks. It is
// an operator like any other; its space has ranks. Preconditioners are made
// from A->part, the operator of the rank's rows and columns.
#pragma once

#include "lib/operator/operator.h"
#include "lib/storage/halo.h"

// Collective; A has the rows of the calling rank and need live only until the
// call returns, `comm` must outlive the operator. Returns as
// lcl_operator_create() and lcl_halo_plan_init(), the same on all ranks where
// it is an error; on error *out is NULL.
enum lcl_status lcl_distributed_create(
    lcl_operator **out, lcl_context *ctx, struct lcl_comm *comm,
    const struct lcl_view *A, const struct lcl_operator_params *params);

// Whether the params, which may be NULL, ask for the same bits on any number of
// devices.
bool lcl_is_reproducible(const struct lcl_operator_params *params);

// The halo of a distributed operator. It is the rank's own.
const struct lcl_halo *lcl_distributed_halo(const lcl_operator *A);
