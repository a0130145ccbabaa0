// SPDX-License-Identifier: BSD-3-Clause
// The trials of the product of a matrix.
#include "row_bins.cl"
#include "sliced.cl"
#include "slices.cl"
