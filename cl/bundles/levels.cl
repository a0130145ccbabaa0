// SPDX-License-Identifier: BSD-3-Clause
// The set-up of multigrid by aggregation.
#include "aggregate.cl"
#include "dense.cl"
#include "power.cl"
#include "prolongator.cl"
#include "spgemm_long.cl"
#include "spgemm_serial.cl"
#include "strength.cl"
#include "transpose.cl"
