// SPDX-License-Identifier: BSD-3-Clause
// Overlap of subdomains.
#pragma once

#include "lib/partition/subdomains.h"

// Extends each part of `in`, which need not have all rows, by `layers` layers:
// a layer adds the columns that the rows of the part store in the pattern A
// (square, in->n rows). These are the unknowns that the equations of the part
// read; edges of A^T alone would add rows that no equation of the part reads.
// Rows of a part ascend if those of `in` do; added rows are not owned. The work
// is proportional to the entries of the rows whose columns are added. Returns
// LCL_OK, LCL_EINVAL (negative layers), LCL_ERANGE (over 2^31 - 1 extended
// rows) or LCL_ENOMEM; on error *out is all zero.
enum lcl_status lcl_subdomains_overlap(struct lcl_subdomains *out,
                                       const struct lcl_subdomains *in,
                                       const struct lcl_csr *A, int layers,
                                       const struct lcl_log *log);
