// SPDX-License-Identifier: BSD-3-Clause
// Triangle-free patterns: their factorisation changes the diagonal only.
#pragma once

#include "host/program.h"
#include "lib/factor/schedule.h"

// A row is short if L and U have at most this many entries of it each.
enum { LCL_TRIANGLE_FREE_PLANES = 8 };

// Makes D->mirror if rows are short and no subdomain has a triangle; otherwise
// it stays NULL. `kernel` is find_mirrors of cl/factor/symbolic.cl. Returns
// LCL_OK, LCL_EDEVMEM, LCL_EDEVICE or LCL_ENOMEM.
enum lcl_status lcl_find_mirrors(struct lcl_schedule *D, lcl_context *ctx,
                                 lcl_kernel *kernel);
