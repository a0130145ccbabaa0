// SPDX-License-Identifier: BSD-3-Clause
// The pattern of ILU(k) on subdomains.
#pragma once

#include "lib/factor/pattern.h"
#include "lib/partition/subdomains.h"

// Makes the pattern of ILU(k) of the square pattern A on each part of P; rows
// are eliminated in the order of the part. Entries of A inside a part have the
// level of fill 0, all others
//     lev(i, j) = min over m < i, j of lev(i, m) + lev(m, j) + 1,
// and those of level <= k are kept (Saad, Iterative Methods for Sparse Linear
// Systems, 2003, Section 10.3.3). k = 0 keeps the entries of A inside the
// parts; k >= the rows of a part gives its complete LU factors. Returns LCL_OK,
// LCL_EINVAL (k < 0), LCL_EUNSUPPORTED (over LCL_NARROW_MOST entries),
// LCL_EDEVMEM (over limit->most, if that is > 0 and less), LCL_ECANCELLED or
// LCL_ENOMEM; on error *H is all zero. Without `limit` there is none.
enum lcl_status lcl_ilu_pattern(struct lcl_host_pattern *H,
                                const struct lcl_csr *A,
                                const struct lcl_subdomains *P, int k,
                                const struct lcl_fill_limit *limit,
                                const struct lcl_log *log);
