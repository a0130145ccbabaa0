// SPDX-License-Identifier: BSD-3-Clause
// The pressure among the unknowns of a cell, for CPR.
#pragma once

#include "lib/operator/operator.h"

// For blocks of up to so many rows.
enum { LCL_PRESSURE_BLOCK = 4 };

// Sets *pressure to the number of the unknown that is a pressure, or to -1: of
// B_i^-1 A_ij, for the diagonal block B_i of cell i, only the diagonal entries
// of this unknown add up to about 1 over j, with the sign of an elliptic
// operator, and those of all others to less. Looks at a sample of the cells of
// A, a matrix of blocks on one device. Returns LCL_OK, LCL_ENOMEM or
// LCL_EDEVICE.
enum lcl_status lcl_pressure_find(int *pressure, const lcl_operator *A);

// The same for a matrix in host memory.
enum lcl_status lcl_pressure_find_host(int *pressure, const struct lcl_csr *A,
                                       int block, const struct lcl_log *log);
