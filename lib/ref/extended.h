// SPDX-License-Identifier: BSD-3-Clause
// Reference of extended+i interpolation (lib/multilevel/extended.h).
#pragma once

#include "lib/ref/splitting.h"

// A is square. Returns LCL_OK or LCL_ENOMEM, with *P empty.
enum lcl_status lcl_ref_extended(struct lcl_csr *P, const struct lcl_csr *A,
                                 const struct lcl_ref_splitting *S, int most);
