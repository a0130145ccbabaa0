// SPDX-License-Identifier: BSD-3-Clause
// Values and vectors of blocks in another order.
#include "value_sources.cl"
#include "vector.cl"
