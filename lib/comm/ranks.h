// SPDX-License-Identifier: BSD-3-Clause
// Internal functions of ranks as an object of the application.
#pragma once

#include <levelcl/ranks.h>

// The communicator, as lcl_mpi_comm_create() expects it.
const void *lcl_ranks_mpi(const lcl_ranks *R);
