// SPDX-License-Identifier: BSD-3-Clause
// One rank's part of an operator whose rows are distributed among ranks: an
// operator with ranks in its space. Preconditioners are made from A->part, the
// operator of the rank's rows and columns.
#pragma once

#include "lib/operator/operator.h"
#include "lib/storage/halo.h"

// Collective; A has the rows of the calling rank and need live only until the
// call returns; `comm` must outlive the operator. Returns as
// lcl_operator_create() and lcl_halo_plan_init(); an error is the same on all
// ranks, and *out is then NULL.
enum lcl_status lcl_distributed_create(
    lcl_operator **out, lcl_context *ctx, struct lcl_comm *comm,
    const struct lcl_view *A, const struct lcl_operator_params *params);

// Whether the params, which may be NULL, request the same bits for any number
// of devices.
bool lcl_is_reproducible(const struct lcl_operator_params *params);

// The halo of a distributed operator, which owns it.
const struct lcl_halo *lcl_distributed_halo(const lcl_operator *A);
