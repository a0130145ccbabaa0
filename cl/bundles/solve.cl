// SPDX-License-Identifier: BSD-3-Clause
// What every solve of a matrix takes, CG and BiCGSTAB.
#include "bicgstab.cl"
#include "cg.cl"
#include "csr.cl"
#include "diagonal.cl"
#include "judge.cl"
#include "product_sums.cl"
#include "properties.cl"
#include "rounding.cl"
#include "vector.cl"
#include "verify.cl"
