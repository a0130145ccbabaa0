// SPDX-License-Identifier: BSD-3-Clause
// Statistics of the couplings of a matrix on the device, from which the type of
// multigrid is chosen: classical for opposite >= 0.99 and median_low >= 30.
#pragma once

#include "lib/storage/matrix.h"

struct lcl_couplings {
    // Sum of abs(a_ij), j /= i, over the couplings of the sign opposite to a_ii
    // (those below 0 where a_ii is 0), divided by the sum over all; 0 without
    // couplings, or if the sums are not finite
    double opposite;
    // The median over the rows with couplings other than zeros of max_j
    // abs(a_ij) / min_j abs(a_ij), without entries below 1e-4 of the maximum,
    // is in [median_low, median_high), the lower one of two; both are 0 if
    // there is no such row. The interval is at most an eighth of median_low
    // wide. 30 is a bound of one.
    double median_low, median_high;
    int64_t rows; // with couplings other than zeros
};

// A has block size 1. Reads about 1 KB. Returns LCL_OK, LCL_EUNSUPPORTED
// (blocks), LCL_ESELFTEST (the device computes impossible counts),
// LCL_EDEVMEM, LCL_EDEVICE, LCL_EBUILD or LCL_ENOMEM; on error *out is all
// zero.
enum lcl_status lcl_survey_couplings(struct lcl_couplings *out,
                                     lcl_context *ctx,
                                     const struct lcl_device_matrix *A);
