// SPDX-License-Identifier: BSD-3-Clause
// Reference of the statistics that the symbolic phase computes from the values
// of a matrix.
#pragma once

#include "lib/factor/symbolic.h"

// B is the reordered matrix.
struct lcl_drop_info lcl_ref_drop(const struct lcl_subdomains *P,
                                  const struct lcl_csr *B);
