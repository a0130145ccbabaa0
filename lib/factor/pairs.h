// SPDX-License-Identifier: BSD-3-Clause
// Patterns without triangles, whose factorisation changes diagonals alone.
#pragma once

#include "host/program.h"
#include "lib/factor/layout.h"

// Entries of a row of L or of U that are a short row's at most.
enum { LCL_PAIRS_PLANES = 8 };

// Makes D->pair where rows are short and no subdomain has a triangle; else it
// is NULL. `kernel` is find_pairs of cl/factor/layout.cl. Returns LCL_OK,
// LCL_EDEVMEM, LCL_EDEVICE or LCL_ENOMEM.
enum lcl_status lcl_find_pairs(struct lcl_device_layout *D, lcl_context *ctx,
                               lcl_kernel *kernel);
