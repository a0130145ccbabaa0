// SPDX-License-Identifier: BSD-3-Clause
// Ranks that an application handles by itself.
#pragma once

#include <levelcl/ranks.h>

// The communicator, as an argument of lcl_mpi_comm_create().
const void *lcl_ranks_mpi(const lcl_ranks *R);
