// SPDX-License-Identifier: BSD-3-Clause
// Reference of statistics of couplings (lib/multilevel/couplings.h).
#pragma once

#include <levelcl/matrix.h>

struct lcl_ref_couplings {
    double opposite, median; // the median itself, 0 without rows
    int64_t rows;
};

// A is square. Returns LCL_OK or LCL_ENOMEM.
enum lcl_status lcl_ref_couplings(struct lcl_ref_couplings *out,
                                  const struct lcl_csr *A);
