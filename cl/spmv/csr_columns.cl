// SPDX-License-Identifier: BSD-3-Clause
// Products of A in CSR with interleaved columns (columns.cl.h):
//     csr_columns_dot       Y = A X,      partial sums of <w_q, y_q>
//     csr_columns_residual  Y = W - A X,  partial sums of <y_q, y_q>
// Row q of `sums` has column q; those of <y_q, y_q> follow the COLUMNS rows of
// <w_q, y_q>. If the stopping flag `stop[at]` is nonzero, the kernels do
// nothing.
//
// Launch: any number of groups; one lane per element of Y, at width 1 one item
//         per row.
// Determinism: fixed order for a given number of groups.
#include "columns.cl.h"
#include "index.cl.h"

// sum[c] = row i of A times column `first` + c of X
static inline void row_dot(long i, global const index_t *row_ptr,
                           global const int *col, global const double *val,
                           global const double *x, double *sum)
{
    const index_t end = row_ptr[i + 1];
    x += FIRST_COLUMN;
    for (uint c = 0; c < OWN; ++c)
        sum[c] = 0;
    for (index_t k = row_ptr[i]; k < end; ++k) {
        const double a = val[k];
        global const double *x_k = x + (long)col[k] * COLUMNS;
#pragma unroll
        for (uint c = 0; c < OWN; ++c)
            sum[c] += a * x_k[c];
    }
}

WORK_GROUP
kernel void csr_columns_dot(long n, global const index_t *restrict row_ptr,
                            global const int *restrict col,
                            global const double *restrict val,
                            global const double *restrict x,
                            global const double *w, global double *restrict y,
                            global double *restrict sums,
                            global const int *stop, int at)
{
    local double scratch[LCL_GROUP];
    double wy[OWN] = {0}, y_i[OWN];
    if (stop[at])
        return;
    for (RANGE(t, ROUNDS_OF(n))) {
        row_dot(t * OWN / COLUMNS, row_ptr, col, val, x, y_i);
        for (uint c = 0; c < OWN; ++c) {
            y[t * OWN + c] = y_i[c];
            wy[c] += w[t * OWN + c] * y_i[c];
        }
    }
    columns_partial(wy, sums, scratch);
}

WORK_GROUP
kernel void csr_columns_residual(long n, global const index_t *restrict row_ptr,
                                 global const int *restrict col,
                                 global const double *restrict val,
                                 global const double *restrict x,
                                 global const double *w,
                                 global double *restrict y,
                                 global double *restrict sums,
                                 global const int *stop, int at)
{
    local double scratch[LCL_GROUP];
    double yy[OWN] = {0}, y_i[OWN];
    if (stop[at])
        return;
    for (RANGE(t, ROUNDS_OF(n))) {
        row_dot(t * OWN / COLUMNS, row_ptr, col, val, x, y_i);
        for (uint c = 0; c < OWN; ++c) {
            y_i[c] = w[t * OWN + c] - y_i[c];
            y[t * OWN + c] = y_i[c];
            yy[c] += y_i[c] * y_i[c];
        }
    }
    columns_partial(yy, sums + COLUMNS * get_num_groups(0), scratch);
}
