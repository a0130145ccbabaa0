// SPDX-License-Identifier: BSD-3-Clause
// The HEC format, a hybrid of ELL and CSR (Chen, Liu, Yang, "Parallel
// triangular solvers on GPU"), and the product of a row with a vector.
//
// The first `width` entries of each row are in ELL, stored column by column:
// entry k of row i is in slot k * stride + i; stride is the number of rows,
// rounded up to 32, so that each column starts at a full line of memory. Slots
// that a row does not fill have the value 0 and a column that may be read. The
// other entries of row i are csr_ptr[i] .. csr_ptr[i + 1] - 1 of CSR.
#pragma once

#include "spmv.cl.h"

static inline double ell_dot(long i, uint width, long stride,
                             global const int *col, global const double *val,
                             global const double *x)
{
    double sum = 0;
    for (uint k = 0; k < width; ++k)
        sum += val[k * stride + i] * x[col[k * stride + i]];
    return sum;
}

static inline double csr_dot(index_t from, index_t to, global const int *col,
                             global const double *val, global const double *x)
{
    double sum = 0;
    for (index_t k = from; k < to; ++k)
        sum += val[k] * x[col[k]];
    return sum;
}
